"""What fusion leaves in float although it fuses what stands before it."""

from __future__ import annotations

import numpy as np

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp

BIASED = """
func.func @main(%x: tensor<1x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2xf32> {{
  %xf = stablehlo.uniform_dequantize %x : (tensor<1x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2xf32>
  %w = stablehlo.constant() <{{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>}}>
      : () -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  %wf = stablehlo.uniform_dequantize %w : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %d = stablehlo.dot_general %xf, %wf, contracting_dims = [1] x [0]
      : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %b = stablehlo.constant dense<[[{bias}, 1.0]]> : tensor<1x2xf32>
  %s = stablehlo.add %d, %b : tensor<1x2xf32>
  return %s : tensor<1x2xf32>
}}
"""


def test_a_bias_that_may_leave_32_bits_stays_float() -> None:
    module = parse_module(BIASED.format(bias="1.0e9"))
    result = LegalizeQdqToQuantizedOp().apply(module)
    assert [refusal.reason for refusal in result.refusals] == [
        "the accumulator and its bias together may exceed 32 bits"
    ]
    (found,) = evaluate(module, [np.array([[4, -8]], np.int8)])
    np.testing.assert_array_equal(found, np.array([[1e9 - 5.0, 1.0 - 6.0]], np.float32))


def test_a_float_bias_that_fits_is_added_in_integers() -> None:
    module = parse_module(BIASED.format(bias="0.3"))
    assert LegalizeQdqToQuantizedOp().apply(module).refusals == ()
    (found,) = evaluate(module, [np.array([[4, -8]], np.int8)])
    # 0.25 / 2^12 is the step the bias is rounded to
    np.testing.assert_allclose(found, [[0.3 - 5.0, 1.0 - 6.0]], rtol=0, atol=0.25 / 2**13 + 1e-6)


CHANNELS_FIRST = """
func.func @main(%x: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x4xf32> {
  %xf = stablehlo.uniform_dequantize %x : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1x4x4xf32>
  %w = stablehlo.constant() <{value = dense<3> : tensor<4x1x1x1xi8>}>
      : () -> tensor<4x1x1x1x!quant.uniform<i8:f32:0, {0.5,0.25,0.125,0.0625}>>
  %wf = stablehlo.uniform_dequantize %w
      : (tensor<4x1x1x1x!quant.uniform<i8:f32:0, {0.5,0.25,0.125,0.0625}>>) -> tensor<4x1x1x1xf32>
  %a = stablehlo.convolution(%xf, %wf) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x1x4x4xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x4x4xf32>
  %k = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = stablehlo.broadcast_in_dim %k, dims = [3] : (tensor<4xf32>) -> tensor<1x4x4x4xf32>
  %y = stablehlo.add %a, %s : tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}
"""


def test_a_bias_along_another_dimension_than_the_scales_stays_float() -> None:
    module, image = parse_module(CHANNELS_FIRST), np.arange(16, dtype=np.int8).reshape(1, 1, 4, 4)
    before = evaluate(module.clone(), [image])
    result = LegalizeQdqToQuantizedOp().apply(module)
    module.verify()
    assert "the accumulator has a scale for each output feature, and its last dimension is another" in [
        refusal.reason for refusal in result.refusals
    ]
    np.testing.assert_array_equal(evaluate(module, [image]), before)


def test_a_quantize_per_axis_stays_behind_a_transpose() -> None:
    """Above the transpose its scales would lie along another dimension."""
    kind = "!quant.uniform<i8:f32:0, {0.1,0.2,0.3}>"
    text = f"""
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x2x{kind}> {{
  %a = stablehlo.uniform_dequantize %x : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %b = stablehlo.tanh %a : tensor<2x3xf32>
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %q = stablehlo.uniform_quantize %t : (tensor<3x2xf32>) -> tensor<3x2x{kind}>
  return %q : tensor<3x2x{kind}>
}}"""
    module = parse_module(text)
    reasons = [refusal.reason for refusal in LegalizeQdqToQuantizedOp().apply(module).refusals]
    assert "the scales of its result lie along a dimension that the movement makes" in reasons
    module.verify()
