"""The forms of a model that several conversions share are those that one conversion makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert import convert, load
from qconvert.api.fusing import FusedForms, fuse
from qconvert.api.inspection import inspect_model
from qconvert.formats import FORMATS, Format
from qconvert.ir import module_text
from tests.support.paths import FIXTURES

CALLS = b"""
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
BLOCKS = b"""
!q = !quant.uniform<i8:f32:{0:2, 1:1}, {{1.0, 2.0, 3.0, 4.0}, {1.0, 2.0, 3.0, 4.0}}>
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4x4xf32>) -> tensor<4x4x!q>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x4x!q>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
"""
SOURCES = [FIXTURES / "digits_mlp_uint8.onnx", FIXTURES / "lstm_int8.tflite", CALLS, BLOCKS]


@pytest.mark.parametrize("order", [list(Format), list(reversed(Format))], ids=["forward", "backward"])
@pytest.mark.parametrize("source", SOURCES, ids=["mlp", "lstm", "calls", "blocks"])
def test_shared_forms_equal_those_of_one_conversion(source: Path | bytes, order: list[Format]) -> None:
    model = load(source)
    forms = FusedForms(model)
    for name in (*order, *order):
        found, expected = forms.of(FORMATS[name]), fuse(model, FORMATS[name])
        assert module_text(found.module) == module_text(expected.module), name
        assert found.refusals == expected.refusals, name


@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.TOSA, Format.ONNX])
def test_a_conversion_of_shared_forms_is_the_same(to: Format) -> None:
    model = load(SOURCES[0])
    forms = FusedForms(model)
    for _ in range(2):
        assert convert(model, to, forms=forms).text == convert(model, to).text


def test_a_model_that_a_format_refuses_is_inspected() -> None:
    """No op of StableHLO takes scales for blocks, but other formats compute with them."""
    found = {target.title: target for target in inspect_model(load(BLOCKS), targets=True).targets}
    assert "it has scales for blocks, which no op takes" in str(found["stablehlo"].error)
    assert found["onnx"].outcome.startswith("converts")
