"""The six conversions between real, affine and fixed-point values, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qconvert import numerics

EXAMPLES = settings(deadline=None, derandomize=True, database=None, max_examples=300)
INT8 = np.arange(-128, 128, dtype=np.int8)
SCALES = [1.0, 0.5, 0.1, 0.0078431377, 3.7e-5, 12.5]
ZERO_POINTS = [-128, -5, 0, 3, 127]

small_scales = st.floats(2.0**-20, 2.0**20, width=32)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("zero_point", ZERO_POINTS)
def test_every_int8_survives_each_way_round(scale: float, zero_point: int) -> None:
    real = numerics.affine_to_real(INT8, scale, zero_point)
    np.testing.assert_array_equal(numerics.real_to_affine(real, scale, zero_point, -128, 127, np.int8), INT8)
    fixed_point = numerics.affine_to_fixed_point(INT8, zero_point)
    back = numerics.fixed_point_to_affine(fixed_point, zero_point, -128, 127, np.int8)
    assert back.dtype == np.int8
    np.testing.assert_array_equal(back, INT8)
    np.testing.assert_array_equal(numerics.fixed_point_to_real(fixed_point, scale), real)
    np.testing.assert_array_equal(numerics.real_to_fixed_point(real, scale), fixed_point)


@pytest.mark.parametrize("zero_point", ZERO_POINTS)
@pytest.mark.parametrize("scale", SCALES)
def test_int8_reals_are_the_nearest_floats(scale: float, zero_point: int) -> None:
    """``float(q - zp) * scale`` has one rounding, which numpy's scalar product of the exact values has too."""
    exact = [Fraction(int(q) - zero_point) * Fraction(float(np.float32(scale))) for q in INT8]
    expected = [np.float32(float(value)) for value in exact]  # 8 times 24 bits fit a double, so it rounds once
    np.testing.assert_array_equal(numerics.affine_to_real(INT8, scale, zero_point), expected)


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.0625])
@pytest.mark.parametrize("zero_point", ZERO_POINTS)
def test_real_to_affine_is_the_way_through_fixed_point(scale: float, zero_point: int) -> None:
    """On every tie, between and beyond: round half to even, add the zero point, clamp."""
    real = np.arange(-1200, 1200, dtype=np.float32) / 4 * np.float32(scale)
    expected = [min(127, max(-128, round(Fraction(float(x)) / Fraction(scale)) + zero_point)) for x in real]
    direct = numerics.real_to_affine(real, scale, zero_point, -128, 127, np.int8)
    fixed_point = numerics.real_to_fixed_point(real, scale)
    np.testing.assert_array_equal(direct, expected)
    np.testing.assert_array_equal(numerics.fixed_point_to_affine(fixed_point, zero_point, -128, 127, np.int8), expected)


@EXAMPLES
@given(st.floats(-(2.0**40), 2.0**40, width=32), small_scales)
def test_fixed_point_is_the_nearest_multiple_within_int32(real: float, scale: float) -> None:
    found = int(numerics.real_to_fixed_point(np.float32(real), np.float32(scale)))
    quotient = float(np.float32(real) / np.float32(scale))
    expected = min(max(round(Fraction(quotient)), -(1 << 31)), (1 << 31) - 1)
    assert found == expected
    if abs(quotient) < 1 << 22:
        rounding = abs(quotient) * 2.0**-23  # of the quotient in float32
        assert abs(Fraction(real) / Fraction(scale) - found) <= Fraction(1, 2) + Fraction(rounding)


@EXAMPLES
@given(st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-(1 << 31), (1 << 31) - 1))
def test_integers_convert_exactly_at_every_width(affine: int, zero_point: int) -> None:
    fixed_point = numerics.affine_to_fixed_point(np.int32(affine), np.int32(zero_point))
    assert int(fixed_point) == affine - zero_point
    back = numerics.fixed_point_to_affine(fixed_point, zero_point, -(1 << 31), (1 << 31) - 1, np.int32)
    assert int(back) == affine


@EXAMPLES
@given(
    st.integers(2, 16),
    st.booleans(),
    st.floats(-(2.0**100), 2.0**100, width=32),
    small_scales,
    st.integers(0, (1 << 16) - 1),
)
def test_affine_values_stay_in_the_storage_range(
    bits: int, signed: bool, real: float, scale: float, offset: int
) -> None:
    low, high = numerics.storage_range(bits, signed)
    zero_point = low + offset % (high - low + 1)
    dtype = np.int32
    found = int(numerics.real_to_affine(np.float32(real), np.float32(scale), zero_point, low, high, dtype))
    assert low <= found <= high
    assert int(numerics.real_to_affine(np.float32(0), np.float32(scale), zero_point, low, high, dtype)) == zero_point
    assert float(numerics.affine_to_real(np.int32(zero_point), np.float32(scale), zero_point)) == 0.0


def test_infinities_saturate_and_nan_is_the_smallest() -> None:
    special = np.array([np.inf, -np.inf, np.nan], np.float32)
    np.testing.assert_array_equal(numerics.real_to_fixed_point(special, 0.5), [(1 << 31) - 1, -(1 << 31), -(1 << 31)])
    np.testing.assert_array_equal(numerics.real_to_affine(special, 0.5, 3, -127, 127, np.int8), [127, -127, -127])


def test_parameters_of_slices_broadcast() -> None:
    real = np.array([[1.0, 1.0], [-3.0, -3.0]], np.float32)
    affine = numerics.real_to_affine(real, np.array([0.5, 0.25], np.float32), np.array([0, -4]), -128, 127, np.int8)
    np.testing.assert_array_equal(affine, [[2, 0], [-6, -16]])
    np.testing.assert_array_equal(numerics.affine_to_real(affine, np.array([0.5, 0.25]), np.array([0, -4])), real)
    np.testing.assert_array_equal(numerics.affine_to_fixed_point(affine, np.array([0, -4])), [[2, 4], [-6, -12]])
