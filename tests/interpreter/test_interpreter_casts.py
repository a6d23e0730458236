"""What casts and fake quantization compute, from text, against values worked out by hand and float32 restatements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir.quant_parameters import Storage
from qconvert.passes import make_pass
from qconvert.rewriting.base import run_passes
from qconvert.support.errors import ConversionError

TIES = np.arange(-16, 16, dtype=np.float32) / 8
"""Multiples of half a step of scale 0.25."""


def run(body: str, arguments: str, result: str, *inputs: NDArray[Any]) -> NDArray[Any]:
    text = f"func.func @main({arguments}) -> {result} {{\n{body}\n  return %r : {result}\n}}"
    (found,) = evaluate(parse_module(text), list(inputs))
    return found


def quantized(element: str, attributes: str = "") -> NDArray[Any]:
    type = f"tensor<32x{element}>"
    return run(f"  %r = quant.qcast %x {attributes} : tensor<32xf32> to {type}", "%x: tensor<32xf32>", type, TIES)


def test_a_cast_rounds_and_then_adds_the_zero_point() -> None:
    expected = [round(float(x) / 0.25) + 3 for x in TIES]
    np.testing.assert_array_equal(quantized("!quant.uniform<i8:f32, 0.25:3>"), expected)


def test_a_cast_can_follow_stablehlo() -> None:
    attributes = "{qconvert.arithmetic = #qconvert.arithmetic<stablehlo, 32, SINGLE_ROUND, 64, 0>}"
    expected = [round(float(x) / 0.25 + 3) for x in TIES]
    found = quantized("!quant.uniform<i8:f32, 0.25:3>", attributes)
    np.testing.assert_array_equal(found, expected)
    assert (found != quantized("!quant.uniform<i8:f32, 0.25:3>")).any()


def test_casts_stay_in_a_narrowed_range() -> None:
    found = quantized("!quant.uniform<ui4<1:6>:f32, 0.25:3>")
    assert (found.min(), found.max()) == (1, 6)


@pytest.mark.parametrize("width", [2, 4, 8, 16])
def test_storage_casts_keep_the_bits(width: int) -> None:
    """Signed integers read as unsigned storage differ by 2^width where they are negative, and come back."""
    low, high = Storage.limits(width, signed=True)
    values = np.linspace(low, high, 4).astype(np.int16 if width == 16 else np.int8)
    signed, unsigned = f"tensor<4xi{width}>", f"tensor<4x!quant.uniform<ui{width}:f32, 0.5:1>>"
    there = f"  %r = quant.scast %x : {signed} to {unsigned}"
    found = run(there, f"%x: {signed}", unsigned, values)
    np.testing.assert_array_equal(found, values.astype(int) % (1 << width))
    back = f"  %0 = quant.scast %x : {signed} to {unsigned}\n  %r = quant.scast %0 : {unsigned} to {signed}"
    np.testing.assert_array_equal(run(back, f"%x: {signed}", signed, values), values)


def test_types_without_parameters_cannot_be_evaluated() -> None:
    text = "  %r = quant.qcast %x : tensor<32xf32> to tensor<32x!quant.any<i8:f32>>"
    with pytest.raises(ConversionError, match=r"quant\.qcast: elements of type !quant\.any<i8:f32> are not supported"):
        run(text, "%x: tensor<32xf32>", "tensor<32x!quant.any<i8:f32>>", TIES)


def test_fake_quantization_has_a_range_for_each_slice() -> None:
    attributes = "min = [-1.0 : f32, 0.0 : f32], max = [0.5 : f32, 3.0 : f32], axis = 1, num_bits = 2"
    type = "tensor<16x2xf32>"
    body = f'  %r = "quant.const_fake_quant_per_axis"(%x) {{{attributes}}} : ({type}) -> {type}'
    x = np.arange(-16, 16, dtype=np.float32).reshape(16, 2) * np.float32(0.3)
    found = run(body, f"%x: {type}", type, x)
    np.testing.assert_array_equal(found[:, 0], [min(max(round(float(v) / 0.5), -2), 1) * 0.5 for v in x[:, 0]])
    np.testing.assert_array_equal(found[:, 1], [min(max(round(float(v)), 0), 3) for v in x[:, 1]])


def test_a_range_of_nothing_but_zero_gives_zeros() -> None:
    type = "tensor<32xf32>"
    attributes = "min = 0.0 : f32, max = 0.0 : f32, num_bits = 8"
    body = f'  %r = "quant.const_fake_quant"(%x) {{{attributes}}} : ({type}) -> {type}'
    np.testing.assert_allclose(run(body, f"%x: {type}", type, TIES), 0, atol=2.0**-110)


TRAINED = """
!x = tensor<4x8xf32>
!w = tensor<8x3xf32>
!y = tensor<4x3xf32>
func.func @main(%x: !x) -> !y {
  %w = stablehlo.constant dense<"0xHEX"> : !w
  %0 = "quant.const_fake_quant"(%x) {min = -1.0 : f32, max = 1.0 : f32, num_bits = 8} : (!x) -> !x
  %1 = "quant.const_fake_quant_per_axis"(%w) {
    min = [-1.0 : f32, -2.0 : f32, -4.0 : f32], max = [1.0 : f32, 2.0 : f32, 4.0 : f32], axis = 1,
    num_bits = 8, narrow_range = true, is_signed = true
  } : (!w) -> !w
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (!x, !w) -> !y
  %3 = "quant.const_fake_quant"(%2) {min = -6.0 : f32, max = 6.0 : f32, num_bits = 8} : (!y) -> !y
  return %3 : !y
}
"""


def test_a_layer_trained_with_fake_quantization_becomes_integers() -> None:
    rng = np.random.default_rng(0)
    module = parse_module(TRAINED.replace("HEX", rng.normal(size=(8, 3)).astype(np.float32).tobytes().hex()))
    inputs = [rng.normal(size=(4, 8)).astype(np.float32)]
    (expected,) = evaluate(module, inputs)
    names = ("convert-fake-quant", "quant-casts-to-stablehlo", "fold", "legalize-qdq-to-quantized-op")
    run_passes(module, [make_pass(name) for name in names])
    ops = [op.name for op in module.walk()]
    assert not any(name.startswith("quant.") for name in ops)
    (product,) = (op for op in module.walk() if op.name == "stablehlo.dot_general")
    assert "!quant.uniform<i32:f32:1" in str(product.results[0].type)
    (found,) = evaluate(module, inputs)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_folding_keeps_how_a_constant_is_quantized() -> None:
    text = TRAINED.replace("HEX", np.ones(24, np.float32).tobytes().hex())
    module = parse_module(text)
    run_passes(module, [make_pass("fold")])
    assert sum(op.name.startswith("quant.") for op in module.walk()) == 3
