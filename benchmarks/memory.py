"""Time and memory of conversions whose weights are larger than the memory they may take.

``python -m benchmarks.memory [MEGABYTES [ROWS]]`` writes a model with weights of so many megabytes beside it (3000 by
default, in matrices of 2048 rows) into the temporary folder and converts it to TFLite, StableHLO, TOSA and ONNX. In
turn with each conversion it copies the weights, for text as hexadecimal digits, until they are on the disk. Then it
runs the TFLite model once in LiteRT. That takes four times the space on the disk.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.hexadecimal import write_hex
from benchmarks.measure import Row, best, command, peaks_of, print_rows
from benchmarks.models import WIDTH, write_large_model
from benchmarks.weights import copy

MEGABYTES = 400
ANONYMOUS_MEGABYTES, RESIDENT_MEGABYTES = 400.0, 600.0
_TIMES = 5


@dataclass(frozen=True)
class _Output:
    """What is written, and the peer: a function that writes the same bytes plainly."""

    title: str
    file: str
    peer: str = "copy with fsync"
    write: Callable[[Path, Path], None] = copy
    options: tuple[str, ...] = ()
    most_megabytes: int | None = None


_TFLITE = _Output("TFLite", "out.tflite")
_OUTPUTS = (
    _TFLITE,
    _Output("StableHLO's text", "out.mlir", "hexadecimal digits", write_hex),
    _Output("TOSA's text", "out.tosa.mlir", "hexadecimal digits", write_hex),
    _Output("TOSA", "out.tosa", most_megabytes=2000),
    _Output("ONNX", "out.onnx"),
    _Output("ONNX and a file of weights", "out.onnx", options=("--external-data",)),
)


def memory_rows(folder: Path, megabytes: int = MEGABYTES, width: int = WIDTH, times: int = _TIMES) -> list[Row]:
    """Three rows for each output: the median time beside the peer's, and the largest memories beside the limits."""
    model = folder / "beside.onnx"
    write_large_model(model, megabytes, width, beside=True)
    rows = [
        row
        for output in _OUTPUTS
        if output.most_megabytes is None or megabytes <= output.most_megabytes
        for row in _rows(folder, model, output, f"{megabytes} MB to {output.title}", times)
    ]
    _remove(folder, model.name, model.with_suffix(".data").name)
    return rows


def _rows(folder: Path, model: Path, output: _Output, what: str, times: int) -> Iterator[Row]:
    out, plain = folder / output.file, folder / "plain.out"
    arguments = ("qconvert", "convert", str(model), "-o", str(out), *output.options)
    seconds: list[tuple[float, float]] = []
    for _ in range(times):
        _remove(folder, out.name, f"{out.name}.data")
        converted = best(lambda: command(*arguments), 1)
        _remove(folder, out.name, f"{out.name}.data")
        seconds.append((converted, best(lambda: output.write(model.with_suffix(".data"), plain), 1)))
        _remove(folder, plain.name)
    ours, theirs = (statistics.median(side) for side in zip(*seconds, strict=True))
    yield Row(what, ours, output.peer, theirs)
    anonymous, resident = peaks_of(*arguments)
    yield Row(f"anonymous memory, {what}", anonymous, "limit", ANONYMOUS_MEGABYTES, "MB")
    yield Row(f"resident memory, {what}", resident, "limit", RESIDENT_MEGABYTES, "MB")
    if output is not _TFLITE:
        _remove(folder, out.name, f"{out.name}.data")


def _remove(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


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
        print_rows([*rows, _run_row(Path(name) / _TFLITE.file, width)])


if __name__ == "__main__":
    main()
