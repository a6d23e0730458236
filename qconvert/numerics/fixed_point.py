"""LiteRT's fixed-point functions: 32-bit integers with a number of integer bits, as its reference kernels use them.

Source: the algorithms of gemmlowp's ``fixedpoint.h`` (exp_on_negative_values, one_over_one_plus_x_for_x_in_0_1) as
TensorFlow Lite's reference kernels call them. A value with ``n`` integer bits is ``raw / 2^(31 - n)``.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = "npt.NDArray[np.int64]"

_INT32 = np.iinfo(np.int32)
ONE = _INT32.max
"""The largest value without integer bits, which stands for 1."""

_EXP_MINUS_EIGHTH = 1895147668
_THIRD = 715827883
_POWERS = ((-2, 1672461947), (-1, 1302514674), (0, 790015084), (1, 290630308), (2, 39332535), (3, 720401), (4, 242))
"""Exp(-2^k) for each bit of the integer part, and of the quarters."""

OVER_17_48, MINUS_32_OVER_17 = 1515870810, -1010580540
"""48/17 and -32/17 with two integer bits, from which Newton's steps start."""

NEWTON_STEPS = 3


def _int64(value: npt.ArrayLike) -> Integers:
    return np.asarray(value, np.int64)


def saturated(value: Integers) -> Integers:
    """Integers clamped to 32 bits."""
    return np.clip(value, _INT32.min, _INT32.max)


def doubling_high_multiply(a: npt.ArrayLike, b: npt.ArrayLike) -> Integers:
    """``a * b / 2^31`` of two 32-bit integers, halves up; the one product that overflows saturates.

    gemmlowp nudges by the sign and divides towards zero, which is the same.
    """
    return saturated((_int64(a) * _int64(b) + (1 << 30)) >> 31)


def divide_by_power(value: npt.ArrayLike, exponent: npt.ArrayLike) -> Integers:
    """``value / 2^exponent``, halves away from zero."""
    value, exponent = _int64(value), _int64(exponent)
    mask = (np.int64(1) << exponent) - 1
    threshold = (mask >> 1) + (value < 0)
    return (value >> exponent) + ((value & mask) > threshold)


def multiply_by_power(value: npt.ArrayLike, exponent: int) -> Integers:
    """``value * 2^exponent``, saturated to 32 bits."""
    return saturated(_int64(value) << exponent)


def _exp_of_quarter(raw: Integers) -> Integers:
    """Exp of values in [-1/4, 0) without integer bits: four terms of the series around -1/8."""
    x = raw + (1 << 28)
    squared = doubling_high_multiply(x, x)
    cubed, fourth = doubling_high_multiply(squared, x), doubling_high_multiply(squared, squared)
    terms = doubling_high_multiply(divide_by_power(fourth, 2) + cubed, _THIRD) + squared
    return _EXP_MINUS_EIGHTH + doubling_high_multiply(_EXP_MINUS_EIGHTH, x + divide_by_power(terms, 1))


def exp_on_negative_values(raw: npt.ArrayLike, integer_bits: int) -> Integers:
    """Exp of values from 0 down with ``integer_bits`` of at most 5; the result has none."""
    raw = _int64(raw)
    fraction = 31 - integer_bits
    quarter = np.int64(1) << (fraction - 2)
    below = (raw & (quarter - 1)) - quarter
    result = _exp_of_quarter(multiply_by_power(below, integer_bits))
    remainder = below - raw
    for exponent, factor in _POWERS:
        if integer_bits > exponent:
            has_bit = (remainder & (np.int64(1) << (fraction + exponent))) != 0
            result = np.where(has_bit, doubling_high_multiply(result, factor), result)
    return np.where(raw == 0, ONE, result)


def reciprocal_of_one_plus(raw: npt.ArrayLike) -> Integers:
    """``1 / (1 + x)`` for x in [0, 1) without integer bits, by three of Newton's steps; the result has none."""
    total = _int64(raw) + ONE
    half = (total + 1) >> 1  # a sum that is never negative, halves up
    x = OVER_17_48 + doubling_high_multiply(half, MINUS_32_OVER_17)
    for _ in range(NEWTON_STEPS):
        rest = (1 << 29) - doubling_high_multiply(half, x)
        x = x + multiply_by_power(doubling_high_multiply(x, rest), 2)
    return multiply_by_power(x, 1)


def reciprocal(value: npt.ArrayLike, integer_bits: int) -> tuple[Integers, Integers]:
    """``1 / value`` of positive 32-bit values: a factor without integer bits, and how far to shift its product."""
    value = _int64(value)
    headroom = 32 - np.frexp(value.astype(np.float64))[1].astype(np.int64)
    rest = (value << headroom) - (np.int64(1) << 31)
    return reciprocal_of_one_plus(rest), integer_bits - headroom
