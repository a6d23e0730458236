"""ONNX out in QOperator style: operators of integers, beside the same model in QDQ style in onnxruntime."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import checker

from qconvert import Format, convert, load
from qconvert.api import Converted
from qconvert.backends.onnx import OnnxOptions, Style
from tests.support.onnx_cases import Case, Input, Known, Quantization, Quantized, one_op, random, theirs
from tests.support.paths import FIXTURES

IMAGES = np.load(FIXTURES / "digits_test.npz")["image"]
I8, U8 = np.int8, np.uint8
RESULT = Quantization(0.4137, 9, U8)
QDQ = Counter(["DequantizeLinear", "QuantizeLinear"])


def written(source: bytes | Path, style: Style, opset: int = 17) -> Converted:
    return convert(load(source), Format.ONNX, OnnxOptions(opset, style=style))


def kinds(converted: Converted) -> Counter[str]:
    assert converted.content is not None
    return Counter(node.op_type for node in onnx.load_from_string(converted.content).graph.node)


def differences(case: Case, opset: int = 17) -> tuple[Counter[str], NDArray[np.intp]]:
    """The operators in QOperator style, and by how many steps each element differs from the QDQ style's."""
    made = [written(case.model, style, opset) for style in Style]
    contents = [converted.content for converted in made]
    assert contents[1] is not None
    checker.check_model(contents[1])
    (qdq,), (qoperator,) = (theirs(Case(content, case.feeds)) for content in contents if content is not None)
    assert qdq.dtype == qoperator.dtype
    return kinds(made[1]), np.abs(qdq.astype(int) - qoperator.astype(int))


def quantized(*shape: int, dtype: type[np.generic] = U8, seed: int = 0) -> Quantized:
    return Quantized(random(*shape, seed=seed, dtype=dtype), Quantization(0.0513, 100 if dtype is U8 else 5, dtype))


def weights(*shape: int, channels: int | None = None, axis: int = 0, dtype: type[np.generic] = I8) -> Quantized:
    scale: Any = 0.0213 if channels is None else np.linspace(0.01, 0.03, channels).tolist()
    zero_point: Any = 0 if channels is None else [0] * channels
    quantization = Quantization(scale, zero_point, dtype, None if channels is None else axis)
    return Quantized(random(*shape, seed=1, dtype=dtype), quantization, known=True)


def bias(lhs: Quantized, rhs: Quantized, count: int, factor: float = 1.0) -> Quantized:
    """Of int32 with the product of the operands' scales, times a factor."""
    product = np.float32(lhs.quantization.scale) * np.asarray(rhs.quantization.scale, np.float32) * np.float32(factor)
    several = product.ndim > 0
    quantization = Quantization(
        product.tolist() if several else float(product), [0] * count if several else 0, np.int32, 0 if several else None
    )
    return Quantized(np.arange(count) * 500 - 1500, quantization, known=True)


@pytest.mark.parametrize("channels", [None, 8])
@pytest.mark.parametrize("dtype", [U8, I8])
def test_conv(channels: int | None, dtype: type[np.generic]) -> None:
    image, kernel = quantized(1, 4, 9, 9, dtype=dtype), weights(8, 4, 3, 3, channels=channels)
    inputs = [image, kernel, bias(image, kernel, 8)]
    result = Quantization(0.4137, 9, dtype)
    found, steps = differences(one_op("Conv", inputs, result=result, pads=[1, 0, 1, 2], strides=[2, 1], opset=17))
    assert found == {"QLinearConv": 1}
    assert steps.max() == 0


@pytest.mark.parametrize("shape", [(1, 4, 9), (1, 4, 5, 6, 7)])
def test_conv_of_other_ranks(shape: tuple[int, ...]) -> None:
    inputs = [quantized(*shape), weights(8, 4, *(2 for _ in shape[2:]), channels=8)]
    found, steps = differences(one_op("Conv", inputs, result=RESULT, opset=17))
    assert found == {"QLinearConv": 1}
    assert steps.max() == 0


@pytest.mark.parametrize("channels", [None, 7])
def test_gemm(channels: int | None) -> None:
    lhs, rhs = quantized(5, 16), weights(16, 7, channels=channels, axis=1)
    found, steps = differences(one_op("Gemm", [lhs, rhs, bias(lhs, rhs, 7)], result=RESULT, opset=17))
    assert found == {"QGemm": 1}
    assert steps.max() == 0


@pytest.mark.parametrize("channels", [None, 7])
def test_matmul(channels: int | None) -> None:
    inputs = [quantized(2, 5, 16), weights(16, 7, channels=channels, axis=1)]
    found, steps = differences(one_op("MatMul", inputs, result=RESULT, opset=17))
    assert found == {"QLinearMatMul": 1}
    assert steps.max() == 0


def test_matmul_of_activations() -> None:
    inputs = [quantized(2, 5, 16), quantized(2, 16, 7, seed=3)]
    found, steps = differences(one_op("MatMul", inputs, result=RESULT, opset=17))
    assert found == {"QLinearMatMul": 1}
    assert steps.max() == 0


@pytest.mark.parametrize("op", ["Add", "Mul"])
def test_binary(op: str) -> None:
    """The kernels scale by quotients, which may round a near-tie the other way."""
    result = Quantization(0.0713 if op == "Add" else 0.2137, 90, U8)
    found, steps = differences(one_op(op, [quantized(200, 64), quantized(200, 64, seed=2)], result=result, opset=17))
    assert found == {f"QLinear{op}": 1}
    assert steps.max() <= 1
    assert (steps > 0).mean() <= 1e-4


@pytest.mark.parametrize(
    ("op", "result", "attributes"),
    [
        ("Sigmoid", Quantization(1 / 256, 0, U8), {}),
        ("LeakyRelu", Quantization(0.0413, 60, U8), {"alpha": 0.2}),
        ("Softmax", Quantization(1 / 256, 0, U8), {"axis": -1}),
        ("GlobalAveragePool", Quantization(0.0313, 70, U8), {}),
        ("AveragePool", Quantization(0.0313, 70, U8), {"kernel_shape": [3, 2], "pads": [1, 0, 1, 0]}),
    ],
)
def test_unary(op: str, result: Quantization, attributes: dict[str, Any]) -> None:
    found, steps = differences(one_op(op, [quantized(1, 6, 8, 9)], result=result, opset=17, **attributes))
    assert found == {f"QLinear{op}": 1}
    assert steps.max() == 0


def moved(op: str, *more: Input, result: Quantization | None = None, **attributes: Any) -> Counter[str]:
    """The operators of a movement of one quantized tensor, which loses nothing."""
    value = quantized(1, 4, 6, 8)
    case = one_op(op, [value, *more], result=result or value.quantization, opset=17, **attributes)
    found, steps = differences(case)
    assert steps.max() == 0
    return found


def test_what_moves_or_orders_elements_takes_the_integers() -> None:
    assert moved("MaxPool", kernel_shape=[2, 2], pads=[0, 1, 1, 0]) == {"MaxPool": 1}
    assert moved("Reshape", Known(np.asarray([4, 48]))) == {"Reshape": 1}
    assert moved("Transpose", perm=[0, 2, 3, 1])["Transpose"] == 1
    assert moved("Slice", Known([1]), Known([3]), Known([1])) == {"Slice": 1}
    assert not QDQ.keys() & moved("Gather", np.asarray([2, 0, 2]), axis=1).keys()
    assert moved("Pad", Known(np.asarray([0, 1, 0, 0, 0, 0, 2, 1])), Known(np.float32(1.0))) == {"Pad": 1}
    assert not QDQ.keys() & moved("Expand", Known(np.asarray([3, 4, 6, 8]))).keys()
    assert moved("ReduceMax", axes=[1], keepdims=0) == {"ReduceMax": 1}
    assert moved("Concat", quantized(1, 4, 6, 8, seed=4), axis=1) == {"Concat": 1}
    assert moved("Max", quantized(1, 4, 6, 8, seed=4)) == {"Max": 1}
    assert moved("Relu") == {"Clip": 1}
    assert moved("Clip", Known(np.float32(-1.0)), Known(np.float32(2.0))) == {"Clip": 1}
    condition = random(1, 4, 6, 8, dtype=np.bool_)
    sides: list[Input] = [condition, quantized(1, 4, 6, 8), quantized(1, 4, 6, 8, seed=5)]
    found, steps = differences(one_op("Where", sides, result=quantized(1).quantization, opset=17))
    assert (found, steps.max()) == ({"Where": 1}, 0)


def test_other_scales() -> None:
    other = Quantization(0.0313, 70, U8)
    assert moved("Concat", quantized(1, 4, 6, 8, seed=4), axis=1, result=other) == {"QLinearConcat": 1}
    assert not QDQ - moved("MaxPool", kernel_shape=[2, 2], result=other)
    sides: list[Input] = [random(1, 4, 6, 8, dtype=np.bool_), quantized(1, 4, 6, 8), quantized(1, 4, 6, 8, seed=5)]
    found, steps = differences(one_op("Where", sides, result=other, opset=17))
    assert (found, steps.max()) == ({"QLinearWhere": 1}, 0)


def stays(case: Case, opset: int = 17) -> str:
    """Why the one operator of a model stays between DequantizeLinear and QuantizeLinear, where it computes the same."""
    found, steps = differences(case, opset)
    assert not QDQ - found
    assert steps.max() == 0
    (refusal,) = written(case.model, Style.QOPERATOR, opset).refusals
    assert refusal.node == "op"
    return refusal.reason


def conv(*inputs: Input, result: Quantization = RESULT, opset: int = 17) -> Case:
    return one_op("Conv", inputs, result=result, opset=opset)


def test_what_no_operator_of_integers_says() -> None:
    image, kernel = quantized(1, 4, 5, 5), weights(8, 4, 1, 1)
    assert stays(one_op("Elu", [image], result=RESULT, opset=17)) == "there is no integer operator for it"
    assert stays(one_op("Add", [image, Known(np.ones((1, 4, 1, 1), np.float32))], result=RESULT, opset=17)) == (
        "an operand is not quantized in 8 bits"
    )
    assert stays(conv(image, kernel, result=Quantization(0.0013, 9, np.uint16), opset=21), 21) == (
        "its result is not quantized in 8 bits with one scale"
    )
    assert stays(conv(image, kernel, result=Quantization(0.4137, 9, I8))) == (
        "no integer operator multiplies uint8 by int8 and returns int8"
    )
    signed = quantized(1, 4, 5, 5, dtype=I8)
    assert (
        stays(one_op("Add", [signed, image], result=RESULT, opset=17))
        == "its operands and its result have different signedness"
    )
    softmax = one_op("Softmax", [image], result=Quantization(1 / 255, 0, U8), opset=17)
    assert stays(softmax) == "QLinearSoftmax is exact for scales of 1 / n up to 1 / 256, not for 1 / 254.999985"


def test_what_qlinearconv_does_not_say() -> None:
    image, kernel = quantized(1, 4, 5, 5), weights(8, 4, 1, 1)
    several = Quantization([0.02] * 8, list(range(8)), I8, 0)
    assert stays(conv(image, Quantized(kernel.array, several, known=True))) == "weights have several zero points"
    inputs = Quantized(kernel.array, Quantization([0.02, 0.01, 0.03, 0.02], [0] * 4, I8, 1), known=True)
    assert stays(conv(image, inputs)) == "weights have scales along dimension 1"
    assert stays(conv(image, kernel, Known(np.linspace(-1, 1, 8).astype(np.float32)), result=Quantization(0.01, 9, U8)))
    deep = Quantized(np.full((1, 70000, 1), 127), Quantization(0.02, 0, I8), known=True)
    assert stays(conv(quantized(1, 70000, 1), deep)) == "its sums may need more than 32 bits"


def test_a_bias_of_another_scale_moves_where_nothing_is_lost() -> None:
    image, kernel = quantized(1, 4, 5, 5), weights(8, 4, 1, 1)
    found, steps = differences(conv(image, kernel, bias(image, kernel, 8, factor=4)))
    assert found == {"QLinearConv": 1}
    assert steps.max() == 0
    reason = stays(conv(image, kernel, bias(image, kernel, 8, factor=1.3701), result=Quantization(0.0137, 9, U8)))
    assert reason == "the scale of its bias is not the product of the operands' scales"


def text_of(body: str, signature: str) -> bytes:
    return f"func.func @main{signature} {{\n{body}\n}}".encode()


@pytest.mark.parametrize("name", ["digits_cnn_int8", "digits_cnn_pow2", "digits_cnn_uint8", "digits_mlp_int8"])
@pytest.mark.quick(2)
def test_a_network_is_integers_between_its_edges(name: str) -> None:
    source = FIXTURES / f"{name}.onnx"
    converted = written(source, Style.QOPERATOR)
    found = kinds(converted)
    assert not converted.refusals
    assert found["QuantizeLinear"] == found["DequantizeLinear"] == 1
    assert set(found) <= {
        "Clip", "DequantizeLinear", "MaxPool", "QGemm", "QLinearAdd", "QLinearAveragePool", "QLinearConv",
        "Identity", "QLinearGlobalAveragePool", "QLinearMatMul", "QuantizeLinear", "Reshape",
    }  # fmt: skip
    assert converted.content is not None
    for image in IMAGES[:12]:
        given = {onnx.load(source).graph.input[0].name: image[None].astype(np.float32)}
        (ours,), (expected,) = (theirs(Case(data, given)) for data in (converted.content, source.read_bytes()))
        assert ours.argmax() == expected.argmax()


def test_a_network_with_quantized_edges_is_integers_alone() -> None:
    options = OnnxOptions(17, quantized_io=True, style=Style.QOPERATOR)
    found = kinds(convert(load(FIXTURES / "digits_cnn_uint8.onnx"), Format.ONNX, options))
    assert found["QLinearConv"] > 1
    assert not QDQ.keys() & found.keys()


def test_names_of_nodes_and_tensors_are_kept() -> None:
    source = FIXTURES / "digits_cnn_int8.onnx"
    made = written(source, Style.QOPERATOR).content
    assert made is not None
    graph, original = onnx.load_from_string(made).graph, onnx.load(source).graph
    quantized_tensors = {name for node in original.node if node.op_type == "QuantizeLinear" for name in node.output}
    assert quantized_tensors <= {name for node in graph.node for name in node.output}
    contractions = {node.name for node in original.node if node.op_type in ("Conv", "Gemm")}
    assert contractions <= {node.name for node in graph.node if node.op_type.startswith("Q")}


def test_a_product_of_higher_rank_with_a_bias() -> None:
    """StableHLO's accumulator and bias of three dimensions: rows of one matrix."""
    u, acc = "!quant.uniform<i8:f32, 0.05:-28>", "!quant.uniform<i32:f32, 0.001>"
    w, y = "!quant.uniform<i8:f32, 0.02>", "!quant.uniform<i8:f32, 0.0413:-8>"
    x, k, made = f"tensor<2x5x16x{u}>", f"tensor<16x7x{w}>", f"tensor<2x5x7x{acc}>"
    rows = random(16, 7, seed=1, dtype=I8).tolist()
    body = f"""  %w = stablehlo.constant() <{{value = dense<{rows}> : tensor<16x7xi8>}}> : () -> {k}
  %b = stablehlo.constant() <{{value = dense<700> : tensor<7xi32>}}> : () -> tensor<7x{acc}>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [2] x [0] : ({x}, {k}) -> {made}
  %2 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<7x{acc}>) -> {made}
  %3 = stablehlo.add %1, %2 : {made}
  %4 = stablehlo.uniform_quantize %3 : ({made}) -> tensor<2x5x7x{y}>
  func.return %4 : tensor<2x5x7x{y}>""".replace("stablehlo.constant()", '"stablehlo.constant"()')
    text = text_of(body, f"(%0: {x}) -> tensor<2x5x7x{y}>")
    case = Case(text, {"arg0": random(2, 5, 16, dtype=I8)})
    found, steps = differences(case)
    assert found == {"Reshape": 2, "QGemm": 1}
    assert steps.max() == 0
