"""Conversion to StableHLO with the weights in a file beside it, next to a copy of the same bytes.

``python -m benchmarks.weights [MEGABYTES [ROWS]]`` writes a model with weights of so many megabytes beside it (400 by
default, in matrices of 2048 rows), then copies the weights and converts the model in turn. Both end with the data
on the disk. That takes three times the space.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Row, anonymous_peak_of, best, command, print_rows
from benchmarks.models import WIDTH, write_large_model

MEGABYTES = 400
LIMIT_MEGABYTES = 400.0
_WINDOW = 1 << 24


def weights_rows(folder: Path, megabytes: int = MEGABYTES, width: int = WIDTH, times: int = 5) -> list[Row]:
    """The median time beside that of a copy, and the largest anonymous memory beside the limit."""
    model = folder / "weights.onnx"
    write_large_model(model, megabytes, width, beside=True)
    made = [folder / "out.mlir", folder / "out.safetensors", folder / "copy.data"]
    arguments = ("qconvert", "convert", str(model), "-o", str(made[0]), "--weights", str(made[1]))
    seconds: dict[str, list[float]] = {"copy": [], "convert": []}
    for _ in range(times):
        seconds["copy"].append(best(lambda: copy(model.with_suffix(".data"), made[2]), 1))
        seconds["convert"].append(best(lambda: command(*arguments), 1))
        _remove(made)
    peak = anonymous_peak_of(*arguments)
    _remove([*made, model, model.with_suffix(".data")])
    times_taken = [statistics.median(seconds[name]) for name in ("convert", "copy")]
    what = f"{megabytes} MB of weights to StableHLO and a weights' file"
    return [
        Row(what, times_taken[0], "copy with fsync", times_taken[1]),
        Row(f"anonymous memory, {what}", peak, "limit", LIMIT_MEGABYTES, "MB"),
    ]


def copy(source: Path, target: Path) -> None:
    """Copy a file in windows until it is on the disk."""
    with source.open("rb", buffering=0) as reader, target.open("wb", buffering=0) as writer:
        while window := reader.read(_WINDOW):
            writer.write(window)
        os.fsync(writer.fileno())


def _remove(files: list[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def main() -> None:
    """Measure and print."""
    megabytes, width = (*map(int, sys.argv[1:3]), *(MEGABYTES, WIDTH)[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as name:
        print_rows(weights_rows(Path(name), megabytes, width))


if __name__ == "__main__":
    main()
