"""A reduction of pairs of value and index that is not the index of the largest element."""

from __future__ import annotations

import pytest

from qconvert.api import convert, load
from qconvert.formats import Format
from qconvert.support.errors import ConversionError

PAIRS = """
func.func @main(%x: tensor<2x3xTYPE>) -> tensor<2xi32> {
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %m = stablehlo.constant dense<WORST> : tensor<TYPE>
  %z = stablehlo.constant dense<INDEX> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %m, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<TYPE>, %ai: tensor<i32>, %b: tensor<TYPE>, %bi: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<TYPE>, tensor<TYPE>) -> tensor<i1>
    %s = stablehlo.select %c, %a, %b : tensor<i1>, tensor<TYPE>
    %t = stablehlo.select %c, %ai, %bi : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<TYPE>, tensor<i32>
  }) : (tensor<2x3xTYPE>, tensor<2x3xi32>, tensor<TYPE>, tensor<i32>) -> (tensor<2xTYPE>, tensor<2xi32>)
  return %0#1 : tensor<2xi32>
}
"""


def pairs(element: str, worst: str, index: int) -> bytes:
    return PAIRS.replace("TYPE", element).replace("WORST", worst).replace("INDEX", str(index)).encode()


@pytest.mark.parametrize("to", [Format.TOSA, Format.ONNX])
@pytest.mark.parametrize(
    ("element", "worst", "index"),
    [("f32", "0xFF800000", -1), ("i8", "-128", 3), ("f32", "-1.0", 0), ("f64", "-3.5e38", 0)],
)
def test_an_initial_pair_that_may_be_the_result_is_refused(to: Format, element: str, worst: str, index: int) -> None:
    """Where all elements are as small as the initial value, the body keeps the initial index."""
    with pytest.raises(ConversionError, match="reduc"):
        convert(load(pairs(element, worst, index)), to)


@pytest.mark.parametrize("to", [Format.TOSA, Format.ONNX])
@pytest.mark.parametrize(("element", "worst"), [("f32", "0xFF800000"), ("f16", "-65504.0"), ("i8", "-128")])
def test_an_initial_pair_before_all_elements_is_converted(to: Format, element: str, worst: str) -> None:
    converted = convert(load(pairs(element, worst, 0)), to)
    assert "argmax" in str(converted.content if to is Format.ONNX else converted.text).lower()
