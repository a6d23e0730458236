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
