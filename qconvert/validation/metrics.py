"""How far two tensors are apart: share equal, steps, decibels, top-1."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


def exact_share(reference: Array, found: Array) -> float:
    """The share of elements that are equal, 1.0 for no elements; NaN equals NaN."""
    return 1.0 if reference.size == 0 else float((difference(reference, found) == 0.0).mean())


def difference(reference: Array, found: Array) -> NDArray[np.float64]:
    """Absolute differences in float64; 0 where both are the same infinity or both NaN."""
    a, b = reference.astype(np.float64), found.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))


def max_abs(reference: Array, found: Array) -> float:
    """The largest absolute difference."""
    return float(difference(reference, found).max(initial=0.0))


def max_rel(reference: Array, found: Array) -> float | None:
    """The largest difference by the largest finite magnitude of the reference; None where elements are no floats.

    0 where nothing differs; infinite where something does and the reference is 0 everywhere.
    """
    if reference.dtype.kind in "iub":
        return None
    magnitudes = np.abs(reference.astype(np.float64))
    largest = float(magnitudes[np.isfinite(magnitudes)].max(initial=0.0))
    differing = max_abs(reference, found)
    if differing == 0.0:
        return 0.0
    return differing / largest if largest else float("inf")


def sqnr_db(reference: Array, found: Array) -> float | None:
    """Signal to noise in dB; None where nothing differs (it is infinite) or there is no finite signal."""
    noise = float(np.square(difference(reference, found)).sum())
    signal = float(np.square(reference.astype(np.float64)).sum())
    if noise == 0.0 or signal == 0.0 or not np.isfinite(signal) or not np.isfinite(noise):
        return None
    return float(10 * np.log10(signal / noise))


def is_class_vector(array: Array) -> bool:
    """Whether a tensor holds one score for each class: one dimension above 1."""
    return array.size > 1 and array.size == max(array.shape, default=0)


def same_top1(reference: Array, found: Array, step: float) -> tuple[bool, bool]:
    """Whether the best class agrees, and whether a disagreement counts.

    It counts where both runtimes are sure: in both the best leads the second by more than one ``step``. A NaN that the
    reference does not have is a disagreement that counts.
    """
    a, b = reference.reshape(-1).astype(np.float64), found.reshape(-1).astype(np.float64)
    if np.isnan(b).any() and not np.isnan(a).any():
        return False, True
    agree = int(a.argmax()) == int(b.argmax())
    # A margin of exactly one step, in float, is one step give or take a rounding.
    sure = all(_margin(scores) > step * 1.001 for scores in (a, b))
    return agree, not agree and sure


def _margin(scores: NDArray[np.float64]) -> float:
    second, best = np.partition(scores, -2)[-2:]
    return 0.0 if best == second else float(best - second)  # two infinities are no margin
