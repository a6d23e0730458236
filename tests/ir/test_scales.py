"""When two scales are the same: the tolerance covers every way to compute a product, and all places share it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import Format, convert, load
from qconvert.api import Converted
from qconvert.backends.onnx import OnnxOptions, Style
from qconvert.dialects import stablehlo, tosa
from qconvert.interpreter.program import evaluate
from qconvert.ir import ACCUMULATOR, UniformQuantizedType, quantized_element, same_scales
from qconvert.ir.quant_parameters import SCALE_TOLERANCE, Storage
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Quantization, Quantized, one_op, random

NEAR, OFF = 5e-7, 5e-6
"""Relative differences of a scale from a product: of roundings to float32, and of another number."""


def test_products_of_every_producer_are_the_same() -> None:
    generator, single = np.random.default_rng(0), np.float32
    image, kernel = (generator.uniform(0.01, 100, 100_000) for _ in range(2))
    first, second = (single(high / levels) for high, levels in ((image, 255), (kernel, 127)))
    narrow, other = single(image) / single(255), single(kernel) / single(127)
    ways = (
        (first * second, first, second),
        (single(image / 255 * (kernel / 127)), first, second),
        (single(image) * single(kernel) / single(255) / single(127), narrow, other),
        (single(image) * single(kernel) / single(255 * 127), narrow, other),
        (single(1) / (single(255) / single(image) * (single(127) / single(kernel))), narrow, other),
    )
    for product, lhs, rhs in ways:
        exact = lhs.astype(np.float64) * rhs.astype(np.float64)
        assert np.abs(product / exact - 1).max() < 8 * 2.0**-24 < SCALE_TOLERANCE / 2
        assert same_scales(product, exact)
        assert not same_scales(product * (1 + OFF), exact)


def test_scales_of_a_product() -> None:
    one = UniformQuantizedType.per_tensor(Storage.full(8, signed=True), 0.5)
    several = UniformQuantizedType.per_axis(Storage.full(8, signed=True), (0.25, 2.0), (0, 0), 0)
    assert one.product_scales(several).tolist() == several.product_scales(one).tolist() == [0.125, 1.0]
    with pytest.raises(ConversionError, match="one scale for all elements is needed"):
        several.product_scales(several)


def test_accumulators() -> None:
    plain = UniformQuantizedType.accumulator(np.array([0.5]), None)
    assert plain == UniformQuantizedType.per_tensor(ACCUMULATOR, 0.5)
    assert plain.is_accumulator
    assert not plain.with_storage(ACCUMULATOR, [1]).is_accumulator
    assert not plain.with_storage(Storage(32, True, -100, 100)).is_accumulator
    assert not plain.with_storage(Storage.full(32, signed=False)).is_accumulator


def model_of(difference: float) -> bytes:
    """A convolution whose bias has a scale that differs from the product of the operands' scales."""
    image = Quantized(random(1, 4, 5, 5, dtype=np.uint8), Quantization(0.0513, 100, np.uint8))
    kernel = Quantized(random(8, 4, 1, 1, seed=1, dtype=np.int8), Quantization(0.0213, 0, np.int8), known=True)
    scale = float(np.float32(np.float64(np.float32(0.0513)) * np.float64(np.float32(0.0213)) * (1 + difference)))
    bias = Quantized(np.full(8, 1_000_000), Quantization(scale, 0, np.int32), known=True)
    return one_op("Conv", [image, kernel, bias], result=Quantization(100.0, 9, np.uint8), opset=17).model


def convolution(difference: float) -> Converted:
    return convert(load(model_of(difference)), Format.ONNX, OnnxOptions(17, style=Style.QOPERATOR))


def fused(difference: float) -> ModuleOp:
    return convert(load(model_of(difference)), Format.STABLEHLO).module


@pytest.mark.parametrize(("difference", "expected"), [(NEAR, 1_000_000), (OFF, 1_000_005)])
def test_qoperator_keeps_the_integers_of_a_bias_within_the_tolerance(difference: float, expected: int) -> None:
    content = convolution(difference).content
    assert content is not None
    graph = onnx.load_from_string(content).graph
    (node,) = (node for node in graph.node if node.op_type == "QLinearConv")
    (bias,) = (onnx.numpy_helper.to_array(each) for each in graph.initializer if each.name == node.input[8])
    assert set(bias.tolist()) == {expected}


@pytest.mark.parametrize(("difference", "finer"), [(NEAR, False), (OFF, True)])
def test_fusion_makes_sums_finer_for_a_bias_of_another_scale(difference: float, finer: bool) -> None:
    (add,) = (op for op in fused(difference).walk() if isinstance(op, stablehlo.AddOp))
    sums, product = quantized_element(add.result), 0.0513 * 0.0213
    assert sums.is_accumulator
    assert same_scales(sums.scale, product) is not finer
    assert sums.scale < 2 * product


def product_of(difference: float) -> str:
    """A product by constant weights, whose 32-bit sums have a scale that differs from the product, and a quantize."""
    image, kernel = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i8:f32, 0.25>"
    sums = f"!quant.uniform<i32:f32, {0.125 * (1 + difference)!r}>"
    return f"""func.func @main(%x: tensor<1x4x{image}>) -> tensor<1x2x{image}> {{
      %w = stablehlo.constant() <{{value = dense<127> : tensor<4x2xi8>}}> : () -> tensor<4x2x{kernel}>
      %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] :
        (tensor<1x4x{image}>, tensor<4x2x{kernel}>) -> tensor<1x2x{sums}>
      %y = stablehlo.uniform_quantize %s : (tensor<1x2x{sums}>) -> tensor<1x2x{image}>
      return %y : tensor<1x2x{image}>
    }}"""


@pytest.mark.parametrize(("difference", "is_sum"), [(NEAR, True), (OFF, False)])
def test_sums_are_the_result_within_the_tolerance(difference: float, is_sum: bool) -> None:
    model = load(product_of(difference).encode())
    written = convert(model, Format.TOSA).module
    assert sum(isinstance(op, tosa.RescaleOp) for op in written.walk()) == (1 if is_sum else 2)
    content = convert(model, Format.ONNX).content
    assert content is not None
    rounds = any(node.op_type == "Round" for node in onnx.load_from_string(content).graph.node)
    assert rounds is not is_sum


@pytest.mark.parametrize("kind", ["i32:f32, 0.125:5", "i32<-1000:1000>:f32, 0.125"])
def test_other_results_of_32_bits_are_no_sums(kind: str) -> None:
    """TOSA adds the zero point and keeps the range, as the interpreter does."""
    model = load(product_of(0.0).replace("i32:f32, 0.125", kind).encode())
    written = convert(model, Format.TOSA).module
    sample = np.array([[-128, 100, -90, 127], [-128, -128, -128, -128], [127, 127, 127, 127]], np.int8)
    for row in sample[:, np.newaxis]:
        (expected,), (result,) = (evaluate(module, [row]) for module in (model.module, written))
        np.testing.assert_array_equal(result, expected)
