"""Reductions whose body is one op of other values than its two arguments, or uses values from outside of it."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.api import convert, load
from qconvert.api.conversion import transform
from qconvert.formats import Format
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
ONE = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.BODY : tensor<f32>
    stablehlo.return RESULT : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
TWO = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %k = stablehlo.constant dense<5.0> : tensor<f32>
  %0:2 = "stablehlo.reduce"(%x, %y, %z, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %s = stablehlo.add %a, %c : tensor<f32>
    %m = stablehlo.maximum %k, %d : tensor<f32>
    stablehlo.return %s, RESULT : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
"""


@pytest.mark.parametrize("to", [Format.TOSA, Format.ONNX])
@pytest.mark.parametrize(("body", "result"), [("add %a, %a", "%s"), ("maximum %z, %b", "%s"), ("add %a, %b", "%b")])
def test_a_body_of_other_values_is_not_a_sum(to: Format, body: str, result: str) -> None:
    with pytest.raises(ConversionError, match="reduces by"):
        convert(load(ONE.replace("BODY", body).replace("RESULT", result).encode()), to)


@pytest.mark.parametrize(("result", "expected"), [("%m", [5.0, 6.0]), ("%k", [5.0, 5.0])])
def test_values_from_outside_are_used(result: str, expected: list[float]) -> None:
    model = load(TWO.replace("RESULT", result).encode())
    assert model.order_dependent == ()
    for module in (model.module, transform(model, ["split-reductions"]).module):
        total, other = evaluate(module, [X, X])
        np.testing.assert_array_equal(total, [6.0, 15.0])
        np.testing.assert_array_equal(other, expected)


QUANTIZED = """
func.func @main(%x: tensor<2x3xTYPE>) -> tensor<2xTYPE> {
  %z = stablehlo.constant() <{value = dense<1> : tensor<i8>}> : () -> tensor<TYPE>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %s = stablehlo.maximum %b, %b : tensor<TYPE>
    stablehlo.return %s : tensor<TYPE>
  }) : (tensor<2x3xTYPE>, tensor<TYPE>) -> tensor<2xTYPE>
  return %0 : tensor<2xTYPE>
}
""".replace("TYPE", "!quant.uniform<i8:f32, 0.5:3>")


def test_a_quantized_body_of_one_argument_is_not_a_maximum() -> None:
    model = load(QUANTIZED.encode())
    written = transform(model, ["legalize-quantized-op-to-qdq"])
    x = np.array([[1, 7, 3], [6, 5, 4]], np.int8)
    for module in (model.module, written.module):
        np.testing.assert_array_equal(evaluate(module, [x])[0], [3, 4])
