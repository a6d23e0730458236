"""Plain arithmetic gives the integers of the quantized ops, on random programs and at the edges of every rule."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import Float32Type, ModuleOp

from qconvert.dialects import stablehlo
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir.arithmetic import (
    ARITHMETIC,
    ONNX_ARITHMETIC,
    Arithmetic,
    ArithmeticAttr,
    ArithmeticFamily,
)
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.passes.rescaling.legalize_quant_to_math import LegalizeQuantToMath
from qconvert.passes.rescaling.legalize_quant_to_math.scales import share_scales
from qconvert.rewriting.base import run_passes
from qconvert.support.errors import ConversionError
from tests.support.parameters import few
from tests.support.random_programs import random_inputs, random_program

I8 = Storage.full(8, signed=True)


def lowered(text: str) -> ModuleOp:
    module = parse_module(text)
    run_passes(module, [LegalizeQuantToMath()])
    return module


def unary(op: str, source: str, target: str, count: int = 4, attributes: str = "") -> str:
    before, after = f"tensor<{count}x{source}>", f"tensor<{count}x{target}>"
    return f"""
func.func @main(%x: {before}) -> {after} {{
  %y = stablehlo.{op} %x {attributes} : ({before}) -> {after}
  return %y : {after}
}}"""


def binary(op: str, lhs: str, rhs: str, result: str, count: int) -> str:
    a, b, c = (f"tensor<{count}x{element}>" for element in (lhs, rhs, result))
    return f"""
func.func @main(%a: {a}, %b: {b}) -> {c} {{
  %y = stablehlo.{op} %a, %b : ({a}, {b}) -> {c}
  return %y : {c}
}}"""


def names(module: ModuleOp) -> set[str]:
    return {op.name.removeprefix("stablehlo.") for op in module.walk()}


@pytest.mark.quick(8)
@pytest.mark.parametrize("arithmetic", [None, ONNX_ARITHMETIC], ids=["stablehlo", "onnx"])
@pytest.mark.parametrize("seed", few(range(200), 60))
def test_random_programs_keep_every_integer(seed: int, arithmetic: ArithmeticAttr | None) -> None:
    module = random_program(seed)
    for op in module.walk():
        if arithmetic is not None and op.results:
            op.attributes[ARITHMETIC] = arithmetic
    inputs = [random_inputs(module, sample) for sample in range(2)]
    expected = [evaluate(module, arrays) for arrays in inputs]
    run_passes(module, [LegalizeQuantToMath()])
    for arrays, wanted in zip(inputs, expected, strict=True):
        for found, array in zip(evaluate(module, arrays), wanted, strict=True):
            assert found.dtype == array.dtype
            np.testing.assert_array_equal(found, array)


def test_programs_are_the_same_for_the_same_seed() -> None:
    assert str(random_program(7)) == str(random_program(7)) != str(random_program(8))


PAIRS = np.meshgrid(np.arange(-128, 128, dtype=np.int8), np.arange(-128, 128, dtype=np.int8))
LEFT, RIGHT = (side.ravel() for side in PAIRS)


@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "maximum"])
@pytest.mark.parametrize(
    ("scales", "zero_points"),
    [
        ((0.3, 0.3, 0.3), (3, -7, 5)),
        ((0.3, 0.25, 0.7), (1, 2, 3)),
        ((0.5, 0.25, 2.0), (1, 0, 3)),
        ((7e-3,) * 3, (0,) * 3),
    ],
)
def test_all_pairs_of_bytes(op: str, scales: tuple[float, ...], zero_points: tuple[int, ...]) -> None:
    elements = [f"!quant.uniform<i8:f32, {s}:{z}>" for s, z in zip(scales, zero_points, strict=True)]
    text = binary(op, elements[0], elements[1], elements[2], LEFT.size)
    for found, expected in zip(
        evaluate(lowered(text), [LEFT, RIGHT]), evaluate(parse_module(text), [LEFT, RIGHT]), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_products_of_powers_of_two_are_multiplied_as_integers() -> None:
    elements = [f"!quant.uniform<i8:f32, {s}>" for s in (0.5, 0.25, 2.0)]
    assert "f32" not in str(lowered(binary("multiply", elements[0], elements[1], elements[2], 4)))


def test_a_sum_of_one_scale_needs_no_float() -> None:
    found = names(lowered(binary("add", *["!quant.uniform<i16:f32, 0.3:5>"] * 3, 4)))
    assert found.isdisjoint({"multiply", "divide", "round_nearest_even"})


SUM = np.array([-32768, -32768, 32767, 32767, 1, 12345], np.int16), np.array([-32768, 32767, 32767, -1, 2, 7], np.int16)


@pytest.mark.parametrize("scale", ["1.2e-38", "0.3", "1.0e33"])
def test_sums_of_words_at_the_edges_of_the_scales(scale: str) -> None:
    text = binary("add", *[f"!quant.uniform<i16:f32, {scale}:-77>"] * 3, 6)
    [found], [expected] = evaluate(lowered(text), SUM), evaluate(parse_module(text), SUM)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("scale", "shared"), [(0.3, True), (1e-39, False), (1e36, False)])
def test_scales_that_leave_the_range_of_floats_are_not_shared(scale: float, shared: bool) -> None:
    element = UniformQuantizedType.per_tensor(I8, scale, 0, Float32Type())
    assert share_scales(element, element, element) == shared


@pytest.mark.parametrize(
    "arithmetic", ["", "{qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>}"]
)
@pytest.mark.parametrize(
    "element", ["i8:f32, 0.5:3", "ui8:f32, 0.3:255", "i16:f32, 0.5:1", "i32:f32, 0.5:9", "i4:f32, 0.5:-1"]
)
def test_ties_infinities_and_nan_quantize_alike(element: str, arithmetic: str) -> None:
    x = np.concatenate([np.arange(-41, 41) / 4, [np.inf, -np.inf, np.nan, 3e38, -3e38]]).astype(np.float32)
    text = unary("uniform_quantize", "f32", f"!quant.uniform<{element}>", x.size, arithmetic)
    [found], [expected] = evaluate(lowered(text), [x]), evaluate(parse_module(text), [x])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("expressed", ["f16", "bf16", "f64"])
@pytest.mark.parametrize("op", ["tanh", "uniform_quantize", "negate"])
def test_other_floats(expressed: str, op: str) -> None:
    text = unary(op, f"!quant.uniform<i8:{expressed}, 0.3:3>", f"!quant.uniform<i8:{expressed}, 0.1:-7>", 256)
    x = np.arange(-128, 128, dtype=np.int8)
    [found], [expected] = evaluate(lowered(text), [x]), evaluate(parse_module(text), [x])
    np.testing.assert_array_equal(found, expected)


BLOCKS = "!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5:1, 0.25}, {0.3, 0.7:-2}}>"


def test_blocks_of_scales_are_spread() -> None:
    text = f"""
func.func @main(%x: tensor<2x4x{BLOCKS}>) -> tensor<2x4xf32> {{
  %y = stablehlo.uniform_dequantize %x : (tensor<2x4x{BLOCKS}>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}}"""
    x = np.array([[1, 2, 3, 4], [-5, 6, -7, 8]], np.int8)
    [found], [expected] = evaluate(lowered(text), [x]), evaluate(parse_module(text), [x])
    np.testing.assert_array_equal(found, expected)


def _dot(storage: str, depth: int, result: str, rhs: str = "") -> str:
    a = f"tensor<1x{depth}x!quant.uniform<{storage}:f32, 0.5>>"
    w = f"tensor<{depth}x1x{rhs or f'!quant.uniform<{storage}:f32, 0.25>'}>"
    y = f"tensor<1x1x!quant.uniform<{result}>>"
    return f"""
func.func @main(%a: {a}, %w: {w}) -> {y} {{
  %y = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : ({a}, {w}) -> {y}
  return %y : {y}
}}"""


def _inputs(dtype: type[np.integer[NDArray[np.int8]]], depth: int, value: int) -> list[NDArray[np.generic]]:
    return [np.full((1, depth), value, dtype), np.full((depth, 1), value, dtype)]


def test_bytes_are_summed_in_32_bits_without_wrapping() -> None:
    text = _dot("i8", 1000, "i32:f32, 0.125")
    assert evaluate(lowered(text), _inputs(np.int8, 1000, -128))[0] == 128 * 128 * 1000


def test_words_are_summed_in_64_bits() -> None:
    text = _dot("i16", 1000, "i16:f32, 1.0e9:5")
    module = lowered(text)
    assert "xi64>" in str(module)
    arrays = _inputs(np.int16, 1000, -32768)
    assert evaluate(module, arrays)[0] == evaluate(parse_module(text), arrays)[0] == 139


def test_a_result_out_of_range_is_clamped() -> None:
    text = _dot("i8", 1000, "i8:f32, 0.125:3")
    assert evaluate(lowered(text), _inputs(np.int8, 1000, -128))[0] == 127


def test_signatures_and_calls_take_storage_integers() -> None:
    t = "tensor<4x!quant.uniform<ui8:f32, 0.5:3>>"
    module = lowered(f"""
func.func @main(%x: {t}) -> {t} {{
  %y = func.call @inner(%x) : ({t}) -> {t}
  return %y : {t}
}}
func.func private @inner(%x: {t}) -> {t} {{
  return %x : {t}
}}
func.func private @outer({t}) -> {t}
""")
    signatures = [str(op.function_type) for op in module.ops]  # type: ignore[attr-defined]
    assert signatures == ["(tensor<4xui8>) -> tensor<4xui8>"] * 3


def test_composites_and_conversions_in_reductions_come_first() -> None:
    q, wide = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i32:f32, 0.5>"
    with pytest.raises(ConversionError, match=r"pass legalize-quant-to-math needs no composite op left"):
        lowered(f"""
func.func @main(%x: tensor<4x{q}>) -> tensor<4x{q}> {{
  %y = "qconvert.erf"(%x) : (tensor<4x{q}>) -> tensor<4x{q}>
  return %y : tensor<4x{q}>
}}""")
    with pytest.raises(ConversionError, match=r"reductions that do not convert \(widen-reductions\)"):
        lowered(f"""
func.func @main(%x: tensor<4x{q}>, %i: tensor<{q}>) -> tensor<{wide}> {{
  %y = "stablehlo.reduce"(%x, %i) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0(%a: tensor<{wide}>, %b: tensor<{wide}>):
    %s = stablehlo.add %a, %b : tensor<{wide}>
    stablehlo.return %s : tensor<{wide}>
  }}) : (tensor<4x{q}>, tensor<{q}>) -> tensor<{wide}>
  return %y : tensor<{wide}>
}}""")


def following_litert(source: str) -> ModuleOp:
    module = parse_module(unary("uniform_quantize", source, "!quant.uniform<i8:f32, 0.5:3>", count=6))
    for op in module.walk():
        if isinstance(op, stablehlo.UniformQuantizeOp):
            op.attributes[ARITHMETIC] = ArithmeticAttr(Arithmetic(ArithmeticFamily.LITERT))
    return module


def test_floats_round_half_away_from_zero_as_litert() -> None:
    module = following_litert("f32")
    x = np.array([-0.25, 0.25, 0.75, 1e30, -1e30, np.nextafter(np.float32(0.25), np.float32(0))], np.float32)
    [expected] = evaluate(module, [x])
    assert expected.tolist() == [2, 4, 5, 127, -128, 3]
    run_passes(module, [LegalizeQuantToMath()])
    np.testing.assert_array_equal(evaluate(module, [x])[0], expected)


def test_integers_that_follow_litert_are_refused() -> None:
    refused = r"stablehlo\.uniform_quantize: it follows LiteRT's integer arithmetic.*Run the pass expand-litert first"
    with pytest.raises(ConversionError, match=refused):
        run_passes(following_litert("!quant.uniform<i8:f32, 0.25:3>"), [LegalizeQuantToMath()])
