"""Observers of a value's elements over the runs, each with the range that it chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qconvert.quantization.calibration.histogram import Bounds, Histogram

Array: TypeAlias = NDArray[Any]


class Observer(Protocol):
    """Sees the finite elements of one value in batches of runs, in order."""

    def observe(self, runs: Array) -> None:
        """Take the elements of some runs: ``[runs, elements]``, at least one of each."""

    def range(self) -> Bounds:
        """Return the smallest and the largest number to represent, after at least one observation."""


class MinMax:
    """The smallest and the largest element of all runs."""

    def __init__(self) -> None:
        self._range = (float("inf"), float("-inf"))

    def observe(self, runs: Array) -> None:
        """Widen the range."""
        low, high = self._range
        self._range = (min(low, float(runs.min())), max(high, float(runs.max())))

    def range(self) -> Bounds:
        """Return the range of all elements."""
        return self._range


class MovingAverage:
    """Averages of each run's extremes: ``m += constant * (min(run) - m)``, starting with the first run's.

    Source: Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
    Inference" (arXiv 1712.05877), section 3.1: exponential moving averages of ranges.
    """

    def __init__(self, constant: float) -> None:
        self._constant = constant
        self._averages: NDArray[np.float64] | None = None

    def observe(self, runs: Array) -> None:
        """Add the runs' extremes one after the other."""
        found = np.stack([runs.min(axis=1), runs.max(axis=1)], axis=1).astype(np.float64)
        for extremes in found:
            if self._averages is None:
                self._averages = extremes.copy()
            else:
                self._averages += self._constant * (extremes - self._averages)

    def range(self) -> Bounds:
        """Return the two averages."""
        assert self._averages is not None
        low, high = self._averages.tolist()
        return low, high


class HistogramObserver:
    """Counts elements; ``choose`` returns the range for the counts, see :mod:`.thresholds`."""

    def __init__(self, choose: Callable[[Histogram], Bounds]) -> None:
        self._histogram = Histogram()
        self._choose = choose

    def observe(self, runs: Array) -> None:
        """Count the elements."""
        self._histogram.add(runs)

    def range(self) -> Bounds:
        """Return the chosen range."""
        return self._choose(self._histogram)
