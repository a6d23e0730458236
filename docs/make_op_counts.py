"""Writes the table of op counts in docs/tosa.md: ``python docs/make_op_counts.py``. A test fails where it is stale.

The rows of models that are not on this machine stay as they are.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from qconvert import Format, convert, load

PAGE = Path(__file__).with_name("tosa.md")
ROOT = Path(__file__).parents[1]
FIXTURES, SHARED = ROOT / "fixtures", ROOT.parent / "shared" / "models" / "onnx"
MODELS = (
    *(FIXTURES / f"{name}.onnx" for name in ("digits_mlp_int8", "digits_cnn_int8", "digits_cnn_uint8")),
    *(
        SHARED / f"{name}.onnx"
        for name in (
            "digits_cnn_int8_perchannel",
            "digits_cnn_int16act",
            "mnist_int8_perchannel",
            "squeezenet_int8",
            "ultraface_uint8",
            "transformer_block_int8",
            "unet_int8",
        )
    ),
)
BEGIN, END = "| model | ", "\n\n"


def counts(model: Path) -> Counter[str]:
    """How often each op, constants aside, is in a conversion."""
    module = convert(load(model), Format.TOSA).module
    names = (op.name.removeprefix("tosa.") for op in module.walk() if op.dialect_name() == "tosa")
    return Counter(name for name in names if not name.startswith("const"))


def table(known: str) -> str:
    """A row for each model: all ops, and each kind; ``known`` is the table as it is."""
    rows = ["| model | ops | of these |", "|---|---|---|"]
    for model in MODELS:
        if model.exists():
            rows.append(_row(model))
        else:
            rows += [line for line in known.splitlines() if line.startswith(f"| {model.stem} |")]
    return "\n".join(rows)


def _row(model: Path) -> str:
    found = counts(model)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found.items(), key=lambda item: (-item[1], item[0])))
    return f"| {model.stem} | {found.total()} | {kinds} |"


def page() -> str:
    """The page with its table made anew."""
    text = PAGE.read_text()
    start = text.rindex(BEGIN)
    end = text.index(END, start)
    return text[:start] + table(text[start:end]) + text[end:]


if __name__ == "__main__":
    PAGE.write_text(page())
