"""Operators that repeat elements, in front of and behind a convolution, whose layout changes there.

Every element of the result must be there: a writer may keep size 1 where elements repeat, until an operator needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import tflite

from qconvert import Format, convert, load
from qconvert.api.running import run
from qconvert.backends.onnx import OnnxOptions
from qconvert.engines.base import EngineName
from qconvert.interpreter import evaluate
from tests.support.onnx_cases import default_session
from tests.support.qdq_networks import INPUT, Graph, Raw, Style, Weight, Writer
from tests.support.tflite_cases import Graph as TfliteGraph
from tests.support.tflite_cases import Node, Tensor, constant, write

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


def tile(graph: Graph, x: str, *times: int) -> str:
    repeats = times or (1, 2, 3, 1)
    sizes = tuple(count * size for count, size in zip(repeats, graph.shapes[x], strict=True))
    return graph.add("Tile", [x, _integers(*repeats)], sizes, keeps=True)


def tile_of_all(graph: Graph, x: str) -> str:
    """Beyond one batch, the dimensions in between are more than TOSA's six."""
    return tile(graph, tile(graph, x, 2, 1, 1, 2), 2, 2, 3, 2)


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


REPEATS: dict[str, Grow] = {
    "resize": resize,
    "tile": tile,
    "tile of all": tile_of_all,
    "expand": expand,
    "gather": gather,
}
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
    check(graph, BEHIND[behind](graph, REPEATS[repeat](graph, convolution(graph, INPUT))), to)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize(
    "times", [(1, 2, 2, 2), (2, 2, 1, 2, 2), (2, 2, 2, 2, 2), (2, 1, 1, 1, 1, 2), (2, 2, 2, 1, 2, 2)]
)
def test_tiles_of_many_dimensions(times: tuple[int, ...], to: Format) -> None:
    graph = Graph(np.random.default_rng(7), {INPUT: (2, 3, 2, 1, 2, 2)[: len(times)]})
    check(graph, tile(graph, graph.add("Relu", [INPUT], graph.shapes[INPUT]), *times), to)


def check(graph: Graph, last: str, to: Format) -> None:
    """Compare with the source in onnxruntime."""
    sizes = graph.shapes[INPUT]
    ranges = dict.fromkeys([INPUT, *(step.output for step in graph.steps)], (-3.0, 3.0))
    source = load(Writer(graph, STYLE, ranges).model().SerializeToString())
    x = graph.rng.normal(size=sizes).astype(np.float32)
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
    first = (found != expected)[:1]  # a tile repeats batches
    assert np.count_nonzero(first) <= max(2, first.size // 10)


@pytest.mark.parametrize("repeat", REPEATS)
def test_repeats_of_reals_load_with_default_options(repeat: str) -> None:
    """The optimiser of onnxruntime adds QuantizeLinear behind some operators that move what DequantizeLinear gives."""
    graph = Graph(np.random.default_rng(7), {INPUT: SIZES})
    repeated = REPEATS[repeat](graph, convolution(graph, INPUT))
    graph.steps[1:] = [replace(step, is_quantized=False) for step in graph.steps[1:]]
    last = convolution(graph, repeated)
    ranges = dict.fromkeys([INPUT, *(step.output for step in graph.steps)], (-3.0, 3.0))
    content = convert(load(Writer(graph, STYLE, ranges).model().SerializeToString()), Format.ONNX).content
    assert content is not None
    session = default_session(content)
    (found,) = session.run(None, {session.get_inputs()[0].name: graph.rng.normal(size=SIZES).astype(np.float32)})
    assert found.shape == graph.shapes[last]


WIDE = (1, 4, 3, 5)
PAIRS = [((1, 4, 1, 1), (1, 4, 1, 5)), ((1, 4, 1, 5), (1, 1, 1, 5)), ((1, 1, 1, 1), (1, 4, 1, 1)), ((1, 1, 3, 1), WIDE)]
"""Shapes of operands that are broadcast to ``WIDE``: all of them but the last have size 1 in a dimension of it."""

BINARY = ("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE")
IMAGE = (1, 3, 5, 4)
WINDOW = {"StrideH": 1, "StrideW": 1, "Padding": tflite.Padding.SAME}
LAYERS = ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D", "FULLY_CONNECTED")


def _layer(op: str, kind: str, point: int) -> tuple[dict[str, Tensor], Node]:
    """The tensors and the operator of a layer of 'image', which gives 'out'."""
    scale = 0.5 if op == "FULLY_CONNECTED" else 0.1
    made = {"out": Tensor((15, 4) if op == "FULLY_CONNECTED" else IMAGE, scale, kind=kind)}
    if "POOL" in op:
        made["out"] = Tensor(IMAGE, 0.05, point, kind)
        return made, Node(op, ["image"], ["out"], "Pool2DOptions", {**WINDOW, "FilterHeight": 3, "FilterWidth": 3})
    shapes = {"CONV_2D": (4, 2, 2, 4), "DEPTHWISE_CONV_2D": (1, 2, 2, 4), "FULLY_CONNECTED": (4, 4)}
    weights = np.random.default_rng(3).integers(-127, 128, shapes[op])
    made["weights"] = constant(weights, "INT8", 0.01)
    made["bias"] = constant([300, -200, 100, 0], "INT64" if kind == "INT16" else "INT32", 0.05 * 0.01)
    fields = {} if op == "FULLY_CONNECTED" else {**WINDOW, "DilationHFactor": 1, "DilationWFactor": 1}
    fields |= {"DepthMultiplier": 1} if op == "DEPTHWISE_CONV_2D" else {}
    options = {"CONV_2D": "Conv2DOptions", "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions"}
    options_of = options.get(op, "FullyConnectedOptions")
    return made, Node(op, ["image", "weights", "bias"], ["out"], options_of, fields)


def _broadcast_network(binary: str, pair: int, layer: str, kind: str) -> bytes:
    """Two inputs that are broadcast and combined, a transpose, and a layer of images or rows."""
    point = 0 if kind == "INT16" else 5
    tensors = {f"in{i}": Tensor(sizes, 0.05, point, kind) for i, sizes in enumerate(PAIRS[pair])}
    tensors |= {f"wide{i}": Tensor(WIDE, 0.05, point, kind) for i in range(2)}
    tensors["made"], tensors["image"] = Tensor(WIDE, 0.05, point, kind), Tensor(IMAGE, 0.05, point, kind)
    tensors["order"], tensors["shape"] = constant([0, 2, 3, 1]), constant(WIDE)
    nodes = [Node("BROADCAST_TO", [f"in{i}", "shape"], [f"wide{i}"], "BroadcastToOptions") for i in range(2)]
    options = "MaximumMinimumOptions" if "IMUM" in binary else f"{binary.title().replace('_', '')}Options"
    nodes.append(Node(binary, ["wide0", "wide1"], ["made"], options))
    nodes.append(Node("TRANSPOSE", ["made", "order"], ["image"], "TransposeOptions"))
    made, last = _layer(layer, kind, point)
    return write(TfliteGraph({**tensors, **made}, [*nodes, last], ["in0", "in1"], ["out"]))


LAST = ("CONV_2D", "INT8")
TOGETHER = [(binary, pair, *LAST) for binary in BINARY for pair in range(len(PAIRS))]
TOGETHER += [("ADD", 0, layer, kind) for kind in ("INT8", "INT16") for layer in LAYERS if (layer, kind) != LAST]


@pytest.mark.slow
@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize(("binary", "pair", "layer", "kind"), TOGETHER)
def test_operands_that_broadcast_together_to_less_than_the_result(
    binary: str, pair: int, layer: str, kind: str, to: Format
) -> None:
    model = load(_broadcast_network(binary, pair, layer, kind))
    dtype = np.dtype(kind.lower())
    rng, limits = np.random.default_rng(5), np.iinfo(dtype)
    sample = {
        name: rng.integers(limits.min, limits.max + 1, sizes).astype(dtype)
        for name, sizes in zip(model.input_names, PAIRS[pair], strict=True)
    }
    (expected,) = evaluate(model.module.clone(), list(sample.values()))
    if to is Format.TOSA:
        (found,) = run(model, sample, engine=EngineName.TOSA).values()
    else:
        options = OnnxOptions(exact_rounding=True) if to is Format.ONNX else None
        content = convert(model, to, options).content
        assert content is not None
        written = load(content if isinstance(content, bytes) else content.joined())
        engine = EngineName.LITERT if to is Format.TFLITE else EngineName.ONNXRUNTIME
        (found,) = run(written, sample, engine=engine).values()
    np.testing.assert_array_equal(found, expected)


SCALARS = {
    "f32": ("0xFF800000", "0.5", "(tensor<f32>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>"),
    "i64": ("-1", "2", "(tensor<i64>, tensor<4x3xi64>, tensor<i64>) -> tensor<4x3xi64>"),
}


@pytest.mark.parametrize("kind", SCALARS)
def test_a_scalar_has_not_the_elements_of_the_operand_beside_it(kind: str) -> None:
    low, high, types = SCALARS[kind]
    text = f"""func.func @main(%x: tensor<4x1x{kind}>) -> tensor<4x3x{kind}> {{
  %low = stablehlo.constant dense<{low}> : tensor<{kind}>
  %high = stablehlo.constant dense<{high}> : tensor<{kind}>
  %wide = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<4x1x{kind}>) -> tensor<4x3x{kind}>
  %y = stablehlo.clamp %low, %wide, %high : {types}
  func.return %y : tensor<4x3x{kind}>
}}"""
    model = load(text.encode())
    x = np.asarray([[-4], [0], [1], [4]], {"f32": np.float32, "i64": np.int64}[kind])
    content = convert(model, Format.ONNX).content
    assert content is not None
    written = load(content)
    (found,) = run(written, {written.input_names[0]: x}, engine=EngineName.ONNXRUNTIME).values()
    np.testing.assert_array_equal(found, evaluate(model.module.clone(), [x])[0])
