"""How far one run of a network is from another, and the limit that several runs give."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from qconvert.support.arrays import Array
from qconvert.validation.figures.metrics import difference

MARGIN_DB = 3.0
"""The margin of the limit beyond the worst run."""

_POWER = 10 ** (MARGIN_DB / 10)
_AMPLITUDE = math.sqrt(_POWER)


class Distance(NamedTuple):
    """The differences of one value: the share of elements that differ, the mean of the squares, the largest.

    Of several runs it is the largest that is explained, which ``admits`` others.
    """

    share: float = 0.0
    square: float = 0.0
    largest: float = 0.0

    @classmethod
    def of(cls, reference: Array, found: Array, apart: float = 0.0) -> Distance:
        """Return the distance of two arrays; elements differ if they are more than ``apart`` from each other."""
        if not reference.size:
            return cls()
        if reference.dtype == found.dtype and reference.dtype.kind in "iub":  # most elements are equal
            differs = reference != found
            far = difference(reference[differs], found[differs])
        else:
            far = difference(reference, found)
        count = float(np.count_nonzero(~(far <= apart)))
        return cls(count / reference.size, float(np.square(far).sum()) / reference.size, float(far.max(initial=0.0)))

    @classmethod
    def bound(cls, runs: Iterable[Distance]) -> Distance:
        """Return the worst of some runs with the margin: in decibels of the noise and of the share, in whole steps."""
        shares, squares, largest = zip(*runs, strict=True)
        return cls(min(1.0, _POWER * max(shares)), _POWER * max(squares), _AMPLITUDE * max(largest))

    def admits(self, found: Distance) -> bool:
        """Return True if a distance lies within; NaN does not."""
        return found.share <= self.share and found.square <= self.square and found.largest <= self.largest


def decibels(signal: float, noise: float) -> float | None:
    """Return the ratio of two powers in decibels, None without a finite one."""
    if not (0.0 < noise < math.inf and 0.0 < signal < math.inf):
        return None
    return 10 * math.log10(signal / noise)
