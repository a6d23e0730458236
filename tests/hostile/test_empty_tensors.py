"""Tensors without elements: every operator is right in every format or refused by node, never another exception."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from qconvert import Format, api
from qconvert.api.running import run
from qconvert.backends.base import Profile
from qconvert.backends.tosa import TosaOptions
from qconvert.support.errors import ConversionError
from tests.support.read_back import read_back


class Case(NamedTuple):
    """An operator on quantized inputs of these shapes, quantized weights, plain constants, and attributes."""

    operator: str
    inputs: Sequence[tuple[int, ...]]
    result: tuple[int, ...]
    weights: Sequence[tuple[int, ...]] = ()
    constants: Sequence[Sequence[int]] = ()
    attributes: Mapping[str, object] = {}


IMAGE, ROW = (0, 3, 4, 4), (0, 3)
HALVED = {"kernel_shape": [2, 2], "strides": [2, 2]}
CASES = {
    "relu": Case("Relu", [ROW], ROW),
    "sigmoid": Case("Sigmoid", [ROW], ROW),
    "softmax": Case("Softmax", [ROW], ROW),
    "gelu": Case("Gelu", [ROW], ROW),
    "sum": Case("Add", [ROW, ROW], ROW),
    "sum with a row": Case("Add", [ROW, (1, 3)], ROW),
    "product": Case("Mul", [ROW, ROW], ROW),
    "quotient": Case("Div", [ROW, ROW], ROW),
    "concatenation": Case("Concat", [ROW, ROW], (0, 6), attributes={"axis": 1}),
    "concatenation with elements": Case("Concat", [ROW, (2, 3)], (2, 3), attributes={"axis": 0}),
    "convolution": Case("Conv", [IMAGE], IMAGE, [(3, 3, 1, 1)]),
    "transposed convolution": Case(
        "ConvTranspose", [IMAGE], (0, 2, 8, 8), [(3, 2, 2, 2)], attributes={"strides": [2, 2]}
    ),
    "matrix product": Case("MatMul", [ROW], (0, 2), [(3, 2)]),
    "matrix product of nothing": Case("MatMul", [(2, 0), (0, 4)], (2, 4)),
    "linear": Case("Gemm", [ROW], (0, 2), [(3, 2)]),
    "largest in windows": Case("MaxPool", [IMAGE], (0, 3, 2, 2), attributes=HALVED),
    "averages in windows": Case("AveragePool", [IMAGE], (0, 3, 2, 2), attributes=HALVED),
    "averages": Case("GlobalAveragePool", [IMAGE], (0, 3, 1, 1)),
    "mean": Case("ReduceMean", [(0, 3, 4)], (0, 3, 1), constants=[[2]]),
    "sum of nothing": Case("ReduceSum", [(0, 3, 4)], (1, 3, 4), constants=[[0]]),
    "normalization": Case("InstanceNormalization", [IMAGE], IMAGE, [(3,), (3,)]),
    "layer normalization": Case("LayerNormalization", [ROW], ROW, [(3,)]),
    "batch normalization": Case("BatchNormalization", [IMAGE], IMAGE, [(3,), (3,), (3,), (3,)]),
    "transpose": Case("Transpose", [IMAGE], (0, 4, 4, 3), attributes={"perm": [0, 2, 3, 1]}),
    "slice of nothing": Case("Slice", [(3, 4)], (0, 4), constants=[[1], [1], [0]]),
    "padding": Case("Pad", [ROW], (2, 3), constants=[[1, 0, 1, 0]]),
    "repetition": Case("Tile", [(1, 4)], (0, 4), constants=[[0, 1]]),
    "gather": Case("Gather", [(0, 4)], (0, 2), constants=[[1, 3]], attributes={"axis": 1}),
    "images of blocks": Case("DepthToSpace", [(0, 4, 2, 2)], (0, 1, 4, 4), attributes={"blocksize": 2}),
}


def written(case: Case) -> bytes:
    """Return a case as an ONNX model, each value behind a pair of QuantizeLinear and DequantizeLinear."""
    port = helper.make_tensor_value_info
    constants = [numpy_helper.from_array(np.float32(0.25), "s"), numpy_helper.from_array(np.int8(0), "z")]
    nodes: list[NodeProto] = []
    for i in range(len(case.inputs)):
        nodes += pair(f"x{i}", f"d{i}")
    for i, sizes in enumerate(case.weights):
        constants.append(numpy_helper.from_array(np.full(sizes, 4, np.int8), f"w{i}"))
        nodes.append(helper.make_node("DequantizeLinear", [f"w{i}", "s", "z"], [f"v{i}"], name=f"v{i}"))
    constants += [numpy_helper.from_array(np.array(each, np.int64), f"c{i}") for i, each in enumerate(case.constants)]
    operands = [
        f"{name}{i}"
        for name, given in (("d", case.inputs), ("v", case.weights), ("c", case.constants))
        for i in range(len(given))
    ]
    nodes += [helper.make_node(case.operator, operands, ["r"], name="node", **case.attributes), *pair("r", "y")]
    inputs = [port(f"x{i}", TensorProto.FLOAT, sizes) for i, sizes in enumerate(case.inputs)]
    graph = helper.make_graph(nodes, "empty", inputs, [port("y", TensorProto.FLOAT, case.result)], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return made.SerializeToString()


def pair(source: str, result: str) -> list[NodeProto]:
    """Return a quantizer and a dequantizer."""
    middle = f"q_{source}"
    return [
        helper.make_node("QuantizeLinear", [source, "s", "z"], [middle], name=middle),
        helper.make_node("DequantizeLinear", [middle, "s", "z"], [result], name=result),
    ]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_operator_is_right_or_refused(case: Case) -> None:
    model = api.load(written(case))
    feeds = {f"x{i}": np.ones(sizes, np.float32) for i, sizes in enumerate(case.inputs)}
    expected = run(model, feeds)["y"]
    assert expected.shape == case.result
    node: str | None = None
    for to in Format:
        try:
            found = run(read_back(api.convert(model, to), model), feeds)
        except ConversionError as error:
            found, node = None, error.node
        assert node if found is None else [array.tolist() for array in found.values()] == [expected.tolist()], to


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("to", [Format.TOSA, Format.TFLITE])
def test_a_format_without_empty_tensors_refuses_them(case: Case, to: Format) -> None:
    with pytest.raises(ConversionError, match=r"needs tensors with elements, found tensor<(.*x)?0x"):
        api.convert(api.load(written(case)), to)


def test_the_profile_of_integers_refuses_them_first() -> None:
    with pytest.raises(ConversionError, match="TOSA needs tensors with elements"):
        api.convert(api.load(written(CASES["normalization"])), Format.TOSA, TosaOptions(profile=Profile.INT))


def test_an_op_on_nothing_that_no_result_needs_is_left_out() -> None:
    dead = "%0 = stablehlo.slice %a [0:0] : (tensor<2xf32>) -> tensor<0xf32>"
    body = f"{dead} %1 = stablehlo.negate %a : tensor<2xf32> return %1 : tensor<2xf32>"
    model = api.load(f"func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{ {body} }}".encode())
    for to in (Format.TOSA, Format.TFLITE):
        assert run(read_back(api.convert(model, to), model), {"arg0": np.ones(2, np.float32)})


def test_a_broadcast_without_elements_is_refused_in_tosa() -> None:
    made = "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<0xf32>) -> tensor<3x0xf32>"
    body = f"{made} return %0 : tensor<3x0xf32>"
    text = f"func.func @main(%a: tensor<0xf32>) -> tensor<3x0xf32> {{ {body} }}"
    with pytest.raises(ConversionError, match="TOSA needs tensors with elements"):
        api.convert(api.load(text.encode()), Format.TOSA)
