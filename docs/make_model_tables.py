"""Writes the tables of models in docs/tosa.md and docs/tflite.md: ``python docs/make_model_tables.py``.

A test fails where one is stale. The rows of models that are not on this machine stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from qconvert import Format, convert, load
from qconvert.api.inspection import inspect_model

DOCS = Path(__file__).parent
FIXTURES, SHARED = DOCS.parent / "fixtures", DOCS.parents[1] / "shared" / "models"


@dataclass(frozen=True)
class ModelTable:
    """A table with a row for each model: its page, its columns, the models, and the cells behind a model's name."""

    page: Path
    columns: tuple[str, ...]
    models: tuple[Path, ...]
    cells: Callable[[Path], tuple[str, ...]]

    def made_anew(self) -> str:
        """Return the page with its table as it should be."""
        text = self.page.read_text()
        head = _line("model", *self.columns)
        start = text.rindex(head)
        end = text.index("\n\n", start)
        known = text[start:end].splitlines()
        rows = [head, "|" + "---|" * (len(self.columns) + 1)]
        for model in self.models:
            if model.exists():
                rows.append(_line(model.stem, *self.cells(model)))
            else:
                rows += [row for row in known if row.startswith(f"| {model.stem} |")]
        return text[:start] + "\n".join(rows) + text[end:]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


def _in_tosa(model: Path) -> tuple[str, ...]:
    """Return the number of ops, constants aside, and each kind."""
    module = convert(load(model), Format.TOSA).module
    names = (op.name.removeprefix("tosa.") for op in module.walk() if op.dialect_name() == "tosa")
    found = Counter(name for name in names if not name.startswith("const"))
    return str(found.total()), _listed(dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))))


def _in_tflite(model: Path) -> tuple[str, ...]:
    """Return what ``qconvert inspect MODEL --to tflite`` prints: all operators, those in float, and each kind."""
    found = inspect_model(load(model), Format.TFLITE)
    return str(sum(found.operators.values())), _listed(found.float_operators) or "0", _listed(found.operators)


def _models(fixtures: str, shared: str) -> tuple[Path, ...]:
    own = (FIXTURES / f"{name}.onnx" for name in fixtures.split())
    return (*own, *(SHARED / f"{name}.onnx" for name in shared.split()))


TABLES = (
    ModelTable(
        DOCS / "tosa.md",
        ("ops", "of these"),
        _models(
            "digits_mlp_int8 digits_cnn_int8 digits_cnn_uint8",
            "onnx/digits_cnn_int8_perchannel onnx/digits_cnn_int16act onnx/mnist_int8_perchannel onnx/squeezenet_int8 "
            "onnx/ultraface_uint8 onnx/transformer_block_int8 onnx/unet_int8",
        ),
        _in_tosa,
    ),
    ModelTable(
        DOCS / "tflite.md",
        ("operators", "in float", "operators of the file"),
        _models(
            "digits_mlp_int8 digits_cnn_uint8 digits_cnn_pow2",
            "onnx/digits_cnn_int8_perchannel onnx/digits_cnn_qoperator onnx/mnist_int8_perchannel onnx/squeezenet_int8 "
            "onnx/ultraface_uint8 onnx/unet_int8 onnx/transformer_block_int8 zoo/digits_cnn__s16s8_sym "
            "zoo/digits_mbv2__s8s8_pc zoo/digits_qat_pc__as_is zoo/digits_pt2e__as_is zoo/vgg19_w8__s8s8_pc",
        ),
        _in_tflite,
    ),
)

if __name__ == "__main__":
    for table in TABLES:
        table.page.write_text(table.made_anew())
