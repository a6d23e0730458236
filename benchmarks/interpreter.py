"""The interpreter in process, beside onnxruntime on one thread and StableHLO's own interpreter.

``python -m benchmarks.interpreter`` writes ``benchmarks/figures/interpreter.json`` for ``docs/make_performance.py``.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import SHARED, Row, print_rows
from qconvert.engines.workers import NO_TELEMETRY

FIGURES = Path(__file__).parent / "figures" / "interpreter.json"
_ZOO = SHARED.parent / "zoo"
_MODELS = (
    SHARED / "squeezenet_int8.onnx",
    SHARED / "ultraface_uint8.onnx",
    SHARED / "digits_cnn_int8_perchannel.onnx",
    SHARED / "mnist_int8_perchannel.onnx",
    _ZOO / "digits_mbv2__u8s8_pc.onnx",
)
_BATCH_SECONDS = 0.01
_BATCHES = 8
_ROUNDS = 5


def interpreter_rows() -> list[Row]:
    """One sample through each model: the second call of ``qconvert.run`` and later ones, in processor time."""
    os.environ.update(NO_TELEMETRY)
    return [row for model in _MODELS if model.exists() for row in _rows(model)]


def _rows(path: Path) -> list[Row]:
    import onnxruntime

    from qconvert import load, run

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(0)
    sizes = {each.name: [size if isinstance(size, int) else 1 for size in each.shape] for each in session.get_inputs()}
    feeds = {name: random.uniform(-1, 1, shape).astype(np.float32) for name, shape in sizes.items()}
    model = load(path)
    start = time.perf_counter()
    first = run(model, feeds)
    prepared = time.perf_counter() - start
    ours, theirs = _in_turn(lambda: run(model, feeds), lambda: session.run(None, feeds))
    rows = [
        Row(f"first run of {path.stem}, which prepares it", prepared, "", None),
        Row(f"run {path.stem} again", ours, "onnxruntime, unoptimised", theirs),
    ]
    return [*rows, *_stablehlo_rows(path, feeds, ours)] if sum(each.size for each in first.values()) < _FEW else rows


_FEW = 100
"""The number of results of a model that StableHLO's interpreter is asked for: the others take minutes."""


def _in_turn(*actions: Callable[[], object]) -> list[float]:
    """Return the processor time of each action, the shortest of some rounds, so that all meet the same noise.

    The clock of a processor is too coarse for one short call: many calls are measured together.
    """
    shortest = [float("inf")] * len(actions)
    for _ in range(_ROUNDS):
        for i, action in enumerate(actions):
            calls = max(1, int(_BATCH_SECONDS / _seconds(action, 1)))
            shortest[i] = min(shortest[i], *(_seconds(action, calls) for _ in range(_BATCHES)))
    return shortest


def _seconds(action: Callable[[], object], calls: int) -> float:
    """Return the processor time of a call."""
    start = time.process_time()
    for _ in range(calls):
        action()
    return (time.process_time() - start) / calls


def _stablehlo_rows(path: Path, feeds: dict[str, NDArray[Any]], ours: float) -> list[Row]:
    """Beside StableHLO's interpreter, which jaxlib contains: the difference of many samples and one, on the clock."""
    from qconvert import convert, load
    from qconvert.engines.modules import Program
    from qconvert.engines.stablehlo import run_many

    text, spent = convert(load(path)).text, []
    for samples in (1, 1 + _SAMPLES):
        start = time.perf_counter()
        run_many([Program(text, [list(feeds.values())] * samples)])
        spent.append(time.perf_counter() - start)
    return [Row(f"run {path.stem} again", ours, "StableHLO's interpreter", (spent[1] - spent[0]) / _SAMPLES)]


_SAMPLES = 3


def main() -> None:
    """Measure, print, and write the figures of the rows that have a peer."""
    rows = interpreter_rows()
    print_rows(rows)
    figures = [
        {
            "model": row.what.removeprefix("run ").removesuffix(" again"),
            "peer": row.peer,
            "seconds": row.ours,
            "peer_seconds": row.theirs,
        }
        for row in rows
        if row.theirs is not None
    ]
    FIGURES.parent.mkdir(exist_ok=True)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
