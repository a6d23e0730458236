"""Time and memory of every output for models of several sizes, beside a copy of the bytes and IREE's importer.

``python -m benchmarks.sizes [MEGABYTES...]`` measures models of 10 MB, 100 MB, 1 GB and 5 GB, or of the given sizes,
and writes ``benchmarks/figures/sizes.json``. Figures of other sizes stay in the file. Weights are beside the model.
5 GB take 15 GB of the disk. ``docs/make_performance.py`` draws the figures.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.measure import tree_peaks_of
from benchmarks.models import write_large_model
from benchmarks.weights import copy

FIGURES = Path(__file__).parent / "figures" / "sizes.json"
COPY = "copy of the bytes"
_MEGABYTES = (10, 100, 1000, 5000)
_MANY_MEGABYTES, _TIMES = 100, 3
"""Conversions of models up to this size are measured so many times, larger ones once."""
_LIMIT = "the format's limit of 2 GB"
_LONG = "not measured: it takes minutes and more than four times the memory"


@dataclass(frozen=True)
class Figure:
    """The median time, and the largest memories of all processes together; ``reason`` tells why there are none."""

    megabytes: int
    output: str
    seconds: float | None = None
    anonymous_megabytes: float | None = None
    resident_megabytes: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class _Output:
    """A conversion: the arguments of ``python -m`` without the model and the folder, and the largest size."""

    title: str
    arguments: Callable[[Path, Path], tuple[str, ...]]
    most_megabytes: int | None = None
    reason: str | None = None


def _ours(file: str, *options: str) -> Callable[[Path, Path], tuple[str, ...]]:
    return lambda model, out: (
        *("qconvert", "convert", str(model), "-o", str(out / file)),
        *(option.replace("OUT", str(out)) for option in options),
    )


def _iree(*options: str) -> Callable[[Path, Path], tuple[str, ...]]:
    return lambda model, out: (
        *("iree.compiler.tools.import_onnx", str(model), "-o", str(out / "out.mlir")),
        *(option.replace("OUT", str(out)) for option in options),
    )


OUTPUTS = (
    _Output("StableHLO and safetensors", _ours("out.mlir", "--weights", "OUT/out.safetensors")),
    _Output("StableHLO text", _ours("out.mlir")),
    _Output("StableHLO bytecode", _ours("out.mlirbc"), 1000, _LONG),
    _Output("TOSA text", _ours("out.tosa.mlir")),
    _Output("TOSA flatbuffer", _ours("out.tosa"), 1000, _LIMIT),
    _Output("TFLite", _ours("out.tflite")),
    _Output("ONNX and external data", _ours("out.onnx", "--external-data")),
    _Output("IREE's importer, text", _iree(), 1000, _LONG),
    _Output("IREE's importer, parameters", _iree("--externalize-params", "--save-params-to=OUT/out.irpa"), 1000, _LONG),
)


def size_figures(folder: Path, megabytes: int) -> Iterator[Figure]:
    """Yield the figure of a copy, then one for each output."""
    model, times = folder / "model.onnx", _TIMES if megabytes <= _MANY_MEGABYTES else 1
    write_large_model(model, megabytes, beside=True)
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        copy(model.with_suffix(".data"), folder / "copy.data")
        seconds.append(time.perf_counter() - start)
        (folder / "copy.data").unlink()
    yield Figure(megabytes, COPY, round(statistics.median(seconds), 3))
    for output in OUTPUTS:
        if output.most_megabytes is not None and megabytes > output.most_megabytes:
            yield Figure(megabytes, output.title, reason=output.reason)
        else:
            yield _figure(folder, model, megabytes, output, times)


def _figure(folder: Path, model: Path, megabytes: int, output: _Output, times: int) -> Figure:
    seconds, peaks = [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory(dir=folder) as out:
            start = time.perf_counter()
            peaks.append(tree_peaks_of(*output.arguments(model, Path(out))))
            seconds.append(time.perf_counter() - start)
    anonymous, resident = (max(side) for side in zip(*peaks, strict=True))
    return Figure(megabytes, output.title, round(statistics.median(seconds), 3), round(anonymous), round(resident))


def main() -> None:
    """Measure, and write the figures of each size when it is done."""
    for megabytes in map(int, sys.argv[1:] or _MEGABYTES):
        with tempfile.TemporaryDirectory() as name:
            made = [asdict(figure) for figure in size_figures(Path(name), megabytes)]
        kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else []
        found = sorted((*(each for each in kept if each["megabytes"] != megabytes), *made), key=_size)
        FIGURES.parent.mkdir(exist_ok=True)
        FIGURES.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{FIGURES}: {megabytes} MB")


def _size(figure: dict[str, int]) -> int:
    return figure["megabytes"]


if __name__ == "__main__":
    main()
