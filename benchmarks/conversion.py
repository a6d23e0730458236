"""The command line converting models, start-up included, beside IREE's importer; a large model beside limits."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from benchmarks.hexadecimal import write_hex
from benchmarks.measure import ROOT, SHARED, Row, best, command, peak_of
from qconvert import convert, load, save

MODELS = (ROOT / "fixtures" / "digits_cnn_int8.onnx", SHARED / "squeezenet_int8.onnx", SHARED / "ultraface_uint8.onnx")
MEGABYTES = 100
TIMES = 7


def conversion_rows(folder: Path) -> list[Row]:
    """Every model that is present."""
    present = [model for model in MODELS if model.exists()]
    return [_convert_row(model, str(folder / f"out{suffix}")) for suffix in (".mlir", ".tosa") for model in present]


def _convert_row(model: Path, out: str) -> Row:
    """The whole command line beside IREE's importer, start-up included."""
    ours = best(lambda: command("qconvert", "convert", str(model), "-o", out))
    theirs = None
    if find_spec("iree.compiler") is not None:
        theirs = best(lambda: command("iree.compiler.tools.import_onnx", str(model), "-o", out))
    kind = "TOSA flatbuffer" if out.endswith(".tosa") else "StableHLO"
    return Row(f"convert {model.stem} to {kind}", ours, "iree-import-onnx", theirs)


def large_model_rows(folder: Path) -> list[Row]:
    """A model of 100 MB of weights: time beside writing its bytes as hex, memory beside 300 MB."""
    model, out, plain = folder / "large.onnx", folder / "large.mlir", folder / "large.hex"
    command("benchmarks.models", str(model), str(MEGABYTES))
    # A child counts its parent's memory at its start as its own peak: nothing large may be held here before.
    peak = max(peak_of("qconvert", "convert", str(model), "-o", str(out)) for _ in range(3))
    process = best(lambda: command("qconvert", "convert", str(model), "-o", str(out)), TIMES, out)
    plain_process = best(lambda: command("benchmarks.hexadecimal", str(model), str(plain)), TIMES, plain)
    library = best(lambda: save(convert(load(model)), out), TIMES, out)
    plain_library = best(lambda: write_hex(model, plain), TIMES, plain)
    what = f"{MEGABYTES} MB of weights"
    return [
        Row(f"convert {what}, command", process, "hex and write its bytes, command", plain_process),
        Row(f"convert {what}, library", library, "hex and write its bytes", plain_library),
        Row("peak memory of the command", peak, "limit", 300.0, "MB"),
    ]
