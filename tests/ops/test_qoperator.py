"""QOperator against onnxruntime: its integer kernels, which the IR has as dequantize, float op, quantize."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from qconvert import Format, convert, load
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Array, Case, Input, Known, imported, one_op, ours, random, theirs

MICROSOFT = "com.microsoft"
I8, U8 = np.int8, np.uint8
SIGNS = [(U8, U8), (U8, I8), (I8, I8)]


def port(scale: Any, zero_point: Any, dtype: type[np.generic]) -> list[Input]:
    """A scale and a zero point."""
    return [Known(np.asarray(scale, np.float32)), Known(np.asarray(zero_point, dtype))]


def activations(*shape: int, dtype: type[np.generic], seed: int = 0) -> list[Input]:
    return [random(*shape, seed=seed, dtype=dtype), *port(0.05, 3, dtype)]


def weights(*shape: int, dtype: type[np.generic], channels: int | None = None) -> list[Input]:
    """With a scale for each of some channels, or with one."""
    scale = 0.02 if channels is None else np.linspace(0.01, 0.03, channels)
    zero_point = 120 if dtype is U8 else 0
    return [Known(random(*shape, seed=1, dtype=dtype)), *port(scale, np.full(np.shape(scale), zero_point), dtype)]


def fused(case: Case) -> list[Array]:
    """What the quantized ops give that the operator becomes."""
    return [np.asarray(array) for array in evaluate(convert(load(case.model)).fused, list(case.feeds.values()))]


def assert_within(case: Case, *, different: float = 0.0) -> None:
    """At most one step from onnxruntime's integers, in a small share of elements."""
    expected = theirs(case)
    for found in (ours(case), fused(case)):
        for mine, wanted in zip(found, expected, strict=True):
            assert (mine.shape, mine.dtype) == (wanted.shape, wanted.dtype)
            distance = np.abs(mine.astype(int) - wanted.astype(int))
            assert distance.max(initial=0) <= 1
            assert (distance > 0).mean() <= different


@pytest.mark.parametrize(("lhs", "rhs", "channels"), [*((*signs, None) for signs in SIGNS), (U8, I8, 8), (I8, I8, 8)])
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.quick(5)
def test_conv(lhs: type[np.generic], rhs: type[np.generic], channels: int | None, with_bias: bool) -> None:
    """Of weights with a scale for each channel the kernel takes signed ones only."""
    inputs = [*activations(1, 4, 9, 9, dtype=lhs), *weights(8, 4, 3, 3, dtype=rhs, channels=channels)]
    bias = [Known(np.arange(8, dtype=np.int32) * 500 - 2000)] if with_bias else []
    case = one_op("QLinearConv", [*inputs, *port(0.8137, 5, lhs), *bias], pads=[1, 0, 1, 2], strides=[2, 1])
    assert_within(case)


def test_conv_of_groups() -> None:
    inputs = [*activations(1, 6, 8, 8, dtype=U8), *weights(6, 1, 3, 3, dtype=I8, channels=6), *port(0.2, 100, U8)]
    assert_within(one_op("QLinearConv", inputs, group=6, dilations=[2, 2]))


def test_a_zero_point_for_all_channels() -> None:
    scales = np.linspace(0.01, 0.03, 8)
    weight = [Known(random(8, 4, 1, 1, seed=1, dtype=I8)), *port(scales, 0, I8)]
    case = one_op("QLinearConv", [*activations(1, 4, 5, 5, dtype=I8), *weight, *port(0.8137, 5, I8)])
    assert_within(case)


@pytest.mark.parametrize(("lhs", "rhs"), SIGNS)
def test_matmul(lhs: type[np.generic], rhs: type[np.generic]) -> None:
    inputs = [*activations(2, 5, 16, dtype=lhs), *weights(16, 7, dtype=rhs), *port(0.4, 9, lhs)]
    assert_within(one_op("QLinearMatMul", inputs))


def test_matmul_of_columns() -> None:
    inputs = [*activations(5, 16, dtype=U8), *weights(16, 7, dtype=I8, channels=7), *port(0.4, 9, U8)]
    assert_within(one_op("QLinearMatMul", inputs))


@pytest.mark.parametrize("transposed", [0, 1])
@pytest.mark.parametrize("channels", [None, 7])
def test_gemm(transposed: int, channels: int | None) -> None:
    shape = (7, 16) if transposed else (16, 7)
    inputs = [*activations(5, 16, dtype=U8), *weights(*shape, dtype=I8, channels=channels)]
    bias = [Known(np.arange(7, dtype=np.int32) * 300 - 900)]
    case = one_op("QGemm", [*inputs, *bias, *port(0.4, 9, U8)], domain=MICROSOFT, transB=transposed)
    assert_within(case)


def test_gemm_with_a_float_result() -> None:
    inputs = [*activations(5, 16, dtype=U8), *weights(16, 7, dtype=I8), Known(np.arange(7, dtype=np.int32) * 300)]
    case = one_op("QGemm", inputs, domain=MICROSOFT)
    np.testing.assert_allclose(ours(case)[0], theirs(case)[0], rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", [U8, I8])
@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_binary(op: str, dtype: type[np.generic]) -> None:
    """The kernel scales by quotients, which may round a near-tie the other way."""
    lhs = [random(64, 64, seed=2, dtype=dtype), *port(0.0371, 4, dtype)]
    rhs = [random(64, 64, seed=3, dtype=dtype), *port(0.0193, 90, dtype)]
    assert_within(one_op(op, [*lhs, *rhs, *port(0.0457, 60, dtype)], domain=MICROSOFT), different=0.001)


@pytest.mark.parametrize("dtype", [U8, I8])
def test_binary_broadcasts(dtype: type[np.generic]) -> None:
    lhs, rhs = activations(2, 3, 4, dtype=dtype), activations(3, 1, dtype=dtype, seed=4)
    assert_within(one_op("QLinearAdd", [*lhs, *rhs, *port(0.11, 7, dtype)], domain=MICROSOFT))


@pytest.mark.parametrize("dtype", [U8, I8])
@pytest.mark.parametrize(
    ("op", "scale", "attributes"),
    [("QLinearSigmoid", 1 / 256, {}), ("QLinearLeakyRelu", 0.04, {"alpha": 0.2})],
)
def test_unary(op: str, scale: float, attributes: dict[str, float], dtype: type[np.generic]) -> None:
    every = np.arange(256).astype(np.uint8).view(dtype)
    case = one_op(op, [every, *port(0.05, 3, dtype), *port(scale, 0, dtype)], domain=MICROSOFT, **attributes)
    assert_within(case)


@pytest.mark.parametrize("opset", [12, 17])
def test_softmax(opset: int) -> None:
    """The kernel sums a table of integers."""
    inputs = [*activations(6, 4, 20, dtype=U8), *port(1 / 256, 0, U8)]
    case = one_op("QLinearSoftmax", inputs, domain=MICROSOFT, axis=1)
    model = onnx.load_from_string(case.model)
    model.graph.node[0].attribute.append(helper.make_attribute("opset", opset))
    assert_within(Case(model.SerializeToString(), case.feeds), different=0.001)


@pytest.mark.parametrize("dtype", [U8, np.int8])
@pytest.mark.parametrize("scale", [1 / 255, 0.00314])
def test_softmax_counts_in_whole_levels(scale: float, dtype: type[np.generic]) -> None:
    """The kernel multiplies probabilities by the integer below 1 / scale: by 318 for a scale of 0.00314, not 318.47."""
    zero_point = int(np.iinfo(dtype).min)
    inputs = [*activations(6, 40, dtype=dtype), *port(scale, zero_point, dtype)]
    case = one_op("QLinearSoftmax", inputs, domain=MICROSOFT, axis=1)
    model = onnx.load_from_string(case.model)
    model.graph.node[0].attribute.append(helper.make_attribute("opset", 17))
    assert_within(Case(model.SerializeToString(), case.feeds), different=0.001)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("QLinearAveragePool", {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
        ("QLinearAveragePool", {"kernel_shape": [3, 2], "strides": [2, 2], "ceil_mode": 1, "count_include_pad": 1}),
        ("QLinearGlobalAveragePool", {}),
    ],
)
def test_averages(op: str, attributes: dict[str, Any], last: int) -> None:
    shape = (1, 7, 9, 4) if last else (1, 4, 7, 9)
    inputs = [*activations(*shape, dtype=U8), *port(0.03, 70, U8)]
    assert_within(one_op(op, inputs, domain=MICROSOFT, channels_last=last, **attributes), different=0.02)


def test_a_mean_over_axes() -> None:
    """There is no kernel for it on the CPU: the formula stands for it."""
    value = random(2, 3, 8, dtype=U8)
    inputs: list[Input] = [value, *port(0.05, 3, U8), *port(0.03, 70, U8)]
    (found,) = ours(one_op("QLinearReduceMean", inputs, domain=MICROSOFT, axes=[-1], keepdims=0))
    real = ((value.astype(np.float32) - 3) * np.float32(0.05)).mean(-1)
    np.testing.assert_allclose(found, np.clip(np.rint(real / np.float32(0.03)) + 70, 0, 255), atol=1)


def test_concat_of_several_scales() -> None:
    parts = [*activations(1, 3, 4, dtype=U8), random(1, 2, 4, seed=5, dtype=U8), *port(0.09, 30, U8)]
    assert_within(one_op("QLinearConcat", [*port(0.07, 11, U8), *parts], domain=MICROSOFT, axis=1))


def test_where_of_two_scales() -> None:
    chosen = random(1, 3, 4, dtype=np.bool_)
    sides = [*activations(1, 3, 4, dtype=U8), random(1, 3, 4, seed=5, dtype=U8), *port(0.09, 30, U8)]
    assert_within(one_op("QLinearWhere", [chosen, *sides, *port(0.07, 11, U8)], domain=MICROSOFT))


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
def test_quantizers_of_16_bits_before_their_opset(dtype: type[np.generic]) -> None:
    case = one_op("DequantizeLinear", activations(4, 5, dtype=dtype), opset=17, domain=MICROSOFT)
    np.testing.assert_array_equal(ours(case)[0], theirs(case)[0])
    floats = one_op("QuantizeLinear", [random(4, 5), *port(0.001, 12, dtype)], opset=17, domain=MICROSOFT)
    np.testing.assert_array_equal(ours(floats)[0], theirs(floats)[0])


def test_an_operator_becomes_one_quantized_op() -> None:
    inputs = [*activations(1, 4, 9, 9, dtype=U8), *weights(8, 4, 3, 3, dtype=I8), *port(0.8137, 5, U8)]
    converted = convert(load(one_op("QLinearConv", inputs).model), Format.STABLEHLO)
    assert not converted.refusals
    assert "uniform_dequantize" not in converted.text


def refused(case: Case) -> str:
    with pytest.raises(ConversionError) as caught:
        imported(case)
    return str(caught.value)


def test_a_bias_of_floats() -> None:
    inputs = [*activations(1, 4, 9, 9, dtype=U8), *weights(8, 4, 1, 1, dtype=I8), *port(0.8137, 5, U8)]
    assert refused(one_op("QLinearConv", [*inputs, Known(np.ones(8, np.float32))])) == (
        "node 'op' (QLinearConv): quantized values of type f32 are not supported. Use integers of 2 to 32 bits"
    )
    assert refused(one_op("QLinearConv", [*inputs, Known(np.ones(8, np.int8))])) == (
        "node 'op' (QLinearConv): a bias of type tensor<8xi8>. The bias of a QOperator is int32"
    )


def test_integers_of_another_type_than_their_zero_point() -> None:
    value = [random(4, 16, dtype=I8), *port(0.05, 3, U8)]
    assert refused(one_op("QLinearMatMul", [*value, *weights(16, 7, dtype=I8), *port(0.4, 9, U8)])) == (
        "node 'op' (QLinearMatMul): integers of type i8 with a zero point of type ui8"
    )


def test_a_bias_without_scales() -> None:
    inputs = [*activations(1, 4, 9, 9, dtype=U8), *weights(8, 4, 1, 1, dtype=I8, channels=8), *port(0.8137, 5, U8)]
    assert refused(one_op("QLinearConv", [*inputs, Known(np.ones(3, np.int32))])) == (
        "node 'op' (QLinearConv): the bias has shape [3], there are 8 scales of weights"
    )


def test_a_bias_whose_scale_vanishes() -> None:
    value = [random(1, 4, 9, 9, dtype=U8), *port(1e-38, 3, U8)]
    inputs = [*value, *weights(8, 4, 1, 1, dtype=I8), *port(0.8137, 5, U8)]
    inputs[4] = Known(np.float32(1e-38))
    assert refused(one_op("QLinearConv", [*inputs, Known(np.ones(8, np.int32))])) == (
        "node 'op' (QLinearConv): the scale 1e-38 times the weights' scales is not a float32 above 0"
    )


def test_several_scales_of_activations() -> None:
    value = [random(4, 16, dtype=U8), *port(np.linspace(0.01, 0.02, 4), np.full(4, 7), U8)]
    inputs = [*value, *weights(16, 7, dtype=I8), Known(np.ones(7, np.int32)), *port(0.4, 9, U8)]
    assert refused(one_op("QGemm", inputs, domain=MICROSOFT)) == (
        "node 'op' (QGemm): 4 scales of activations and a bias. Give them one"
    )


def test_a_result_without_a_zero_point() -> None:
    inputs = [*activations(4, dtype=U8), *activations(4, dtype=U8), Known(np.float32(0.1))]
    assert refused(one_op("QLinearAdd", inputs, domain=MICROSOFT)) == (
        "node 'op' (QLinearAdd): the result has no zero point. Give one, whose type is the result's"
    )


def test_alpha_and_a_bias() -> None:
    inputs = [*activations(5, 16, dtype=U8), *weights(16, 7, dtype=I8), Known(np.arange(7, dtype=np.int32))]
    assert refused(one_op("QGemm", [*inputs, *port(0.4, 9, U8)], domain=MICROSOFT, alpha=0.5)) == (
        "node 'op' (QGemm): alpha is 0.5 with a bias. Put alpha into a_scale"
    )


def test_a_concatenation_of_half_a_tensor() -> None:
    inputs = [*port(0.07, 11, U8), *activations(1, 3, 4, dtype=U8), random(1, 3, 4, dtype=U8)]
    assert refused(one_op("QLinearConcat", inputs, domain=MICROSOFT, axis=1)) == (
        "node 'op' (QLinearConcat): 6 inputs, expected 2 and 3 for each tensor. "
        "The result has two inputs, each tensor has three"
    )
