"""Nodes whose operators do not take the types of their inputs are refused by name.

Source: onnx.defs; onnxruntime's CPU kernels take fewer types than the schemas.
"""

from __future__ import annotations

import pytest

from qconvert import Format, convert, load
from qconvert.support.errors import ConversionError

DOT = """func.func @main(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) -> tensor<2x4xi32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}"""
LARGEST = """func.func @main(%a: tensor<3xTYPE>, %b: tensor<3xTYPE>) -> tensor<3xTYPE> {
  %0 = stablehlo.maximum %a, %b : tensor<3xTYPE>
  return %0 : tensor<3xTYPE>
}"""


def test_a_product_of_bytes_is_no_matmul() -> None:
    with pytest.raises(ConversionError, match="MatMul of opset 21 does not take elements of type int8"):
        convert(load(DOT.encode()), Format.ONNX)


@pytest.mark.parametrize("type", ["i16", "ui16"])
def test_what_onnxruntime_lacks_is_refused(type: str) -> None:
    with pytest.raises(ConversionError, match=r"onnxruntime's Max does not take elements of type u?int16"):
        convert(load(LARGEST.replace("TYPE", type).encode()), Format.ONNX)


@pytest.mark.parametrize("type", ["i8", "ui8", "i32", "i64", "f32"])
def test_what_it_has_is_written(type: str) -> None:
    assert convert(load(LARGEST.replace("TYPE", type).encode()), Format.ONNX).content
