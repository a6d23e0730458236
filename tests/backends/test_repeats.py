"""Operators that repeat elements behind a convolution, whose layout changes there, have onnxruntime's numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.api.running import run
from qconvert.engines.base import EngineName
from tests.support.qdq_networks import INPUT, Graph, Raw, Style, Weight, Writer

SIZES = (1, 3, 4, 4)
STYLE = Style(np.int8, np.int8, 0, power_of_two=False, integer_input=False)
Grow = Callable[[Graph, str], str]


def _integers(*values: int) -> Raw:
    return Raw(np.asarray(values, np.int64))


def convolution(graph: Graph, x: str) -> str:
    batch, channels, height, width = graph.shapes[x]
    weight = Weight(graph.normal(5, channels, 1, 1), 0)
    return graph.add("Conv", [x, weight], (batch, 5, height, width), kernel_shape=[1, 1])


def resize(graph: Graph, x: str) -> str:
    batch, channels, height, width = graph.shapes[x]
    scales = Raw(np.asarray([1, 1, 2, 3], np.float32))
    nearest = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
    return graph.add("Resize", [x, None, scales], (batch, channels, 2 * height, 3 * width), keeps=True, **nearest)


def tile(graph: Graph, x: str) -> str:
    batch, channels, height, width = graph.shapes[x]
    return graph.add("Tile", [x, _integers(1, 2, 3, 1)], (batch, 2 * channels, 3 * height, width), keeps=True)


def expand(graph: Graph, x: str) -> str:
    batch, channels, height, width = graph.shapes[x]
    mean = graph.add("GlobalAveragePool", [x], (batch, channels, 1, 1), quantized=False)
    return graph.add("Expand", [mean, _integers(2, channels, height, width)], (2, channels, height, width))


def gather(graph: Graph, x: str) -> str:
    batch, channels, height, width = graph.shapes[x]
    indices = _integers(*sorted([*range(height), *range(height)]))
    return graph.add("Gather", [x, indices], (batch, channels, 2 * height, width), keeps=True, axis=2)


def added(graph: Graph, x: str) -> str:
    return graph.add("Add", [x, convolution(graph, x)], graph.shapes[x]) if graph.shapes[x][1] == 5 else x


def averaged(graph: Graph, x: str) -> str:
    return graph.add("GlobalAveragePool", [x], (*graph.shapes[x][:2], 1, 1))


def flattened(graph: Graph, x: str) -> str:
    batch, *rest = graph.shapes[x]
    return graph.add("Reshape", [x, _integers(batch, -1)], (batch, int(np.prod(rest))), keeps=True)


REPEATS: dict[str, Grow] = {"resize": resize, "tile": tile, "expand": expand, "gather": gather}
BEHIND: dict[str, Grow] = {
    "nothing": lambda _, x: x,
    "convolution": convolution,
    "addition": added,
    "average": averaged,
    "flatten": flattened,
}
FORMATS = [
    pytest.param(Format.TOSA, marks=pytest.mark.tosa),
    pytest.param(Format.TFLITE, marks=pytest.mark.litert),
    pytest.param(Format.ONNX),
]


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("repeat", REPEATS)
def test_repeats(repeat: str, behind: str, to: Format) -> None:
    graph = Graph(np.random.default_rng(7), {INPUT: SIZES})
    last = BEHIND[behind](graph, REPEATS[repeat](graph, convolution(graph, INPUT)))
    ranges = dict.fromkeys([INPUT, *(step.output for step in graph.steps)], (-3.0, 3.0))
    source = load(Writer(graph, STYLE, ranges).model().SerializeToString())
    x = graph.rng.normal(size=SIZES).astype(np.float32)
    (expected,) = run(source, {source.input_names[0]: x}, engine=EngineName.ONNXRUNTIME).values()
    if to is Format.TOSA:
        (found,) = run(source, {source.input_names[0]: x}, engine=EngineName.TOSA).values()
    else:
        content = convert(source, to).content
        assert content is not None
        written = load(content if isinstance(content, bytes) else content.joined())
        engine = EngineName.LITERT if to is Format.TFLITE else EngineName.ONNXRUNTIME
        (found,) = run(written, {written.input_names[0]: x}, engine=engine).values()
    step = 6.0 / 255
    assert found.shape == expected.shape == graph.shapes[last]
    np.testing.assert_allclose(found, expected, atol=1.01 * step, rtol=0)  # an exact tie, or what it moves
    assert np.count_nonzero(found != expected) <= max(2, found.size // 10)
