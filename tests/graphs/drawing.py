"""Random networks, the same for the same seed: chains and branches of operators, and pairs of families."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state

from tests.graphs.network import Drawing, MisfitError, Network, Shape
from tests.graphs.onnx_writer import Writer
from tests.graphs.operators.registry import Maker, families

CALIBRATION_SAMPLES = 3
_TRIES = 60
_LARGEST = 1e4
"""The largest real value that is quantized; sums of integers that only a later step quantizes may be larger."""


def draw_network(rng: np.random.Generator, least: int = 2, most: int = 8) -> Network:
    """Return a network of ``least`` to ``most`` operators; the last operators of a branch may be longer."""
    count = int(rng.integers(least, most + 1))
    net = Drawing.start(rng, input_shape(rng))
    if net.chance(0.2):
        net = Drawing.start(rng, net.shapes["x0"], net.shapes["x0"])
    every = [(family, maker, share) for family, makers in families().items() for maker, share in makers]
    shares = np.asarray([share for _, _, share in every], np.float64)
    for _ in range(_TRIES):
        family, maker, _ = every[int(rng.choice(len(every), p=shares / shares.sum()))]
        newest = net.free[-1] if net.chance(0.7) else str(net.one_of(*net.free[-4:]))
        grow(net, family, maker, newest)
        if len(net.steps) >= count:
            break
    return net.finished()


def draw_pair(rng: np.random.Generator, first: str, second: str) -> Network | None:
    """Return a network of an operator of one family behind one of another; None if none was found that fit."""
    for _ in range(_TRIES):
        net = Drawing.start(rng, input_shape(rng))
        for family in (first, second):
            made = len(net.steps)
            makers = families()[family]
            if not (net.steps and not net.free[1:]) and grow(net, family, makers[net.number(0, len(makers) - 1)][0]):
                continue
            del net.steps[made:]
            break
        else:
            return net.finished()
    return None


def grow(net: Drawing, family: str, maker: Maker, name: str | None = None) -> bool:
    """Add operators of a maker behind a value, by default the newest; return False, unchanged, if they do not fit."""
    name = name or net.free[-1]
    steps, free, net.family = len(net.steps), len(net.free), family
    try:
        maker(net, name, net.shapes[name])
    except MisfitError:
        del net.steps[steps:], net.free[free:]
        return False
    return True


def input_shape(rng: np.random.Generator) -> Shape:
    """Return a shape of rank 1 to 6, mostly that of images with channels first."""
    way = int(rng.choice(6, p=[0.58, 0.14, 0.14, 0.04, 0.06, 0.04]))
    batch, channels = int(rng.choice([1, 1, 1, 2])), int(rng.choice([1, 2, 3, 4, 4, 8]))
    sizes = [int(size) for size in rng.integers(2, 8, 6)]
    shapes: list[Shape] = [
        (batch, channels, sizes[0], sizes[1]),
        (batch, sizes[0], channels),
        (batch, channels * 2),
        (sizes[0] * 2,),
        (batch, channels, *(size // 2 + 1 for size in sizes[:3])),
        (1, 2, *(size // 3 + 1 for size in sizes[:4])),
    ]
    return shapes[way]


def observed(network: Network, rng: np.random.Generator) -> dict[str, tuple[float, float]] | None:
    """Return the range of every real value over random inputs; None if one is not finite or onnxruntime refuses."""
    model = Writer(network, every_value=True).model().SerializeToString()
    try:
        return _observed(
            onnxruntime.InferenceSession(model, options(), providers=["CPUExecutionProvider"]), network, rng
        )
    except (RuntimeError, state.InvalidArgument, state.NotImplemented, state.RuntimeException, state.Fail):
        return None


def _observed(
    session: onnxruntime.InferenceSession, network: Network, rng: np.random.Generator
) -> dict[str, tuple[float, float]] | None:
    made = [name for step in network.steps for name in step.outputs]
    quantized = {name for step in network.steps if step.is_quantized for name in step.outputs}
    ranges: dict[str, tuple[float, float]] = {}
    for _ in range(CALIBRATION_SAMPLES):
        feeds = {name: rng.normal(size=network.shapes[name]).astype(np.float32) for name in network.inputs}
        for name, values in _pairs(feeds, made, session.run(made, feeds)):
            if network.kinds[name] != "real":
                continue
            if not np.isfinite(values).all() or (name in quantized and np.abs(values).max() > _LARGEST):
                return None
            if values.shape != network.shapes[name]:  # ONNX and onnxruntime round sizes of pools differently
                return None
            low, high = ranges.get(name, (0.0, 0.0))
            ranges[name] = (min(low, float(values.min())), max(high, float(values.max())))
    return ranges


def _pairs(
    feeds: dict[str, np.ndarray], names: list[str], values: list[np.ndarray]
) -> Iterator[tuple[str, np.ndarray]]:
    yield from feeds.items()
    yield from zip(names, values, strict=True)


def options() -> onnxruntime.SessionOptions:
    """Return options without optimisation, on one thread."""
    found = onnxruntime.SessionOptions()
    found.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    found.intra_op_num_threads = 1
    found.log_severity_level = 4
    return found
