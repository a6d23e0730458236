"""Exact ties, each computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert import load, numerics
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.interpreter.program import Program
from qconvert.validation.limits.rounded_ties import rounded_ties, shortcut
from qconvert.validation.limits.ties import NEAR, TieCounter
from tests.support.layer_programs import AVERAGE, X, Z
from tests.support.tflite_cases import Tensor, one_op

HALF = "!quant.uniform<i8:f32, 0.5>"
QUARTER = "!quant.uniform<i8:f32, 0.25>"
U, V = "!quant.uniform<u8:f32, 0.05:99>", "!quant.uniform<u8:f32, 0.04:100>"


def ties(text: str, *inputs: NDArray[Any]) -> list[Any]:
    found: list[Any] = TieCounter(parse_module(text)).of(inputs).ties.astype(int).tolist()
    return found


def quantize(count: int, element: str = X) -> str:
    return f"""
func.func @main(%x: tensor<{count}xf32>) -> tensor<{count}x{element}> {{
  %q = stablehlo.uniform_quantize %x : (tensor<{count}xf32>) -> tensor<{count}x{element}>
  return %q : tensor<{count}x{element}>
}}"""


def test_quantizing_half_a_step() -> None:
    # steps: 0.5, 0.6, -0.5, 1.5, 1, 0
    x = np.array([0.25, 0.3, -0.25, 0.75, 0.5, 0.0], np.float32)
    assert ties(quantize(6), x) == [1, 0, 1, 1, 0, 0]


def test_what_saturates_is_no_tie() -> None:
    # the zero point 3 leaves -131 .. 124 steps: 123.5, 124.5, -130.5, -131.5
    x = np.array([61.75, 62.25, -65.25, -65.75], np.float32)
    assert ties(quantize(4), x) == [1, 0, 1, 0]


def test_no_number_is_no_tie() -> None:
    assert ties(quantize(3), np.array([np.nan, np.inf, -np.inf], np.float32)) == [0, 0, 0]


def test_the_errors_of_litert_s_kernels_are_ties() -> None:
    """LiteRT interpolates TANH of 16 bits in a table, and gives another integer than the function for some inputs."""
    integers = np.arange(-(2**15), 2**15, 16, dtype=np.int16).reshape(1, -1)
    operand, made = (Tensor(integers.shape, scale, 0, "INT16") for scale in (0.000166, 2.0**-15))
    module = load(one_op("TANH", [operand], [made])).module
    [kernel] = evaluate(module, [integers])
    function = np.round(np.tanh(integers * float(np.float32(0.000166))) * 2**15).clip(max=2**15 - 1)
    is_tie = TieCounter(module).of([integers]).ties
    assert (kernel != function).any()
    assert is_tie[kernel != function].all()
    assert not is_tie[kernel == function].all()


def test_the_mean_of_two_integers() -> None:
    # means: 1.5, 2, -0.5
    assert ties(AVERAGE, np.array([[1, 2], [1, 3], [-4, 3]], np.int8)) == [1, 0, 1]


def test_adding_steps_of_two_sizes() -> None:
    text = f"""
func.func @main(%a: tensor<5x{HALF}>, %b: tensor<5x{QUARTER}>) -> tensor<5x{Z}> {{
  %s = stablehlo.add %a, %b : (tensor<5x{HALF}>, tensor<5x{QUARTER}>) -> tensor<5x{Z}>
  return %s : tensor<5x{Z}>
}}"""
    # sums: 0.5, 0.75, 1.0, -2.5, 1.5
    a, b = np.array([1, 1, 1, -5, 2], np.int8), np.array([0, 1, 2, 0, 2], np.int8)
    assert ties(text, a, b) == [1, 0, 0, 1, 1]


def test_requantizing_an_accumulator() -> None:
    wide = "!quant.uniform<i32:f32, 0.25>"
    text = f"""
func.func @main(%a: tensor<4x{wide}>) -> tensor<4x{HALF}> {{
  %s = stablehlo.uniform_quantize %a : (tensor<4x{wide}>) -> tensor<4x{HALF}>
  return %s : tensor<4x{HALF}>
}}"""
    assert ties(text, np.array([1, 2, -3, 1001], np.int32)) == [1, 0, 1, 0]


MOVES = {
    "stablehlo.transpose %q, dims = [1, 0] : (tensor<2x2x{q}>) -> tensor<2x2x{q}>": [[0, 0], [1, 0]],
    "stablehlo.reverse %q, dims = [1] : tensor<2x2x{q}>": [[1, 0], [0, 0]],
    "stablehlo.concatenate %q, %q, dim = 1 : (tensor<2x2x{q}>, tensor<2x2x{q}>) -> tensor<2x4x{q}>": [
        [0, 1, 0, 1],
        [0, 0, 0, 0],
    ],
    "stablehlo.slice %q [0:2, 1:2] : (tensor<2x2x{q}>) -> tensor<2x1x{q}>": [[1], [0]],
    "stablehlo.reshape %q : (tensor<2x2x{q}>) -> tensor<4x{q}>": [0, 1, 0, 0],
    "stablehlo.clamp %q, %q, %q : tensor<2x2x{q}>": [[0, 1], [0, 0]],
    "stablehlo.pad %q, %z, low = [0, 1], high = [0, 0], interior = [0, 0]"
    " : (tensor<2x2x{q}>, tensor<{q}>) -> tensor<2x3x{q}>": [[0, 0, 1], [0, 0, 0]],
}


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.split()[0])
def test_ties_move_with_their_elements(move: str) -> None:
    result = (move.rpartition("->")[2] if "->" in move else move.rpartition(" : ")[2]).format(q=X)
    text = f"""
func.func @main(%x: tensor<2x2xf32>) -> {result} {{
  %z = stablehlo.constant() <{{value = dense<3> : tensor<i8>}}> : () -> tensor<{X}>
  %q = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x{X}>
  %y = {move.format(q=X)}
  return %y : {result}
}}"""
    assert ties(text, np.array([[0.0, 0.25], [0.1, 0.5]], np.float32)) == MOVES[move]


def test_the_tie_of_an_element_that_is_not_selected_does_not_count() -> None:
    text = f"""
func.func @main(%p: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2x{X}>) -> tensor<2x{X}> {{
  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x{X}>
  %s = stablehlo.select %p, %q, %y : tensor<2xi1>, tensor<2x{X}>
  return %s : tensor<2x{X}>
}}"""
    x = np.array([0.25, 0.25], np.float32)
    assert ties(text, np.array([True, False]), x, np.zeros(2, np.int8)) == [1, 0]


@pytest.mark.slow
def test_a_sum_ties_as_far_as_float32_can_tell() -> None:
    """The scales' ratio is 42 but for the last bits, which a sum of float32 numbers does not keep."""
    narrow, wide = "!quant.uniform<ui8:f32, 0.003921568859368563>", "!quant.uniform<i32:f32, 0.003921568859368563>"
    result = "!quant.uniform<ui8:f32, 0.16470588743686676>"
    text = f"""
func.func @main(%x: tensor<3x2x{narrow}>) -> tensor<3x{result}> {{
  %z = stablehlo.constant() <{{value = dense<0> : tensor<ui8>}}> : () -> tensor<{narrow}>
  %s = "stablehlo.reduce"(%x, %z) <{{dimensions = array<i64: 1>}}> ({{
  ^bb0(%e: tensor<{narrow}>):
    %w = stablehlo.uniform_quantize %e : (tensor<{narrow}>) -> tensor<{wide}>
    stablehlo.return %w : tensor<{wide}>
  }}, {{
  ^bb0(%a: tensor<{wide}>, %b: tensor<{wide}>):
    %c = stablehlo.add %a, %b : tensor<{wide}>
    stablehlo.return %c : tensor<{wide}>
  }}, {{
  ^bb0(%t: tensor<{wide}>):
    %q = stablehlo.uniform_quantize %t : (tensor<{wide}>) -> tensor<{result}>
    stablehlo.return %q : tensor<{result}>
  }}) : (tensor<3x2x{narrow}>, tensor<{narrow}>) -> tensor<3x{result}>
  return %s : tensor<3x{result}>
}}"""
    # sums: 21, 63, 64 of 42
    assert ties(text, np.array([[20, 1], [60, 3], [60, 4]], np.uint8)) == [1, 1, 0]


@pytest.mark.slow
def test_a_composite_ties_as_far_as_float32_can_tell() -> None:
    """Softmax of equal numbers is 1/2, of numbers that differ by 2 about 0.8808 and 0.1192."""
    text = """
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, RESULT>> {
  %s = "qconvert.softmax"(%x) <{axis = 1 : i64}> : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, RESULT>>
  return %s : tensor<2x2x!quant.uniform<i8:f32, RESULT>>
}"""
    x = np.array([[1, 1], [2, 0]], np.float32)
    for scale, expected in ((1 / 21, [[1, 1], [0, 0]]), (0.880797 / 10.5, [[0, 0], [1, 0]]), (0.05, [[0, 0], [0, 0]])):
        assert ties(text.replace("RESULT", repr(scale)), x) == expected


def test_terms_that_cancel_tie_as_far_as_float32_can_tell() -> None:
    """Steps 43 and -25 at 3/8 and 5/8 are half a step: float32 errs by parts of the terms, not of their sum."""
    element = "!quant.uniform<i8:f32, 0.04958180710673332:60>"
    operand, result = f"tensor<1x1x2x1x{element}>", f"tensor<1x1x8x1x{element}>"
    text = f"""
func.func @main(%x: {operand}) -> {result} {{
  %y = "qconvert.resize"(%x) <{{axes = array<i64: 2>, scales = array<f64: 4.0>,
    coordinates = #qconvert<coordinates half_pixel>}}> : ({operand}) -> {result}
  return %y : {result}
}}"""
    found = TieCounter(parse_module(text)).of([np.array([103, 35], np.int8).reshape(1, 1, 2, 1)]).ties
    assert found.ravel().tolist() == [False, False, True, True, True, True, False, False]


def test_the_result_is_not_computed_where_ties_follow_from_the_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    monkeypatch.setattr(Program, "run", lambda *_: ran.append(1))
    text = f"""
func.func @main(%x: tensor<2x{X}>) -> tensor<2x{X}> {{
  %y = stablehlo.reverse %x, dims = [0] : tensor<2x{X}>
  return %y : tensor<2x{X}>
}}"""
    assert ties(text, np.array([1, 2], np.int8)) == [0, 0]
    assert not ran


SUMS = {
    "one scale": "i32:f32, 0.25",
    "a scale for each slice": "i32:f32:1, {0.25, 0.75, 0.1, 0.003}",
    "one slice": "i32:f32:1, {0.125}",
}


@pytest.mark.parametrize("scales", [(0.05, 0.02, 0.05), (0.05, 0.02, 0.06), (0.05, 0.012, 0.06)])
def test_sums_at_scales_of_a_few_decimals_tie_as_far_as_float32_can_tell(scales: tuple[float, float, float]) -> None:
    """In decimals a multiple of the product is a half; in float32 it is some 1e-7 off, to either side."""
    image, weights, result = (float(np.float32(scale)) for scale in scales)
    sums, source = np.arange(2000, dtype=np.int32), f"tensor<2000x!quant.uniform<i32:f32, {image * weights!r}>>"
    target = f"tensor<2000x!quant.uniform<i8:f32, {result!r}:3>>"
    text = f"""func.func @main(%x: {source}) -> {target} {{
      %y = stablehlo.uniform_quantize %x : ({source}) -> {target}
      return %y : {target}
    }}"""
    decimals = sums * scales[0] * scales[1] / scales[2]
    expected = (np.abs(decimals % 1 - 0.5) < 1e-9) & (decimals < 124)
    assert expected.sum() > 10
    assert ties(text, sums) == expected.astype(int).tolist()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
@pytest.mark.parametrize("result", ["i8:f32, 0.5:3", "u8:f32, 0.2:17", "i8:f32, 4.0:-128"])
@pytest.mark.parametrize("sums", SUMS)
def test_sums_have_the_ties_of_the_formula(
    sums: str, result: str, order: tuple[int, ...], random: np.random.Generator
) -> None:
    shape = (5, 1 if sums == "one slice" else 4, 700)
    source, target = (
        f"tensor<{'x'.join(map(str, shape))}x!quant.uniform<{element}>>" for element in (SUMS[sums], result)
    )
    text = f"""func.func @main(%x: {source}) -> {target} {{
      %y = stablehlo.uniform_quantize %x : ({source}) -> {target}
      return %y : {target}
    }}"""
    module = parse_module(text)
    op = main_function(module).body.block.first_op
    assert op is not None
    fast = shortcut(op)
    assert fast is not None
    stored = random.integers(-1000, 1000, [shape[i] for i in order]) << random.integers(
        0, 15, [shape[i] for i in order]
    )
    array = stored.astype(np.int32).transpose(np.argsort(order))
    expected = rounded_ties(op, [array])
    assert expected.any()
    np.testing.assert_array_equal(fast(array), expected)


def test_there_is_no_shortcut_for_scales_that_float32_does_not_hold() -> None:
    text = """func.func @main(%x: tensor<2x!quant.uniform<i32:f32, 1.0e-30>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
      %y = stablehlo.uniform_quantize %x
        : (tensor<2x!quant.uniform<i32:f32, 1.0e-30>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
      return %y : tensor<2x!quant.uniform<i8:f32, 0.5>>
    }"""
    op = main_function(parse_module(text)).body.block.first_op
    assert op is not None
    assert shortcut(op) is None


def test_a_table_has_the_ties_of_the_formula() -> None:
    source, target = (f"tensor<256x!quant.uniform<{element}>>" for element in ("i8:f32, 0.25:7", "i8:f32, 0.5:-3"))
    op = main_function(
        parse_module(f"""func.func @main(%x: {source}) -> {target} {{
          %y = stablehlo.uniform_quantize %x : ({source}) -> {target}
          return %y : {target}
        }}""")
    ).body.block.first_op
    assert op is not None
    every, fast = np.arange(-128, 128).astype(np.int8), shortcut(op)
    assert fast is not None
    expected = rounded_ties(op, [every])
    assert expected.any()
    np.testing.assert_array_equal(fast(every), expected)


@pytest.mark.parametrize("tolerance", [numerics.TIE_TOLERANCE, 2.0**-20])
@pytest.mark.parametrize("largest", [1.0, 1e3, 1e6, 1e10])
def test_the_search_near_halves_finds_all_ties(tolerance: float, largest: float, random: np.random.Generator) -> None:
    real = np.round(random.uniform(-largest, largest, (3, 20_000)) * 2) / 2
    real[0] += random.uniform(-2, 2, 20_000) * tolerance * np.maximum(1, np.abs(real[0]))
    real[1, :4] = np.nan, np.inf, -np.inf, 0.5
    distance = np.abs(real[:, 4:] - np.floor(real[:, 4:]) - 0.5)
    expected = (distance <= tolerance * np.maximum(1, np.abs(real[:, 4:]))) & (np.abs(real[:, 4:]) < 2.0**32)
    np.testing.assert_array_equal(numerics.is_tie(real, tolerance)[:, 4:], expected)
    np.testing.assert_array_equal(numerics.is_tie(real.T, tolerance).T[:, 4:], expected)
    assert numerics.is_tie(real, tolerance)[1, :4].tolist() == [False, False, False, True]


def test_a_float_mean_of_terms_that_cancel() -> None:
    # means of 86 and -82, 86 and -84, 86 and -80 steps: 2.5, 1.25 and 3.75 steps of the result. The first is near a
    # half within the precision of its terms, not of itself
    text = f"""
func.func @main(%x: tensor<3x2x{U}>) -> tensor<3x{V}> {{
  %d = stablehlo.uniform_dequantize %x : (tensor<3x2x{U}>) -> tensor<3x2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
  %c = stablehlo.constant dense<2.0> : tensor<3xf32>
  %m = stablehlo.divide %s, %c : tensor<3xf32>
  %q = stablehlo.uniform_quantize %m : (tensor<3xf32>) -> tensor<3x{V}>
  return %q : tensor<3x{V}>
}}"""
    assert ties(text, np.array([[185, 17], [185, 15], [185, 19]], np.uint8)) == [1, 0, 0]


def test_what_is_near_a_tie_is_found_where_it_is_asked() -> None:
    # steps: 0.5, 0.6, 0.65, -0.4, 1, 0
    x = np.array([0.25, 0.3, 0.325, -0.2, 0.5, 0.0], np.float32)
    found = TieCounter(parse_module(quantize(6))).of([x])
    assert found.near().astype(int).tolist() == [1, 1, 0, 1, 0, 0]
    places, apart = np.arange(4), np.array([1, -1, 1, 2])
    rounded, inaccurate = found.explained(places, apart)
    assert rounded.tolist() == [True, True, False, False]
    assert not inaccurate.any()


def test_sums_near_a_tie_are_those_of_the_formula(random: np.random.Generator) -> None:
    sums = random.integers(-(2**20), 2**20, (1, 3, 50), dtype=np.int32)
    source = "tensor<1x3x50x!quant.uniform<i32:f32:1, {0.0013,0.0007,0.0021}>>"
    result = "tensor<1x3x50x!quant.uniform<i8:f32, 0.9:5>>"
    text = f"""
func.func @main(%x: {source}) -> {result} {{
  %q = stablehlo.uniform_quantize %x : ({source}) -> {result}
  return %q : {result}
}}"""
    found = TieCounter(parse_module(text)).of([sums]).near()
    steps = sums * np.array([0.0013, 0.0007, 0.0021]).reshape(1, 3, 1) / 0.9
    inside = (steps > -133) & (steps < 122)
    assert np.array_equal(found, (np.abs(steps - np.floor(steps) - 0.5) <= NEAR) & inside)
