"""The differences of two models' values as real numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qconvert.numerics import quantize_onnx
from qconvert.support.arrays import Array
from qconvert.validation.figures.details import DetailMeasure, Distances
from qconvert.validation.figures.measures import Differences, total
from qconvert.validation.figures.metrics import decibels, difference
from qconvert.validation.limits.limits import FLOAT_LIMIT, Limits

_LARGEST = 1 << 32
"""The largest magnitude that is counted; NaN counts as the negative of it."""


@dataclass(frozen=True)
class Grid:
    """The integers of a value: ``element / size + zero``, rounded; those from ``low`` to ``high`` are drawn.

    ``is_lsb`` is False for floats, whose steps are the difference at which a layer counts as different.
    """

    size: float
    zero: int
    low: int
    high: int
    is_lsb: bool

    def within(self, *values: Array) -> Grid:
        """Return the grid with the range of the finite values of both models."""
        both = np.concatenate(self.of(*values))
        both = both[np.abs(both) < _LARGEST]
        return replace(self, low=int(both.min(initial=0)), high=int(both.max(initial=0)))

    def of(self, first: Array, second: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the integers of both models' values, as vectors, in which less than half a step is no difference."""
        wide = [values.astype(np.float64).reshape(-1) for values in (first, second)]
        with np.errstate(invalid="ignore"):
            apart = np.where(difference(*wide) == 0.0, 0.0, wide[1] - wide[0])
        reference, result = (_whole(values, self.size, self.zero) for values in wide)
        return reference, np.where(np.isfinite(apart), reference + _whole(apart, self.size, 0), result)

    def counts(self, first: Array, second: Array) -> DetailMeasure:
        """Return the counts of one sample; ties are not known, as what a model rounds is not."""
        ties = np.zeros(first.size, bool)
        return DetailMeasure.of(*self.of(first, second), ties, second.shape, (self.low, self.high))


def _whole(values: NDArray[np.float64], size: float, zero: int) -> NDArray[np.int64]:
    return np.asarray(quantize_onnx(values, size, zero, -_LARGEST, _LARGEST, np.int64))


@dataclass(frozen=True)
class PairMeasure:
    """The differences of a value in two models over some samples; ``lsb`` is the size of 1 LSB, None for floats.

    ``differences`` count elements within half an LSB as equal. ``noise`` and ``signal`` have a sum of squares for each
    sample. ``details`` are counted on ``grid`` where a page is asked for.
    """

    differences: Differences
    noise: tuple[float, ...]
    signal: tuple[float, ...]
    lsb: float | None
    grid: Grid | None = None
    details: DetailMeasure | None = None

    @classmethod
    def of(cls, first: Array, second: Array, lsb: float | None, grid: Grid | None = None) -> PairMeasure:
        """Return the measure of one sample."""
        mine, theirs = first.astype(np.float64), second.astype(np.float64)
        apart = difference(mine, theirs)
        equal = int(((apart == 0.0) | (apart < (lsb or 0.0) / 2)).sum())
        return cls(
            replace(Differences.of(mine, theirs), equal=equal),
            (float(np.square(apart).sum()),),
            (float(np.square(mine).sum()),),
            lsb,
            grid,
            None if grid is None else grid.counts(first, second),
        )

    def __add__(self, other: PairMeasure) -> PairMeasure:
        return replace(
            self,
            differences=self.differences + other.differences,
            noise=self.noise + other.noise,
            signal=self.signal + other.signal,
            details=self.details + other.details if self.details and other.details else None,
        )

    @property
    def largest_lsb(self) -> float | None:
        """The largest difference in LSB, None for floats."""
        return None if self.lsb is None else self.differences.largest / self.lsb

    def differs(self, limits: Limits) -> bool:
        """Return True if a value differs by more than limits, or by 1 LSB; floats by more than their rounding."""
        if self.largest_lsb is not None:
            return not self.largest_lsb < (limits.max_lsb or 0) + 0.5
        return not self.differences.relative <= (FLOAT_LIMIT if limits.max_rel is None else limits.max_rel)

    @property
    def sqnr_db(self) -> float | None:
        """The signal-to-noise ratio in dB; None if nothing differs or there is no finite signal."""
        return decibels(total(self.noise), total(self.signal))

    def distances(self) -> Distances | None:
        """Return what a page draws, None where it was not measured."""
        if self.details is None or self.grid is None:
            return None
        return replace(self.details.distances(), unit=None if self.grid.is_lsb else self.grid.size)


def scaled(values: Iterator[Array], limit: int) -> NDArray[np.float64]:
    """Return evenly spread elements of arrays of one size as rows of mean 0 and length 1; constant ones are 0."""
    rows = [np.ravel(value)[:: max(1, value.size // limit)] for value in values]
    found = np.stack(rows)
    found = found - found.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.square(found).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0))
