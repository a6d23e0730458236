"""A histogram that depends on the elements only, not on their order or the size of batches."""

from __future__ import annotations

from math import frexp
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

SIDE = 4096
"""Number of bins on either side of zero.

With the largest element in the outer half, there are 16 or more for each of the 255 intervals of 8 bits.
"""

Bounds: TypeAlias = tuple[float, float]
"""A smallest and a largest number."""

_SIDE_EXPONENT = SIDE.bit_length() - 1
_BLOCK = 1 << 20


class Histogram:
    """Counts of elements in ``SIDE`` bins of equal width on either side of zero; exact zeros are counted apart.

    The width is the smallest power of two for which the largest magnitude fits. Bin ``i`` holds ``[i * width, (i + 1) *
    width)``. If the range grows, neighbouring bins are merged, which is exact: ``floor(x / 2w)`` is ``floor(floor(x /
    w) / 2)``.
    """

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros(2 * SIDE, np.int64)
        """From bin ``-SIDE`` to bin ``SIDE - 1``."""
        self.zeros = 0
        self.minimum, self.maximum = float("inf"), float("-inf")
        self._exponent: int | None = None

    @property
    def width(self) -> float:
        """The width of a bin."""
        return 2.0 ** (0 if self._exponent is None else self._exponent)

    @property
    def total(self) -> int:
        """The number of counted elements."""
        return self.zeros + int(self.counts.sum())

    @property
    def edges(self) -> NDArray[np.float64]:
        """The starts of the bins, and the end of the last bin."""
        return np.arange(-SIDE, SIDE + 1) * self.width

    def add(self, elements: NDArray[Any]) -> None:
        """Count finite elements."""
        flat = elements.reshape(-1)
        for start in range(0, flat.size, _BLOCK):
            self._add(flat[start : start + _BLOCK].astype(np.float64))

    def _add(self, elements: NDArray[np.float64]) -> None:
        low, high = float(elements.min()), float(elements.max())
        self.minimum, self.maximum = min(self.minimum, low), max(self.maximum, high)
        counted = elements[elements != 0]
        self.zeros += elements.size - counted.size
        if not counted.size:
            return
        self._widen(frexp(max(-low, high))[1] - _SIDE_EXPONENT)
        assert self._exponent is not None
        bins = np.floor(np.ldexp(counted, -self._exponent)).astype(np.int64) + SIDE
        self.counts += np.bincount(bins, minlength=2 * SIDE)

    def _widen(self, exponent: int) -> None:
        """Make the width at least ``2 ** exponent``."""
        if self._exponent is None:
            self._exponent = exponent
        merged = min(max(exponent - self._exponent, 0), _SIDE_EXPONENT)
        if merged:  # after the largest merger only the two bins beside zero are filled, so a larger one changes nothing
            inner = self.counts.reshape(-1, 1 << merged).sum(axis=1)
            self.counts = np.pad(inner, (2 * SIDE - inner.size) // 2)
        self._exponent = max(self._exponent, exponent)
