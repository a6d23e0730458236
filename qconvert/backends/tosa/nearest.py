"""Positions of elements as the samplings of RESIZE."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from qconvert.dialects import tosa
from qconvert.support.errors import ConversionError

Positions = NDArray[np.int64]
LARGEST_SIZE = (1 << 14) - 1
"""The most rows and columns that RESIZE takes and gives (TOSA specification 1.0, "RESIZE")."""


def nearest_sampling(positions: Positions, size: int, *, shortest: bool) -> tosa.Sampling | None:
    """Return a sampling of ``size`` elements whose nearest elements are at ``positions``, or None.

    Positions have the distance of a resize of the whole, or of its first to its last element. With ``shortest`` the
    smaller one is taken, which reads fewer elements at once; else the first one, which all hardware takes.
    """
    found = _samplings(positions, size)
    if shortest:
        return min(found, key=lambda sampling: Fraction(sampling.step, sampling.unit), default=None)
    return next(found, None)


def _samplings(positions: Positions, size: int) -> Iterator[tosa.Sampling]:
    count = positions.size
    if max(count, size) > LARGEST_SIZE:
        return
    for gaps in (0, 1):
        if min(count, size) > gaps:
            up, down = Fraction(count - gaps, size - gaps).as_integer_ratio()
            if found := _of_distance(positions, size, 2 * up, 2 * down):
                yield found


def _of_distance(positions: Positions, size: int, unit: int, step: int) -> tosa.Sampling | None:
    """Return a sampling at ``(i * step + offset) / unit``, with an offset that keeps each element nearest.

    Element ``p`` is nearest from ``p - 1/2`` to below ``p + 1/2``; the first one at all positions below as well, the
    last one at all above. The offset of half pixels comes first, because most hardware computes it.
    """
    least = positions * unit - np.arange(positions.size) * step - unit // 2
    low = max(least[positions > 0].tolist(), default=-unit)
    high = min(least[positions < size - 1].tolist(), default=low) + unit - 1
    offset = next((found for found in ((step - unit) // 2, 0, low) if low <= found <= high), None)
    if offset is None:
        return None
    divisor = gcd(unit, step, offset)
    unit, step, offset = unit // divisor, step // divisor, offset // divisor
    try:
        found = tosa.Sampling(unit, step, offset, (positions.size - 1) * step + offset - (size - 1) * unit)
    except ConversionError:
        return None
    return found if np.array_equal(found.neighbours(size).nearest, positions) else None
