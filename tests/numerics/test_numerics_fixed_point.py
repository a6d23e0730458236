"""LiteRT's 16-bit functions on every integer, beside the reals they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.numerics import fixed_point

EVERY = np.arange(-(1 << 15), 1 << 15)


@pytest.mark.parametrize("integer_bits", range(7))
def test_tanh_of_16_bits(integer_bits: int) -> None:
    found = fixed_point.tanh(EVERY, integer_bits)
    real = np.tanh(EVERY / 2.0 ** (15 - integer_bits)) * 2**15
    assert np.abs(found - real).max() < 13
    np.testing.assert_array_equal(found[1:], -found[:0:-1])


def test_logistic_of_16_bits() -> None:
    found = fixed_point.logistic(EVERY, 3)
    real = 2**15 / (1 + np.exp(-EVERY / 2.0**12))
    assert np.abs(found - real).max() < 7
    assert found[1 << 15] == 1 << 14
    np.testing.assert_array_equal(found[1:] + found[:0:-1] - (1 << 15), np.where(EVERY[1:] == 0, 0, -1))


def test_functions_of_32_bits_are_finer() -> None:
    raw = EVERY << 16
    real = 2**31 / (1 + np.exp(-EVERY / 2.0**12))
    assert np.abs(fixed_point.logistic(raw, 3, 32) - real).max() < 2**31 * 2e-7
    assert np.abs(fixed_point.tanh(raw, 3, 32) - np.tanh(EVERY / 2.0**12) * 2**31).max() < 2**31 * 2e-7


@pytest.mark.parametrize("integer_bits", [3, 4])
def test_a_table_of_16_bits_holds_the_function_and_is_made_once(integer_bits: int) -> None:
    for function in (fixed_point.logistic, fixed_point.tanh):
        table = fixed_point.table_of_16_bits(function, integer_bits)
        assert np.array_equal(table, function(EVERY, integer_bits))
        assert table is fixed_point.table_of_16_bits(function, integer_bits)
        assert not table.flags.writeable
