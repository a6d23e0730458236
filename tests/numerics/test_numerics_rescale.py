"""TOSA's multiplier and shift, against Python's big integers and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qconvert import numerics
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError

EXACT = (Rounding.SINGLE_ROUND, Rounding.DOUBLE_ROUND)
EXAMPLES = settings(deadline=None, derandomize=True, database=None, max_examples=300)


def reference(v: int, multiplier: int, shift: int, rounding: Rounding) -> int:
    """apply_scale_32 of the TOSA specification, in unbounded integers."""
    term = 1 << (shift - 1)
    if rounding is Rounding.DOUBLE_ROUND and shift > 31:
        term += (1 << 30) if v >= 0 else -(1 << 30)
    return (v * multiplier + term) >> shift


@EXAMPLES
@given(
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=30),
    st.integers(0, 2**31 - 1),
    st.integers(2, 62),
    st.sampled_from(EXACT),
)
@pytest.mark.slow
def test_rescale_of_32_bits_is_exact(values: list[int], multiplier: int, shift: int, rounding: Rounding) -> None:
    result = numerics.apply_rescale(np.array(values), multiplier, shift, rounding)
    assert result.dtype == np.int64
    assert result.tolist() == [reference(v, multiplier, shift, rounding) for v in values]


@pytest.mark.slow
@EXAMPLES
@given(
    st.lists(st.integers(-(2**47), 2**47 - 1), min_size=1, max_size=30), st.integers(0, 2**15 - 1), st.integers(2, 62)
)
def test_rescale_of_48_bits_is_exact(values: list[int], multiplier: int, shift: int) -> None:
    result = numerics.apply_rescale(np.array(values), np.int16(multiplier), np.int8(shift))
    assert result.tolist() == [reference(v, multiplier, shift, Rounding.SINGLE_ROUND) for v in values]


@pytest.mark.parametrize("rounding", EXACT)
def test_extremes_do_not_overflow(rounding: Rounding) -> None:
    for v in (2**31 - 1, -(2**31)):
        for shift in (2, 31, 32, 62):
            expected = reference(v, 2**31 - 1, shift, rounding)
            assert numerics.apply_rescale(np.int32(v), np.int32(2**31 - 1), np.int8(shift), rounding).item() == expected


def test_single_round_breaks_ties_upwards_and_double_round_away_from_zero() -> None:
    multiplier, shift = numerics.multiplier_and_shift(0.25)
    values = np.array([-6, -2, 2, 6], np.int32)
    assert numerics.apply_rescale(values, multiplier, shift).tolist() == [-1, 0, 1, 2]
    assert numerics.apply_rescale(values, multiplier, shift, Rounding.DOUBLE_ROUND).tolist() == [-2, -1, 1, 2]


def test_per_channel_multipliers_broadcast() -> None:
    multiplier, shift = numerics.multiplier_and_shift([0.5, 0.125])
    assert numerics.apply_rescale(np.array([[8, 8], [16, 16]]), multiplier, shift).tolist() == [[4, 1], [8, 2]]


def test_values_beyond_int64_are_refused() -> None:
    with pytest.raises(ConversionError, match=r"a rescale reaches 9223372036854775808, outside the 64 bits"):
        numerics.apply_rescale(np.array([-(2**33)]), 2**30, 31)


@EXAMPLES
@given(st.floats(2.0**-30, 2.0**28), st.sampled_from([16, 32]))
def test_multiplier_is_normalised_and_near(real: float, width: int) -> None:
    if real >= 2.0 ** (width - 3):
        real = real / 2.0**29
    multiplier, shift = numerics.multiplier_and_shift(real, width)
    assert 2 ** (width - 2) <= int(multiplier) < 2 ** (width - 1)
    assert 2 <= int(shift) <= 62
    error = abs(Fraction(int(multiplier), 2 ** int(shift)) - Fraction(real))
    assert error <= Fraction(1, 2 ** (int(shift) + 1))


@pytest.mark.parametrize(
    ("real", "width", "expected"),
    [
        (1.0, 32, (2**30, 30)),
        (0.5, 32, (2**30, 31)),
        (0.75, 32, (3 * 2**29, 31)),
        (1.0 - 2.0**-40, 32, (2**30, 30)),
        (1.0, 16, (2**14, 14)),
        (1.0 - 2.0**-20, 16, (2**14, 14)),
        (2.0**-32, 32, (2**30, 62)),
        (2.0**-33, 32, (2**29, 62)),
        (1.5 * 2.0**-35, 32, (3 * 2**26, 62)),
        (2.0**-70, 32, (0, 62)),
        (2.0**28, 32, (2**30, 2)),
    ],
)
def test_known_multipliers(real: float, width: int, expected: tuple[int, int]) -> None:
    multiplier, shift = numerics.multiplier_and_shift(real, width)
    assert (int(multiplier), int(shift)) == expected
    assert multiplier.dtype == np.dtype(f"int{width}")
    assert shift.dtype == np.int8


def test_multiplier_rounds_half_away_from_zero() -> None:
    multiplier, _ = numerics.multiplier_and_shift((2**30 + 0.5) / 2**31)
    assert int(multiplier) == 2**30 + 1


@pytest.mark.parametrize("real", [0.0, -1.0, np.nan, np.inf, 2.0**29])
def test_factors_without_multiplier_are_refused(real: float) -> None:
    with pytest.raises(ConversionError, match=r"the factor \S+ cannot be written as a 32-bit multiplier"):
        numerics.multiplier_and_shift([1.0, real])
