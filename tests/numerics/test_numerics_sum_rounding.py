"""Rounded sums equal the formula's, before and after their steps are prepared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert.numerics import SumRounding, requantize_onnx, requantize_stablehlo
from qconvert.numerics.rounding_steps import RoundingSteps, rounding_steps

ROWS = 7


def store_twice(rounding: SumRounding, sums: NDArray[Any], dtype: type[np.integer[Any]]) -> list[NDArray[Any]]:
    """Return the integers of sums by the formula, and again by steps if there are any."""
    results = [np.empty(sums.shape, dtype) for _ in range(2)]
    for result in results:
        rounding.store(sums, result)
    return results


@pytest.mark.parametrize("bounds", [(-128, 127), (0, 255), (-8, 7), (3, 3), (-32768, 32767)])
@pytest.mark.parametrize("is_onnx", [True, False])
@pytest.mark.parametrize("scale", [2.0**-9, 2.0**-3, 0.00173, 0.5, 1e-30, 1e-60, 3e7])
def test_rounded_sums_are_those_of_the_formula(
    scale: float, is_onnx: bool, bounds: tuple[int, int], random: np.random.Generator
) -> None:
    sums = random.integers(-(1 << 23), 1 << 23, (ROWS, 5000)) >> random.integers(0, 20, (ROWS, 1))
    bias, zero_point = (random.integers(-100, 100, (ROWS, 1)).astype(np.float64) for _ in range(2))
    scales, one = scale * 2.0 ** random.integers(-3, 3, (ROWS, 1)), np.ones((1, 1))
    dtype = np.uint8 if bounds[1] == 255 else np.int16 if bounds[1] > 255 else np.int8
    formula = requantize_onnx if is_onnx else requantize_stablehlo
    expected = formula(sums + bias, scales, one, zero_point, *bounds, dtype)
    for held in (np.float32, np.float64):
        rounding = SumRounding(bias, scales, one, zero_point, *bounds, is_onnx)
        for result in store_twice(rounding, sums.astype(held), dtype):
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("is_onnx", [True, False])
@pytest.mark.parametrize("scale", [2.0**-9, 2.0**-3, 0.00173, 0.01, 0.3, 0.9])
def test_steps_are_those_of_the_formula_for_every_sum(scale: float, is_onnx: bool, random: np.random.Generator) -> None:
    bias, ratio = random.integers(-900, 900, (ROWS, 1)).astype(np.float64), scale * random.uniform(0.5, 1, (ROWS, 1))
    formula = requantize_onnx if is_onnx else requantize_stablehlo
    zero_point, one = np.full((1, 1), -7.0), np.ones((1, 1))
    rounding = SumRounding(bias, ratio, one, zero_point, -128, 127, is_onnx)
    steps = rounding._steps  # the cached preparation; store() takes it after some thousand sums
    assert isinstance(steps, RoundingSteps)
    reach = int(300 / ratio.min()) + 1000
    sums = np.tile(np.arange(-reach, reach, dtype=np.float32), (ROWS, 1))
    found = np.empty(sums.shape, np.int8)
    steps.store(sums, found)
    np.testing.assert_array_equal(found, formula(sums + bias, ratio, one, zero_point, -128, 127, np.int8))


def exceptions(ratio: float, random: np.random.Generator) -> int:
    ratios = ratio * random.uniform(0.5, 1, (ROWS, 1))
    shift = random.uniform(-1, 1, (ROWS, 1))

    def formula(sums: NDArray[Any], rows: slice) -> NDArray[np.int64]:
        return np.asarray(np.clip(np.rint(sums * ratios[rows] + shift[rows]), -128, 127), np.int64)

    steps = rounding_steps(formula, ratios, shift, -128, 127)
    assert steps is not None
    return len(steps.rows)


def test_small_factors_have_exceptions(random: np.random.Generator) -> None:
    """Floats near 128 are 2^-17 apart or more, so they do not tell all sums of a small factor apart."""
    assert exceptions(0.1, random) == 0
    assert 0 < exceptions(0.0005, random) <= 4 * ROWS


@pytest.mark.parametrize("wrong", [2, 5])
def test_a_formula_that_floats_do_not_follow_has_no_steps(wrong: int) -> None:
    def formula(sums: NDArray[Any], rows: slice) -> NDArray[np.int64]:
        return np.asarray(np.clip(np.rint(sums * 0.25) + (sums > 40) * wrong, -128, 127), np.int64)

    assert rounding_steps(formula, np.full((1, 1), 0.25), np.zeros((1, 1)), -128, 127) is None
