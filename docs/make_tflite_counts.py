"""Writes the table of operators in docs/tflite.md: ``python docs/make_tflite_counts.py``.

The rows have what ``qconvert inspect MODEL --to tflite`` prints. A test fails where the table is stale. The rows of
models that are not on this machine stay as they are.
"""

from __future__ import annotations

from pathlib import Path

from qconvert import Format, load
from qconvert.api.inspection import inspect_model

PAGE = Path(__file__).with_name("tflite.md")
ROOT = Path(__file__).parents[1]
FIXTURES, SHARED = ROOT / "fixtures", ROOT.parent / "shared" / "models"
MODELS = (
    *(FIXTURES / f"{name}.onnx" for name in ("digits_mlp_int8", "digits_cnn_uint8", "digits_cnn_pow2")),
    *(
        SHARED / f"{name}.onnx"
        for name in (
            "onnx/digits_cnn_int8_perchannel",
            "onnx/digits_cnn_qoperator",
            "onnx/mnist_int8_perchannel",
            "onnx/squeezenet_int8",
            "onnx/ultraface_uint8",
            "onnx/unet_int8",
            "onnx/transformer_block_int8",
            "zoo/digits_cnn__s16s8_sym",
            "zoo/digits_mbv2__s8s8_pc",
            "zoo/digits_qat_pc__as_is",
            "zoo/digits_pt2e__as_is",
            "zoo/vgg19_w8__s8s8_pc",
        )
    ),
)
BEGIN, END = "| model | operators |", "\n\n"


def table(known: str) -> str:
    """A row for each model: its operators, and those in float; ``known`` is the table as it is."""
    rows = ["| model | operators | in float | operators of the file |", "|---|---|---|---|"]
    for model in MODELS:
        if model.exists():
            rows.append(_row(model))
        else:
            rows += [line for line in known.splitlines() if line.startswith(f"| {model.stem} |")]
    return "\n".join(rows)


def _row(model: Path) -> str:
    found = inspect_model(load(model), Format.TFLITE)
    kinds = ", ".join(f"{count} {name}" for name, count in found.operators.items())
    floats = ", ".join(f"{count} {name}" for name, count in found.float_operators.items())
    return f"| {model.stem} | {sum(found.operators.values())} | {floats or 0} | {kinds} |"


def page() -> str:
    """The page with its table made anew."""
    text = PAGE.read_text()
    start = text.rindex(BEGIN)
    end = text.index(END, start)
    return text[:start] + table(text[start:end]) + text[end:]


if __name__ == "__main__":
    PAGE.write_text(page())
