"""LiteRT's fixed-point functions on integers of 32 or 16 bits, of which some are integer bits.

Source: the algorithms of gemmlowp's ``fixedpoint.h`` (exp_on_negative_values, one_over_one_plus_x_for_x_in_0_1, tanh,
logistic) as TensorFlow Lite's reference kernels call them. A value of ``width`` bits with ``n`` integer bits is
``raw / 2^(width - 1 - n)``; constants of 16 bits are those of 32 bits rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = "npt.NDArray[np.int64]"

ONE = np.iinfo(np.int32).max
"""The largest value of 32 bits without integer bits; it represents 1."""

_EXP_MINUS_EIGHTH = 1895147668
_THIRD = 715827883
_POWERS = ((-2, 1672461947), (-1, 1302514674), (0, 790015084), (1, 290630308), (2, 39332535), (3, 720401), (4, 242))
"""``exp(-2^k)`` for each integer bit and the two highest fraction bits."""

OVER_17_48, MINUS_32_OVER_17 = 1515870810, -1010580540
"""48/17 and -32/17 with two integer bits: the start of Newton's iteration."""

NEWTON_STEPS = 3

ADD_BITS = {8: 20, 16: 15}
"""The number of bits by which ADD and SUB shift operands to the left before they rescale them, by storage width."""

FINE_FACTORS = {8: 1 << 7, 16: 1 << 14}
"""Integers by which the TFLite writer multiplies values to change their scale, by storage width: a product has so many
times more steps than its factor's between MUL's two roundings."""

LEAST_SQUARES = float(np.float32(1e-6))
"""The least sum of squares in L2_NORMALIZATION of floats."""

SQUARED_DIFFERENCE_BITS = 7
"""The number of bits by which SQUARED_DIFFERENCE shifts operands to the left before it rescales them."""


def _int64(value: npt.ArrayLike) -> Integers:
    return np.asarray(value, np.int64)


def _constant(value: int, width: int) -> int:
    """Return a 32-bit constant rounded to ``width`` bits."""
    return int(divide_by_power(value, 32 - width))


def _one(width: int) -> int:
    return ONE >> (32 - width)


def saturated(value: Integers, width: int = 32) -> Integers:
    """Clamp integers to ``width`` bits."""
    return np.clip(value, -(1 << (width - 1)), (1 << (width - 1)) - 1)


def doubling_high_multiply(a: npt.ArrayLike, b: npt.ArrayLike, width: int = 32) -> Integers:
    """Return ``a * b / 2^(width - 1)`` of two integers, halves up; the one product that overflows saturates.

    gemmlowp adds a nudge of the product's sign and divides towards zero, which gives the same result.
    """
    return saturated((_int64(a) * _int64(b) + (1 << (width - 2))) >> (width - 1), width)


def divide_by_power(value: npt.ArrayLike, exponent: npt.ArrayLike) -> Integers:
    """Return ``value / 2^exponent``, halves away from zero."""
    value, exponent = _int64(value), _int64(exponent)
    mask = (np.int64(1) << exponent) - 1
    threshold = (mask >> 1) + (value < 0)
    return (value >> exponent) + ((value & mask) > threshold)


def multiply_by_power(value: npt.ArrayLike, exponent: int, width: int = 32) -> Integers:
    """Return ``value * 2^exponent``, saturated to ``width`` bits."""
    return saturated(_int64(value) << exponent, width)


def _exp_of_quarter(raw: Integers, width: int) -> Integers:
    """Return exp of values in [-1/4, 0) without integer bits: four terms of the series around -1/8."""
    minus_eighth, third = _constant(_EXP_MINUS_EIGHTH, width), _constant(_THIRD, width)
    x = raw + (1 << (width - 4))
    squared = doubling_high_multiply(x, x, width)
    cubed, fourth = doubling_high_multiply(squared, x, width), doubling_high_multiply(squared, squared, width)
    terms = doubling_high_multiply(divide_by_power(fourth, 2) + cubed, third, width) + squared
    return minus_eighth + doubling_high_multiply(minus_eighth, x + divide_by_power(terms, 1), width)


def exp_on_negative_values(raw: npt.ArrayLike, integer_bits: int, width: int = 32) -> Integers:
    """Return exp of values up to 0 with ``integer_bits``; the result has no integer bits and is 0 below -32."""
    raw = _int64(raw)
    fraction = width - 1 - integer_bits
    quarter = np.int64(1) << (fraction - 2)
    below = (raw & (quarter - 1)) - quarter
    result = _exp_of_quarter(multiply_by_power(below, integer_bits, width), width)
    remainder = below - raw
    for exponent, factor in _POWERS:
        if integer_bits > exponent:
            has_bit = (remainder & (np.int64(1) << (fraction + exponent))) != 0
            result = np.where(has_bit, doubling_high_multiply(result, _constant(factor, width), width), result)
    result = np.where(raw < -(np.int64(32) << fraction), 0, result)
    return np.where(raw == 0, _one(width), result)


def _twice_reciprocal_of_one_plus(raw: npt.ArrayLike, width: int) -> Integers:
    """Return ``2 / (1 + x)`` with two integer bits for x in [0, 1) without integer bits, by three Newton steps."""
    total = _int64(raw) + _one(width)
    half = (total + 1) >> 1  # rounds halves up; the sum is never negative
    x = _constant(OVER_17_48, width) + doubling_high_multiply(half, _constant(MINUS_32_OVER_17, width), width)
    for _ in range(NEWTON_STEPS):
        rest = (1 << (width - 3)) - doubling_high_multiply(half, x, width)
        x = x + multiply_by_power(doubling_high_multiply(x, rest, width), 2, width)
    return x


def reciprocal_of_one_plus(raw: npt.ArrayLike, width: int = 32) -> Integers:
    """Return ``1 / (1 + x)`` for x in [0, 1); both have no integer bits."""
    return multiply_by_power(_twice_reciprocal_of_one_plus(raw, width), 1, width)


def reciprocal(value: npt.ArrayLike, integer_bits: int) -> tuple[Integers, Integers]:
    """Return ``1 / value`` of positive 32-bit values as a factor without integer bits and the shift of its product."""
    value = _int64(value)
    headroom = 32 - np.frexp(value.astype(np.float64))[1].astype(np.int64)
    rest = (value << headroom) - (np.int64(1) << 31)
    return reciprocal_of_one_plus(rest), integer_bits - headroom


def logistic(raw: npt.ArrayLike, integer_bits: int, width: int = 16) -> Integers:
    """Return ``1 / (1 + exp(-x))`` of values with ``integer_bits``; the result has no integer bits."""
    raw = _int64(raw)
    positive = reciprocal_of_one_plus(exp_on_negative_values(-np.abs(raw), integer_bits, width), width)
    half = np.int64(1) << (width - 2)
    return np.where(raw == 0, half, np.where(raw > 0, positive, _one(width) - positive))


def tanh(raw: npt.ArrayLike, integer_bits: int, width: int = 16) -> Integers:
    """Return ``(1 - exp(-2x)) / (1 + exp(-2x))`` of values with ``integer_bits``; the result has no integer bits."""
    raw = _int64(raw)
    powers = exp_on_negative_values(-np.abs(raw), integer_bits + 1, width)
    twice = _twice_reciprocal_of_one_plus(powers, width)
    magnitude = multiply_by_power(twice - (1 << (width - 3)), 2, width)
    return np.where(raw == 0, 0, np.where(raw > 0, magnitude, -magnitude))


@lru_cache(maxsize=8)
def table_of_16_bits(function: Callable[[Integers, int], Integers], integer_bits: int) -> npt.NDArray[np.int16]:
    """Return the values of :func:`logistic` or :func:`tanh` at all integers of 16 bits, from the least: read only."""
    values = function(np.arange(-(1 << 15), 1 << 15), integer_bits).astype(np.int16)
    values.flags.writeable = False
    return values


HALF_ROOT_OF_2 = 1518500250
ONE_AND_A_HALF = (1 << 28) + (1 << 27)
ROOT_STEPS = 5


def reciprocal_root(value: npt.ArrayLike) -> tuple[Integers, Integers]:
    """Return ``1 / sqrt(value)`` of integers from 1 to 2^29: a factor without integer bits, and the right shift.

    Source: ``GetInvSqrtQuantizedMultiplierExp`` of TensorFlow Lite; five Newton steps from 1, with 3 integer bits.
    """
    value = _int64(value)
    pairs = (30 - np.frexp(value.astype(np.float64))[1].astype(np.int64) + 1) // 2 - 1
    x = np.full(value.shape, 1 << 28, np.int64)
    raw = (value << (2 * pairs)) >> 1
    half = divide_by_power(raw, 1)
    for _ in range(ROOT_STEPS):
        cube = multiply_by_power(doubling_high_multiply(doubling_high_multiply(x, x), x), 6)
        rest = doubling_high_multiply(ONE_AND_A_HALF, x) - doubling_high_multiply(half, cube)
        x = multiply_by_power(rest, 3)
    x, shift = doubling_high_multiply(x, HALF_ROOT_OF_2), 11 - pairs
    x = np.where(shift < 0, x << np.maximum(-shift, 0), x)
    is_one = value <= 1
    return np.where(is_one, ONE, x), np.where(is_one, 0, np.maximum(shift, 0))
