"""Measures of the difference of two tensors: difference, SQNR, top-1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qconvert.support.arrays import Array


def difference(reference: Array, found: Array) -> NDArray[np.float64]:
    """Return absolute differences in float64; 0 for two equal infinities and for two NaNs."""
    a, b = reference.astype(np.float64), found.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))


def finite(value: float) -> float:
    """Return a number that JSON can hold: the largest double for infinity and NaN."""
    return value if np.isfinite(value) else float(np.finfo(np.float64).max)


def decibels(noise: float, signal: float) -> float | None:
    """Return the ratio of two sums of squares in dB; None if nothing differs or there is no finite signal."""
    if noise == 0.0 or signal == 0.0 or not np.isfinite(signal) or not np.isfinite(noise):
        return None
    return float(10 * np.log10(signal / noise))


def same_top1(reference: Array, found: Array, lsb: float) -> tuple[bool, bool]:
    """Return True if the best class agrees, and True if a disagreement counts.

    It counts if in both runs the best class leads the second by more than one ``lsb``. A NaN that the
    reference does not have is a disagreement that counts.
    """
    a, b = reference.reshape(-1).astype(np.float64), found.reshape(-1).astype(np.float64)
    if np.isnan(b).any() and not np.isnan(a).any():
        return False, True
    agree = int(a.argmax()) == int(b.argmax())
    # In float a margin of exactly one LSB may be slightly larger.
    sure = all(_margin(scores) > lsb * 1.001 for scores in (a, b))
    return agree, not agree and sure


def _margin(scores: NDArray[np.float64]) -> float:
    second, best = np.partition(scores, -2)[-2:]
    return 0.0 if best == second else float(best - second)  # equal infinities have no margin
