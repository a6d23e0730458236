"""The command line converting models, start-up included, beside IREE's importer; a large model beside limits."""

from __future__ import annotations

import os
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.measure import ROOT, SHARED, Row, best, command, peak_of

MODELS = (ROOT / "fixtures" / "digits_cnn_int8.onnx", SHARED / "squeezenet_int8.onnx", SHARED / "ultraface_uint8.onnx")
MEGABYTES = 100
CHUNK = 1 << 20


def conversion_rows(folder: Path) -> list[Row]:
    """Every model that is present."""
    out = str(folder / "out.mlir")
    return [_convert_row(model, out) for model in MODELS if model.exists()]


def _convert_row(model: Path, out: str) -> Row:
    """The whole command line beside IREE's importer, start-up included."""
    ours = best(lambda: command("qconvert", "convert", str(model), "-o", out))
    theirs = None
    if find_spec("iree.compiler") is not None:
        theirs = best(lambda: command("iree.compiler.tools.import_onnx", str(model), "-o", out))
    return Row(f"convert {model.stem}", ours, "iree-import-onnx", theirs)


def large_model_rows(folder: Path) -> list[Row]:
    """A model of 100 MB of weights: time beside writing their bytes as hex, memory beside 300 MB."""
    model = folder / "large.onnx"
    command("benchmarks.models", str(model), str(MEGABYTES))
    # A child counts its parent's memory at its start as its own peak: nothing large may be held here before.
    ours, peak = [], []
    for _ in range(3):
        start = time.perf_counter()
        peak.append(peak_of("qconvert", "convert", str(model), "-o", str(folder / "large.mlir")))
        ours.append(time.perf_counter() - start)
    weights = np.random.default_rng(0).integers(0, 256, MEGABYTES * 1_000_000, np.uint8)
    theirs = best(lambda: _write_hex(weights, folder / "large.hex"))
    return [
        Row(f"convert {MEGABYTES} MB of weights", min(ours), "hex and write the bytes", theirs),
        Row("peak memory of that", max(peak), "limit", 300.0, "MB"),
    ]


def _write_hex(weights: np.ndarray[tuple[int], np.dtype[np.uint8]], path: Path) -> None:
    """Write bytes as hexadecimal text, plainly, and wait until they are on the disk, as a conversion does."""
    with path.open("w") as stream:
        for start in range(0, weights.size, CHUNK):
            stream.write(weights[start : start + CHUNK].tobytes().hex())
        stream.flush()
        os.fsync(stream.fileno())
