"""The anonymous memory of a conversion whose weights are larger than it.

``python -m benchmarks.memory [MEGABYTES [ROWS]]`` writes a model with weights of so many megabytes beside it (3000 by
default, in matrices of 2048 rows) into the temporary folder, converts it to TFLite, StableHLO and TOSA, and runs the
TFLite model once in LiteRT. That takes four times the space on the disk.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, anonymous_peak_of, best, print_rows
from benchmarks.models import WIDTH, write_large_model

MEGABYTES = 400
LIMIT_MEGABYTES = 600.0
_FORMATS = {"TFLite": "tflite", "StableHLO": "mlir", "TOSA's text": "tosa.mlir", "TOSA": "tosa"}
_MOST_MEGABYTES = {"tosa": 2000}


def memory_rows(folder: Path, megabytes: int = MEGABYTES, width: int = WIDTH) -> list[Row]:
    """One row for each format: the largest memory of the command beside the limit."""
    model = folder / "beside.onnx"
    write_large_model(model, megabytes, width, beside=True)
    rows = []
    for title, suffix in _FORMATS.items():
        if megabytes > _MOST_MEGABYTES.get(suffix, megabytes):
            continue
        out = folder / f"beside.{suffix}"
        peak = anonymous_peak_of("qconvert", "convert", str(model), "-o", str(out))
        if suffix != "tflite":
            out.unlink()
        what = f"anonymous memory, {megabytes} MB of weights to {title}"
        rows.append(Row(what, peak, "limit", LIMIT_MEGABYTES, "MB"))
    return rows


def _run_row(model: Path, width: int) -> Row:
    """Load a TFLite model in LiteRT and run it once, in this process."""
    from ai_edge_litert.interpreter import Interpreter

    def run() -> None:
        interpreter = Interpreter(str(model))
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.ones((1, width), np.float32))
        interpreter.invoke()
        found = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
        assert len(np.unique(found)) > 1

    return Row("load and run the TFLite model in LiteRT", best(run, 1), "-", None)


def main() -> None:
    """Measure and print."""
    megabytes, width = (*map(int, sys.argv[1:3]), *(3000, WIDTH)[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as name:
        rows = memory_rows(Path(name), megabytes, width)
        print_rows([*rows, _run_row(Path(name) / "beside.tflite", width)])


if __name__ == "__main__":
    main()
