"""Ranges from histograms: tails of the values are cut off for a smaller scale.

Every range is quantized with zero in it, so that zero has no error. Exact zeros are therefore left out where errors are
weighed. A bound at zero's side (the minimum of values that are never negative) is never moved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qconvert.quantization.calibration.histogram import SIDE, Bounds, Histogram

_CANDIDATES = 128


def percentile_range(histogram: Histogram, percentile: float) -> Bounds:
    """Return the range without the ``floor(n * (100 - percentile) / 200)`` smallest and largest of ``n`` elements.

    A bound is the outer edge of the bin of the last remaining element, or the extreme itself.
    """
    total = histogram.total
    cut = int(total * (100 - percentile) / 200)
    counts = np.insert(histogram.counts, SIDE, histogram.zeros)
    lower = np.insert(histogram.edges[:-1], SIDE, 0.0)
    upper = np.insert(histogram.edges[1:], SIDE, 0.0)
    seen = np.cumsum(counts)
    low = lower[np.searchsorted(seen, cut, side="right")]
    high = upper[np.searchsorted(seen, total - cut, side="left")]
    return max(float(low), histogram.minimum), min(float(high), histogram.maximum)


def mse_range(histogram: Histogram, bits: int) -> Bounds:
    """Return the range with the smallest expected squared error, out of 128 x 128 parts of the observed range.

    ``error(low, high) = sum((low - x)^2 for x < low) + sum((x - high)^2 for x > high) + inside * step^2 / 12`` with
    ``step = (high - low) / (2^bits - 1)``. A clipped element has an error of its distance. A rounded element has an
    error that is uniform over a step. Elements are taken to be at their bins' centres.

    Source: Banner et al., "Post training 4-bit quantization of convolutional networks for rapid-deployment" (arXiv
    1810.05723), section 3, with counts in place of a distribution and both bounds free.
    """
    shares = np.arange(1, _CANDIDATES + 1) / _CANDIDATES
    lows = shares * histogram.minimum if histogram.minimum < 0 else np.zeros(1)
    highs = shares * histogram.maximum if histogram.maximum > 0 else np.zeros(1)
    below, below_error = _clipped(histogram, lows, -1)
    above, above_error = _clipped(histogram, highs, 1)
    steps = (highs[None, :] - lows[:, None]) / (2.0**bits - 1)
    inside = histogram.counts.sum() - below[:, None] - above[None, :]
    errors = below_error[:, None] + above_error[None, :] + inside * steps**2 / 12
    # Of equal errors the widest range is chosen, which is the last candidate.
    row, column = np.argwhere(errors == errors.min())[-1]
    return _within(histogram, float(lows[row]), float(highs[column]))


def _clipped(
    histogram: Histogram, bounds: NDArray[np.float64], side: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each bound the number of elements beyond it (``side`` -1: below) and their squared distances' sum."""
    centres = side * (histogram.edges[:-1] + histogram.width / 2)
    counts = histogram.counts.astype(np.float64)
    if side > 0:  # outermost first, as on the other side
        centres, counts = centres[::-1], counts[::-1]
    moments = [np.concatenate([[0.0], np.cumsum(counts * centres**power)]) for power in range(3)]
    beyond = np.searchsorted(-centres, -side * bounds, side="left")
    count, first, second = (moment[beyond] for moment in moments)
    distances: NDArray[np.float64] = second - 2 * side * bounds * first + bounds**2 * count
    return count, np.maximum(distances, 0)


def entropy_range(histogram: Histogram, bits: int) -> Bounds:
    """Return the range ``[-t, t]`` whose quantized magnitudes diverge least from the real ones, within the extremes.

    For a threshold ``t`` at bin ``i`` of the magnitudes, ``P`` has the counts of the first ``i`` bins, with all counts
    beyond added to the last. ``Q`` has the counts without those beyond, spread evenly over the non-empty bins of each
    quantized level. The threshold with the smallest ``sum(P * log(P / Q))`` is chosen. There are ``2^(bits - 1)``
    levels of magnitudes if values have both signs, else ``2^bits``. With fewer bins than levels nothing is cut.

    Source: Migacz, "8-bit Inference with TensorRT" (GTC 2017), slides 26 to 38.
    """
    counts = histogram.counts[SIDE:] + histogram.counts[SIDE - 1 :: -1]
    used = int(np.flatnonzero(counts)[-1]) + 1 if counts.any() else 0
    both_signs = histogram.minimum < 0 < histogram.maximum
    levels = 2 ** (bits - 1) if both_signs else 2**bits
    if used <= levels:
        return histogram.minimum, histogram.maximum
    candidates = np.unique(np.linspace(used, levels, _CANDIDATES).astype(np.int64))[::-1]
    divergences = [_divergence(counts[:used], int(kept), levels) for kept in candidates]
    threshold = float(candidates[int(np.argmin(divergences))]) * histogram.width
    return _within(histogram, -threshold, threshold)


def _divergence(counts: NDArray[np.int64], kept: int, levels: int) -> float:
    """Return the Kullback-Leibler divergence of ``levels`` levels of the first ``kept`` bins.

    Infinite if Q lacks a bin.
    """
    real = counts[:kept].astype(np.float64)
    starts = np.arange(levels) * kept // levels
    sizes = np.diff(starts, append=kept)
    filled = real > 0
    per_level = np.add.reduceat(real, starts) / np.maximum(np.add.reduceat(filled.astype(np.int64), starts), 1)
    levelled = np.repeat(per_level, sizes) * filled
    real[-1] += counts[kept:].sum()
    if real[-1] > 0 and not filled[-1]:
        return float("inf")
    p, q = real[filled] / real.sum(), levelled[filled] / levelled.sum()
    return float(np.sum(p * np.log(p / q)))


def _within(histogram: Histogram, low: float, high: float) -> Bounds:
    """Return a range within the extremes; a bound on zero's side is the extreme itself."""
    lowest, highest = histogram.minimum, histogram.maximum
    if lowest >= 0:
        return lowest, max(min(high, highest), lowest)
    if highest <= 0:
        return min(max(low, lowest), highest), highest
    return max(low, lowest), min(high, highest)
