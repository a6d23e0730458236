"""Reductions under any schedule: with conversions to 32 bits the order never shows, in 8 bits it does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.schedule import Schedule, Shape
from qconvert.passes import make_pass
from qconvert.rewriting.base import run_passes
from qconvert.support.errors import ConversionError

Q8, Q32, OUT = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i32:f32, 0.5>", "!quant.uniform<i8:f32, 4.0:-7>"
SCHEDULES = [Schedule(Shape.LEFT), Schedule(Shape.BALANCED), *(Schedule(Shape.RANDOM, seed) for seed in range(20))]

TO_32 = f"""
  ^bb0(%a: tensor<{Q8}>):
    %1 = stablehlo.uniform_quantize %a : (tensor<{Q8}>) -> tensor<{Q32}>
    stablehlo.return %1 : tensor<{Q32}>
"""
TO_8 = f"""
  ^bb0(%a: tensor<{Q32}>):
    %1 = stablehlo.uniform_quantize %a : (tensor<{Q32}>) -> tensor<{OUT}>
    stablehlo.return %1 : tensor<{OUT}>
"""
SELECT = f"""
  ^bb0(%a: tensor<{Q8}>, %b: tensor<{Q8}>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<{Q8}>, tensor<{Q8}>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
"""


def sum_of(type: str) -> str:
    return f"""
  ^bb0(%a: tensor<{type}>, %b: tensor<{type}>):
    %1 = stablehlo.add %a, %b : tensor<{type}>
    stablehlo.return %1 : tensor<{type}>
"""


CONVERTED = "}, {".join([TO_32, sum_of(Q32), TO_8])
KINDS = {
    "reduce": ("dimensions = array<i64: 1>", ("5x12x3",), "5x3"),
    "reduce_window": (
        "window_dimensions = array<i64: 1, 4, 1>, window_strides = array<i64: 1, 2, 1>",
        ("5x12x3",),
        "5x5x3",
    ),
    "select_and_scatter": ("window_dimensions = array<i64: 4, 6>", ("5x7", "2x2"), "5x7"),
}


def program(kind: str, stages: str, result: str) -> str:
    """A reduction of one kind through stages, its initial value an argument."""
    attributes, shapes, results = KINDS[kind]
    types = [*(f"tensor<{shape}x{Q8}>" for shape in shapes), f"tensor<{Q8}>"]
    arguments = ", ".join(f"%x{i}: {type}" for i, type in enumerate(types))
    regions = f"{SELECT}}}, {{{stages}" if kind == "select_and_scatter" else stages
    names, signature = ", ".join(f"%x{i}" for i in range(len(types))), ", ".join(types)
    return f"""func.func @main({arguments}) -> tensor<{results}x{result}> {{
  %0 = "stablehlo.{kind}"({names}) <{{{attributes}}}> ({{{regions}}}) : ({signature}) -> tensor<{results}x{result}>
  return %0 : tensor<{results}x{result}>
}}"""


def inputs(kind: str, seed: int, initial: int = 3) -> list[NDArray[Any]]:
    """Random storage integers; the initial value is 0 as a real, or as asked."""
    draw = np.random.default_rng(seed)
    shapes = [tuple(map(int, shape.split("x"))) for shape in KINDS[kind][1]]
    return [*(draw.integers(-128, 128, shape).astype(np.int8) for shape in shapes), np.array(initial, np.int8)]


def summed(kind: str, values: list[NDArray[Any]]) -> NDArray[Any] | None:
    """The sums that exact arithmetic gives, for the kinds where numpy says them in a line."""
    centred = values[0].astype(np.int64) - 3
    if kind == "reduce":
        return np.asarray(centred.sum(axis=1))
    if kind == "reduce_window":
        return np.asarray(np.lib.stride_tricks.sliding_window_view(centred, 4, axis=1)[:, ::2].sum(axis=-1))
    return None


@pytest.mark.quick(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_with_conversions_to_32_bits_every_schedule_gives_the_same(kind: str, seed: int) -> None:
    module, values = parse_module(program(kind, CONVERTED, OUT)), inputs(kind, seed)
    [fast] = evaluate(module, values)
    for schedule in SCHEDULES:
        np.testing.assert_array_equal(evaluate(module, values, schedule)[0], fast, str(schedule))
    sums = summed(kind, values)
    if sums is not None:
        expected = np.clip(np.rint(sums * 0.5 / 4.0 - 7), -128, 127).astype(np.int8)
        np.testing.assert_array_equal(fast, expected)


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["reduce", "reduce_window", "select_and_scatter"])
def test_with_a_body_in_8_bits_the_order_shows(kind: str) -> None:
    # sums that saturate on the way depend on what they meet first
    module = parse_module(program(kind, sum_of(Q8), Q8))
    results = [[evaluate(module, inputs(kind, seed), s)[0].tobytes() for s in SCHEDULES] for seed in range(4)]
    assert max(len(set(found)) for found in results) > 1


def test_a_body_in_8_bits_overflows_where_32_bits_do_not() -> None:
    values = [np.full((5, 12, 3), 100, np.int8), np.array(3, np.int8)]
    [narrow] = evaluate(parse_module(program("reduce", sum_of(Q8), Q8)), values)
    [wide] = evaluate(parse_module(program("reduce", "}, {".join([TO_32, sum_of(Q32)]), Q32)), values)
    assert set(narrow.reshape(-1)) == {127}
    assert set(wide.reshape(-1)) == {12 * 97}


def test_initial_values_are_converted_as_often_as_they_are_met() -> None:
    # an initial value that is not 0 is for bodies where it changes nothing; here it counts
    module = parse_module(program("reduce", CONVERTED, OUT))
    left, mixed = (evaluate(module, inputs("reduce", 0, 9), s)[0] for s in (SCHEDULES[0], Schedule(Shape.RANDOM, 1)))
    assert (left != mixed).any()


# Between the forms.

FORMS = {
    "rfc": ("expand-reduction-conversions",),
    "spec": ("expand-reduction-conversions", "inline-reduction-conversions"),
    "widened": ("widen-reductions",),
    "accumulated": ("accumulate-reductions",),
}


@pytest.mark.quick(16)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("there", FORMS)
@pytest.mark.parametrize("back", FORMS)
def test_the_forms_mean_the_same(kind: str, there: str, back: str) -> None:
    stages = "}, {".join([TO_32, sum_of(Q32), TO_8])
    text = program(kind, stages, OUT)
    last = text.index(f"%x{len(KINDS[kind][1])}: ")
    # a constant initial value, which can be said in every type
    name = text[last : text.index(":", last)]
    constant = f"  {name} = stablehlo.constant() <{{value = dense<3> : tensor<i8>}}> : () -> tensor<{Q8}>\n"
    text = text.replace(f", {name}: tensor<{Q8}>)", ")", 1).replace("{\n", "{\n" + constant, 1)
    module = parse_module(text)
    values = inputs(kind, 7)[:-1]
    [expected] = evaluate(module, values)
    for steps in (FORMS[there], ("expand-reduction-conversions",), FORMS[back]):
        results = run_passes(module, [make_pass(step) for step in steps])
        assert not [refusal for result in results for refusal in result.refusals]
        np.testing.assert_array_equal(evaluate(module, values)[0], expected)


ACCUMULATED = f"""
  ^bb0(%e: tensor<{Q8}>, %a: tensor<{Q32}>):
    %1 = stablehlo.uniform_quantize %e : (tensor<{Q8}>) -> tensor<{Q32}>
    %2 = stablehlo.add %a, %1 : tensor<{Q32}>
    stablehlo.return %2 : tensor<{Q32}>
"""


@pytest.mark.parametrize("kind", KINDS)
def test_elements_and_accumulators_of_two_types_go_from_left_to_right_only(kind: str) -> None:
    text = program(kind, ACCUMULATED, Q32).replace(f"tensor<{Q8}>) -> tensor<{KINDS[kind][2]}x{Q32}> {{", "INIT", 1)
    text = text.replace("INIT", f"tensor<{Q32}>) -> tensor<{KINDS[kind][2]}x{Q32}> {{")
    head, _, tail = text.rpartition(f"tensor<{Q8}>) -> ")
    module, values = parse_module(f"{head}tensor<{Q32}>) -> {tail}"), inputs(kind, 0)
    values[-1] = np.array(5, np.int32)
    [fast] = evaluate(module, values)
    np.testing.assert_array_equal(evaluate(module, values, Schedule(Shape.LEFT))[0], fast)
    sums = summed(kind, values)
    if sums is not None:
        np.testing.assert_array_equal(fast, sums + 5)
    with pytest.raises(ConversionError, match="from left to right only"):
        evaluate(module, values, Schedule(Shape.BALANCED))
