"""Requantization of accumulators, ties, and biases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qconvert import numerics
from qconvert.support.errors import ConversionError

EXAMPLES = settings(deadline=None, derandomize=True, database=None, max_examples=300)

ACCUMULATORS = np.concatenate([np.arange(-3000, 3000), np.array([2**31 - 1, -(2**31)])]).astype(np.int32)


def exact(accumulator: int, scale_in: float, scale_out: float) -> Fraction:
    return Fraction(int(accumulator)) * Fraction(scale_in) / Fraction(scale_out)


def single(value: float) -> float:
    return float(np.float32(value))


@pytest.mark.quick(3)
@pytest.mark.parametrize(("scale_in", "scale_out"), [(0.25, 2.0), (0.3, 0.6), (1.7e-4, 0.031), (3.0, 3.1)])
@pytest.mark.parametrize("zero", [-128, -7, 0, 3])
def test_both_orders_equal_exact_arithmetic(scale_in: float, scale_out: float, zero: int) -> None:
    scale_in, scale_out = single(scale_in), single(scale_out)
    onnx = numerics.requantize_onnx(ACCUMULATORS, scale_in, scale_out, zero, -128, 127, np.int8)
    stablehlo = numerics.requantize_stablehlo(ACCUMULATORS, scale_in, scale_out, zero, -128, 127, np.int8)
    real = [exact(accumulator, scale_in, scale_out) for accumulator in ACCUMULATORS]
    assert onnx.tolist() == [min(max(round(value) + zero, -128), 127) for value in real]
    assert stablehlo.tolist() == [min(max(round(value + zero), -128), 127) for value in real]


def test_orders_differ_exactly_on_the_ties_of_an_odd_zero_point() -> None:
    accumulators = np.arange(-200, 200, dtype=np.int32)
    tie = numerics.is_tie(numerics.requantized_real(accumulators, 0.25))
    assert tie.sum() == 100
    onnx = numerics.requantize_onnx(accumulators, 0.25, 1.0, 3, -128, 127, np.int8)
    stablehlo = numerics.requantize_stablehlo(accumulators, 0.25, 1.0, 3, -128, 127, np.int8)
    np.testing.assert_array_equal(onnx != stablehlo, tie)


def test_requantized_real_broadcasts_per_channel() -> None:
    real = numerics.requantized_real(np.array([[4, 8], [12, 16]], np.int32), np.array([0.5, 0.25]), 2.0)
    assert real.dtype == np.float64
    assert real.tolist() == [[1.0, 1.0], [3.0, 2.0]]


def test_ties_survive_scales_that_are_no_powers_of_two() -> None:
    scale_in, scale_out = single(0.3), single(0.6)
    assert numerics.is_tie(numerics.requantized_real(5, scale_in, scale_out)).item()
    assert exact(5, scale_in, scale_out) == Fraction(5, 2)


def test_real_divides_once() -> None:
    accumulators = np.arange(-500, 500)
    assert numerics.requantized_real(accumulators, 49.0, 98.0).tolist() == (accumulators / 2).tolist()


@pytest.mark.parametrize("integer", [-1000000, -3, -1, 0, 1, 2, 7, 123456789])
def test_tie_tolerance(integer: int) -> None:
    half, margin = integer + 0.5, max(1.0, abs(integer + 0.5)) * numerics.TIE_TOLERANCE
    assert numerics.is_tie([half, half + margin / 2, half - margin / 2]).all()
    assert not numerics.is_tie([half + 2.5 * margin, half - 2.5 * margin, integer, integer + 0.25]).any()


def test_what_is_never_a_tie() -> None:
    assert not numerics.is_tie([np.nan, np.inf, -np.inf, 2.0**40 + 0.5, 2.0**52 + 0.5]).any()


def test_a_wider_tolerance_serves_float32_values() -> None:
    real = np.float64(np.nextafter(np.float32(2.5), np.float32(3)))
    assert not numerics.is_tie(real)
    assert numerics.is_tie(real, 2.0**-20)


def test_bias_rounds_half_to_even_and_tells_the_loss() -> None:
    result, loss = numerics.quantize_bias(np.array([0.25, 0.75, 1.25, 1.0]), 0.5)
    assert result.dtype == np.int32
    assert (result.tolist(), loss) == ([0, 2, 2, 2], 0.5)


def test_float_bias() -> None:
    result, loss = numerics.quantize_bias(np.array([0.3, -1.0], np.float32), np.array([0.25, 0.5]))
    assert result.tolist() == [1, -2]
    assert loss == pytest.approx(0.2, rel=1e-6)
    assert numerics.quantize_bias(np.zeros(0, np.float32), 0.5)[1] == 0.0


@pytest.mark.parametrize(
    ("bias", "scale", "text"),
    [
        ([1.0, 3e9], 1.0, r"bias value 3000000000\.0 \(element 1\) is 3e\+09 LSB .* outside int32"),
        ([-1.0], 1e-10, r"bias value -1\.0 \(element 0\) is -1e\+10 LSB"),
        ([np.nan], 1.0, r"bias value nan \(element 0\) is nan LSB"),
        ([0.0, np.inf], 1.0, r"bias value inf \(element 1\)"),
        ([2147483647.5], 1.0, r"bias value 2147483647\.5"),
    ],
)
def test_bias_outside_int32_is_refused_with_its_value(bias: list[float], scale: float, text: str) -> None:
    with pytest.raises(ConversionError, match=text):
        numerics.quantize_bias(np.array(bias), scale)


@pytest.mark.slow
@EXAMPLES
@given(
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=20), st.integers(-20, 20), st.integers(-128, 127)
)
def test_power_of_two_requantization_is_exact(values: list[int], exponent: int, zero: int) -> None:
    scale = 2.0**exponent
    result = numerics.requantize_onnx(np.array(values), scale, 1.0, zero, -128, 127, np.int8)
    assert result.tolist() == [min(max(round(Fraction(v) * Fraction(scale)) + zero, -128), 127) for v in values]
