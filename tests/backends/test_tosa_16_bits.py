"""16-bit activations in TOSA: functions of one value over all 65,536 operands, unsigned storage of any zero point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert import convert, load, run
from qconvert.backends.tosa.options import TosaOptions
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.validation import Settings, validate
from tests.cases.elementwise import CASES


class Graph:
    """An ONNX graph whose values are quantized to 16 bits."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, array: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def quantized(self, value: str, scale: float, zero_point: int, result: str = "") -> str:
        parameters = [
            self.constant(f"{value}_scale", np.float32(scale)),
            self.constant(f"{value}_zero", self.dtype(zero_point)),
        ]
        held = self.node("QuantizeLinear", [value, *parameters], f"{value}_q")
        return self.node("DequantizeLinear", [held, *parameters], result or f"{value}_d")

    def model(self, shape: list[int], result: list[int]) -> bytes:
        ports = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, s)] for n, s in (("x", shape), ("y", result))]
        graph = helper.make_graph(self.nodes, "graph", *ports, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        onnx.checker.check_model(model)
        return model.SerializeToString()


SCALES = {"Erf": 1 / 32768, "Tanh": 1 / 32768}


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("dtype", "zero_points"), [(np.int16, (0, 0)), (np.uint16, (30000, 32768))], ids=["i16", "u16"]
)
@pytest.mark.parametrize("scale", [1 / 8192, 16 / 65536])
@pytest.mark.parametrize(("op", "fields"), [("Erf", {}), ("Tanh", {}), ("LeakyRelu", {"alpha": 0.3})])
@pytest.mark.row("U19")
def test_a_function_of_every_operand(
    op: str, fields: dict[str, float], scale: float, dtype: Any, zero_points: tuple[int, int]
) -> None:
    """Within 1 LSB on all, and equal on 99%; an interpolated table had Erf equal on 75%."""
    graph, step = Graph(dtype), SCALES.get(op, scale * 0.97)
    made = graph.node(op, [graph.quantized("x", scale, zero_points[0])], "f", **fields)
    graph.quantized(made, step, zero_points[1], "y")
    model = load(graph.model([1 << 16], [1 << 16]))
    every = np.arange(1 << 16) + np.iinfo(dtype).min - zero_points[0]
    x = (every * np.float32(scale)).astype(np.float32)
    [expected] = run(model, {"x": x}).values()
    [found] = run(load(convert(model, Format.TOSA).text.encode()), {"x": x}).values()
    apart = np.abs(np.rint((np.asarray(found) - np.asarray(expected)) / step))
    assert apart.max() <= 1
    assert (apart == 0).mean() >= 0.99


@pytest.mark.parametrize(
    ("name", "form"),
    [("LOG INT16", "tosa.table"), ("EXP INT16", "tosa.table"), ("LOG INT16 steep", "tosa.gather")],
)
@pytest.mark.row("U19")
def test_interpolated_functions(name: str, form: str) -> None:
    """LiteRT's functions become a TABLE that is equal up to the last operand, or a list if a step is too steep."""
    model = load(CASES[name].model())
    x = np.arange(-(1 << 15), 1 << 15).astype(np.int16).reshape(CASES[name].inputs[0].shape)
    text = convert(model, Format.TOSA).text
    assert form in text
    [expected], [found] = run(model, {"in0": x}).values(), run(load(text.encode()), {"in0": x}).values()
    assert np.array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.tosa
@pytest.mark.parametrize("op", ["Sum", "Mul"])
def test_a_multiple_of_every_operand(op: str) -> None:
    """No integer differs: in a TABLE, whose last entry would need a 17th bit, the largest operands were 1 LSB off."""
    graph, step, others = Graph(np.int16), 1.3e-5, 2
    value = graph.quantized("x", step, 0)
    inputs = [value] * 3 if op == "Sum" else [value, graph.constant("c", np.float32(2.7))]
    graph.quantized(graph.node(op, inputs, "f"), step * (3 if op == "Sum" else 2.7), 0, "y")
    model = load(graph.model([1 << 15, others], [1 << 15, others]))
    x = (np.arange(-(1 << 15), 1 << 15) * np.float32(step)).astype(np.float32).reshape(1 << 15, others)
    [expected], [found] = run(model, {"x": x}).values(), run(model, {"x": x}, engine=EngineName.TOSA).values()
    assert np.array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.tosa
def test_a_far_finer_result() -> None:
    """A result that is almost always the largest integer: what the RESCALE reads stays within what TOSA defines."""
    graph = Graph(np.int16)
    made = graph.node("Relu", [graph.quantized("x", 1e-4, 0)], "f")
    graph.quantized(made, 3e-9, 0, "y")
    model = load(graph.model([1 << 15], [1 << 15]))
    x = (np.arange(-(1 << 14), 1 << 14) * np.float32(2e-4)).astype(np.float32)
    [expected], [found] = run(model, {"x": x}).values(), run(model, {"x": x}, engine=EngineName.TOSA).values()
    assert np.array_equal(np.asarray(found), np.asarray(expected))


def unsigned(zero_points: tuple[int, int, int]) -> bytes:
    """A matrix product, an addition, a product, ReLU and a sigmoid, with three zero points in turn."""
    first, second, third = zero_points
    graph, rng = Graph(np.uint16), np.random.default_rng(0)
    weights = graph.constant("w", rng.integers(-127, 128, (4, 3)).astype(np.int8))
    dequantized = graph.node("DequantizeLinear", [weights, graph.constant("ws", np.float32(0.01))], "wd")
    product = graph.node("MatMul", [graph.quantized("x", 0.001, first), dequantized], "matmul")
    total = graph.quantized(product, 0.002, second)
    twice = graph.quantized(graph.node("Add", [total, total], "add"), 0.003, third)
    square = graph.quantized(graph.node("Mul", [twice, total], "mul"), 0.05, second)
    bounded = graph.quantized(graph.node("Relu", [square], "relu"), 0.04, first)
    graph.quantized(graph.node("Sigmoid", [bounded], "sigmoid"), 1 / 65536, 0, "y")
    return graph.model([2, 4], [2, 3])


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("zero_points", "quantized_io"),
    [((0, 30000, 65535), False), ((65535, 0, 32768), True), ((32768, 32768, 32768), True), ((1, 2, 3), False)],
)
@pytest.mark.parametrize("engine", [EngineName.REFERENCE, pytest.param(EngineName.TOSA, marks=pytest.mark.tosa)])
@pytest.mark.row("U18")
@pytest.mark.slow
def test_unsigned_activations(
    tmp_path: Path, zero_points: tuple[int, int, int], quantized_io: bool, engine: EngineName
) -> None:
    """The module is valid, also for Arm's strict validator, and gives onnxruntime's integers but for its float32."""
    path = tmp_path / "model.onnx"
    path.write_bytes(unsigned(zero_points))
    options = TosaOptions(quantized_io=quantized_io)
    report = validate(path, settings=Settings(to=Format.TOSA, engine=engine, options=options))
    assert report.passed, report.failures


def _grouped(weights: Any, zero_point: int) -> bytes:
    """A convolution of 16-bit activations in two groups of several features, with weights of a width."""
    graph, rng = Graph(np.int16 if zero_point == 0 else np.uint16), np.random.default_rng(5)
    data = graph.quantized("x", 4e-4, zero_point)
    limits = np.iinfo(weights)
    held = graph.constant("w", rng.integers(limits.min, limits.max + 1, (4, 3, 3)).astype(weights))
    parameters = [
        graph.constant("w_scale", np.float32(0.01 / limits.max)),
        graph.constant("w_zero", weights((int(limits.max) + int(limits.min) + 1) // 2)),
    ]
    weight = graph.node("DequantizeLinear", [held, *parameters], "w_d")
    graph.quantized(graph.node("Conv", [data, weight], "layer", group=2), 2e-2, zero_point, "y")
    return graph.model([1, 6, 8], [1, 4, 6])


@pytest.mark.tosa
@pytest.mark.parametrize("zero_point", [0, 31000])
def test_groups_of_a_16_bit_convolution_are_concatenated_in_32_bits(zero_point: int, tmp_path: Path) -> None:
    """CONCAT takes no integers of 48 bits."""
    path = tmp_path / "model.onnx"
    path.write_bytes(_grouped(np.int8, zero_point))
    report = validate(path, settings=Settings(to=Format.TOSA, engine=EngineName.TOSA, samples=2))
    assert report.passed


@pytest.mark.parametrize("slope", [-1.7579848, 0.3, 1.9])
@pytest.mark.parametrize("zero_point", [65535, 30001])
def test_zero_and_both_ends_are_exact(slope: float, zero_point: int) -> None:
    """Values saturate to the ends, and activations are often 0: a TABLE that is 1 LSB off there is off everywhere."""
    graph = Graph(np.uint16)
    made = graph.node(
        "PRelu", [graph.quantized("x", 6.7901645e-5, zero_point), graph.constant("a", np.float32([slope]))], "f"
    )
    graph.quantized(made, 1.1937e-4, 0 if slope < 0 else 40000, "y")
    model = load(graph.model([3], [3]))
    ends = (np.asarray([0, zero_point, 65535]) - zero_point) * np.float32(6.7901645e-5)
    sample = {"x": ends.astype(np.float32)}
    written = load(convert(model, Format.TOSA).text.encode())
    [[found], [expected]] = (run(each, sample, engine=EngineName.REFERENCE).values() for each in (written, model))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.tosa
def test_sums_beyond_32_bits_saturate_the_result() -> None:
    """RESCALE from 48 bits does not saturate: the reference model stops."""
    lhs, rhs, result = (
        "tensor<1x8x!quant.uniform<i16:f32, 4.7e-5>>",
        "tensor<8x3x!quant.uniform<i16:f32, 2.4e-5>>",
        "tensor<1x3x!quant.uniform<i16:f32, 6.1e-5>>",
    )
    text = f"""func.func @main(%a: {lhs}) -> {result} {{
  %w = stablehlo.constant() <{{value = dense<31000> : tensor<8x3xi16>}}> : () -> {rhs}
  %r = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : ({lhs}, {rhs}) -> {result}
  return %r : {result}
}}"""
    written = load(convert(load(text.encode()), Format.TOSA).text.encode())
    for integer, expected in (
        (32000, 32767),
        (-32000, -32768),
        (100, round(8 * 100 * 31000 * 4.7e-5 * 2.4e-5 / 6.1e-5)),
    ):
        sample = {"arg0": np.full((1, 8), integer, np.int16)}
        [found] = run(written, sample, engine=EngineName.TOSA).values()
        np.testing.assert_array_equal(found, np.full((1, 3), expected))
