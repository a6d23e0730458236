"""The straight line through pairs of values: a factor and an offset, as of sums that are scaled and a bias that is not.

Sums are exact: those of samples are added as integers or fractions, so that their order does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qconvert.support.arrays import Array

Floats: TypeAlias = NDArray[np.float64]
Number: TypeAlias = int | Fraction

FEW_OF_LINE = 8
"""The least number of pairs that tell a line."""
_SPREAD = 10.0
"""The least variance of the reference, in squares of the values' error, that tells a line."""
_CERTAIN = 3.0
"""The number of standard errors within which a factor is known."""


_ZERO = 0.1
"""The least factor that is told: below, values that are all alike have any offset."""


class Line(NamedTuple):
    """A factor with what it may be off, and an offset."""

    factor: float
    error: float
    offset: float


@dataclass(frozen=True)
class Moments:
    """The sums of some pairs of values, of their squares and their products."""

    count: int = 0
    first: Number = 0
    second: Number = 0
    squares: Number = 0
    products: Number = 0
    other_squares: Number = 0

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.count + other.count,
            self.first + other.first,
            self.second + other.second,
            self.squares + other.squares,
            self.products + other.products,
            self.other_squares + other.other_squares,
        )

    def line(self, error: float) -> Line | None:
        """Return the line on which all pairs lie but for an ``error`` of each value, None if there is none."""
        count = self.count
        if count < FEW_OF_LINE:
            return None
        spread = float(Fraction(self.squares) / count - Fraction(self.first, count) ** 2)
        both = float(Fraction(self.products) / count - Fraction(self.first) * self.second / count**2)
        other = float(Fraction(self.other_squares) / count - Fraction(self.second, count) ** 2)
        if not spread > _SPREAD * error**2:
            return None
        factor = both / spread
        rest = other - factor * both
        if factor < _ZERO or rest > (1 + factor**2) * error**2 / 2:
            return None
        known = _CERTAIN * math.sqrt(max(rest, 0.0) / spread / count) + abs(factor) * error**2 / spread
        return Line(factor, known, (float(self.second) - factor * float(self.first)) / count)


def moments_of(channel: Array, first: Floats, second: Floats, size: int, *, is_whole: bool) -> Iterator[Moments]:
    """Yield the moments of the finite pairs of each of ``size`` channels; ``is_whole``: all values are integers."""
    finite = np.isfinite(first) & np.isfinite(second)
    channel, first, second = channel[finite], first[finite], second[finite]
    values = (first, second, first * first, first * second, second * second)
    sums = [np.bincount(channel, each, minlength=size).tolist() for each in values]
    counts = np.bincount(channel, minlength=size).tolist()
    for count, *numbers in zip(counts, *sums, strict=True):
        yield Moments(count, *(int(each) if is_whole else Fraction(each) for each in numbers)) if count else Moments()
