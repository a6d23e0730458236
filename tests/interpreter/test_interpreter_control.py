"""Calls, control flow and checks."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.support.errors import CheckFailedError, ConversionError

BRANCHES = """
func.func @main(%i: tensor<i32>, %a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<2xf32>
  }, {
    %2 = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %1 = "stablehlo.case"(%i) ({
    %2 = stablehlo.add %a, %a : tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }, {
    stablehlo.return %0 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}"""
LOOP = """
func.func @main(%n: tensor<i32>, %a: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<2xf32>
   cond {
    %1 = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<2xf32>
}
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.double" %a {decomposition = @add} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @add(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
RECURSION = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
CHECK = """
func.func @main(%a: tensor<3x{0}>, %b: tensor<3x{0}>) {{
  {1}
  return
}}"""
VALUES = np.array([1.0, 2.0], np.float32)


@pytest.mark.parametrize(
    ("index", "chosen", "case"),
    [(0, -VALUES, 2 * VALUES), (1, VALUES, VALUES), (7, VALUES, VALUES), (-1, -VALUES, -VALUES)],
)
def test_branches_see_the_values_around_them(index: int, chosen: np.ndarray, case: np.ndarray) -> None:  # type: ignore[type-arg]
    found = evaluate(parse_module(BRANCHES), [np.array(index, np.int32), VALUES])
    assert [array.tolist() for array in found] == [chosen.tolist(), case.tolist()]


def test_a_loop_runs_until_its_condition_fails() -> None:
    count, values = evaluate(parse_module(LOOP), [np.array(5, np.int32), VALUES])
    assert int(count) == 5
    assert values.tolist() == (32 * VALUES).tolist()


def test_calls_without_end_are_refused() -> None:
    with pytest.raises(ConversionError, match="calls nest more than 64 deep at @main"):
        evaluate(parse_module(RECURSION), [VALUES])


def test_a_call_of_nothing_is_refused() -> None:
    with pytest.raises(ConversionError, match="there is no function @nobody with a body"):
        evaluate(parse_module(RECURSION.replace("call @main", "call @nobody")), [VALUES])


def test_unknown_targets_are_refused() -> None:
    text = CHECK.format("f32", "stablehlo.custom_call @other(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> ()")
    with pytest.raises(ConversionError, match="the target @other with 2 operands is not supported"):
        evaluate(parse_module(text), [np.zeros(3, np.float32)] * 2)


CLOSE = "check.expect_close %a, %b, max_ulp_difference"
NEXT = np.nextafter(np.float32(1), np.float32(2))


@pytest.mark.parametrize(
    ("check", "a", "b", "agrees"),
    [
        ("check.expect_eq %a, %b : tensor<3xf32>", [1, np.nan, -0.0], [1, np.nan, 0.0], True),
        ("check.expect_eq %a, %b : tensor<3xf32>", [1, 2, 3], [1, 2, 4], False),
        ("check.expect_almost_eq %a, %b : tensor<3xf32>", [1, np.inf, 3], [1.00005, np.inf, 3], True),
        ("check.expect_almost_eq %a, %b : tensor<3xf32>", [1, np.inf, 3], [1, -np.inf, 3], False),
        ("check.expect_almost_eq %a, %b, tolerance = 1.0 : tensor<3xf32>", [1, 2, 3], [2, 1, 3.5], True),
        ("check.expect_almost_eq %a, %b, tolerance = 0.5 : tensor<3xf32>", [1, 2, 3], [2, 1, 3.5], False),
        (
            "check.expect_close %a, %b, max_ulp_difference = 1 : tensor<3xf32>, tensor<3xf32>",
            [1, 0, 2],
            [NEXT, 0, 2],
            True,
        ),
        (
            "check.expect_close %a, %b, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>",
            [1, 0, 2],
            [NEXT, 0, 2],
            False,
        ),
    ],
)
def test_checks(check: str, a: list[float], b: list[float], agrees: bool) -> None:
    module = parse_module(CHECK.format("f32", check))
    inputs = [np.array(a, np.float32), np.array(b, np.float32)]
    if agrees:
        assert evaluate(module, inputs) == ()
    else:
        with pytest.raises(CheckFailedError, match=f"{check.split(maxsplit=1)[0]}: . of 3 elements differ"):
            evaluate(module, inputs)
