"""Polynomials of the second degree in integers, which TABLEs hold for 512 intervals."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qconvert import numerics
from qconvert.backends.tosa.fixed_point.values import Interval
from qconvert.numerics.interpolated_table import STEP_BITS

Reals = NDArray[Any]

INTERVALS = 512
_POINTS = 16
_NODE = sqrt(0.75)
"""The outer one of three Chebyshev nodes."""
_ENTRY_BITS = 15
_LEAST_BITS = 10
_SLACK = 2.0
"""The factor on measured errors, for the points between the measured ones."""


class Polynomials(NamedTuple):
    """``a + (b + c t) t`` on each interval, in integers.

    ``start`` is the first integer of the first interval. An interval has ``2^bits`` integers. ``tables`` are the upper
    and the lower bits of ``a``, then ``b`` and ``c``. ``shifts`` are those of the two products with ``t``, which has 30
    bits. ``error`` is the largest error in real numbers, ``steepness`` the largest slope.
    """

    start: int
    bits: int
    tables: tuple[NDArray[np.int16], ...]
    shifts: tuple[int, int]
    error: float
    steepness: float

    @classmethod
    def fitted(
        cls, function: Callable[[Reals], Reals], domain: Interval, step: float, ends: tuple[int, int], scale: float
    ) -> Polynomials:
        """Fit a function on integers between two ends, which stand for ``step`` each; results are at ``scale``."""
        bits = max((ends[1] - ends[0]).bit_length(), _LEAST_BITS) - 9
        width = 2.0**bits * step
        centres = (ends[0] + (np.arange(INTERVALS) + 0.5) * 2.0**bits) * step
        limits = domain.low - width, domain.high + width
        nodes = np.clip(centres[:, None] + np.array([-_NODE, 0.0, _NODE]) * width / 2, *limits)
        below, middle, above = np.nan_to_num(function(nodes.reshape(-1))).reshape(-1, 3).T / scale
        slope, curve = (above - below) / (2 * _NODE), (above + below - 2 * middle) / (2 * _NODE**2)
        whole = numerics.round_half_even(middle).astype(np.int64)
        places = [max(0, int(np.abs(part).max()).bit_length() - _ENTRY_BITS) for part in (slope, curve)]
        entries = [
            numerics.round_half_even(part / 2.0**shift) for part, shift in zip((slope, curve), places, strict=True)
        ]
        parts = (whole >> _ENTRY_BITS, whole & ((1 << _ENTRY_BITS) - 1), *entries)
        tables = tuple(np.clip(np.append(part, part[-1]), -(1 << 15), (1 << 15) - 1).astype(np.int16) for part in parts)
        shifts = 30 - places[1] + places[0], 30 + STEP_BITS - places[0]
        made = cls(ends[0], bits, tables, shifts, 0.0, 0.0)
        return cls(ends[0], bits, tables, shifts, *made._measured(function, domain, step, scale))

    def _measured(
        self, function: Callable[[Reals], Reals], domain: Interval, step: float, scale: float
    ) -> tuple[float, float]:
        """Return the largest error and the largest slope on some integers of each interval."""
        size = 1 << self.bits
        rest = np.unique(np.linspace(0, size - 1, _POINTS).astype(np.int64))
        reals = (self.start + np.arange(INTERVALS)[:, None] * size + rest) * step
        inside = np.clip(reals, domain.low, domain.high)
        exact = function(inside.reshape(-1)).reshape(reals.shape)
        apart = np.abs(self.results(rest) * scale - exact)[inside == reals]
        return _SLACK * float(apart.max(initial=0.0)), _steepness(exact, reals)

    def results(self, rest: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the integers for places within each interval, as TOSA's ops give them."""
        high, low, slope, curve = (table[:-1, None].astype(np.int64) for table in self.tables)
        place = (rest - (1 << (self.bits - 1))) << (31 - self.bits)
        inner = (slope << STEP_BITS) + _product(curve << STEP_BITS, place, self.shifts[0])
        return (high << _ENTRY_BITS) + low + _product(inner, place, self.shifts[1])


def _steepness(exact: Reals, reals: Reals) -> float:
    """Return a bound on the slopes: those between two points of an interval, plus their change to the next.

    Points of two intervals are one integer apart, which float32's rounding would make steep.
    """
    slopes = np.diff(exact, axis=1) / np.diff(reals, axis=1)
    steeper = np.maximum(np.abs(slopes[:, 1:]), np.abs(slopes[:, :-1])) + np.abs(np.diff(slopes, axis=1))
    return float(steeper.max(initial=0.0))


def _product(lhs: NDArray[np.int64], rhs: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
    """Return MUL with a shift, which rounds halves up."""
    return (lhs * rhs + (1 << (shift - 1))) >> shift
