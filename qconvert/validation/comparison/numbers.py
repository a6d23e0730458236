"""The differences of two models' values as real numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qconvert.validation.compare import Array
from qconvert.validation.limits import FLOAT_LIMIT, Limits
from qconvert.validation.measures import Differences, largest_of, total
from qconvert.validation.metrics import difference


@dataclass(frozen=True)
class PairMeasure:
    """The differences of a value in two models over some samples.

    ``differences`` count elements within half an LSB as equal, where there is an LSB. ``largest_lsb`` is in LSB.
    ``noise`` and ``signal`` have a sum of squares for each sample.
    """

    differences: Differences = field(default_factory=Differences)
    largest: float = 0.0
    largest_lsb: float = 0.0
    noise: tuple[float, ...] = ()
    signal: tuple[float, ...] = ()
    has_lsb: bool = False

    @classmethod
    def of(cls, first: NDArray[np.float64], second: NDArray[np.float64], lsb: float | None) -> PairMeasure:
        """Return the measure of one sample; ``lsb`` is the size of 1 LSB, None if neither value is quantized."""
        apart = difference(first, second)
        largest = float(apart.max(initial=0.0))
        within = np.where(apart < (lsb or 0.0) / 2, first, second)
        return cls(
            Differences.of(first, within),
            largest,
            largest / lsb if lsb else 0.0,
            (float(np.square(apart).sum()),),
            (float(np.square(first).sum()),),
            lsb is not None,
        )

    def __add__(self, other: PairMeasure) -> PairMeasure:
        return PairMeasure(
            self.differences + other.differences,
            largest_of(self.largest, other.largest),
            largest_of(self.largest_lsb, other.largest_lsb),
            (*self.noise, *other.noise),
            (*self.signal, *other.signal),
            self.has_lsb or other.has_lsb,
        )

    @property
    def relative(self) -> float:
        """The largest difference divided by the first model's largest magnitude; infinite for zeros."""
        if self.largest == 0.0:
            return 0.0
        magnitude = self.differences.magnitude
        return self.largest / magnitude if magnitude else float("inf")

    def differs(self, limits: Limits) -> bool:
        """Return True if a value differs by more than limits, or by 1 LSB; floats by more than their rounding."""
        if self.has_lsb:
            return not self.largest_lsb < (limits.max_lsb or 0) + 0.5
        return not self.relative <= (FLOAT_LIMIT if limits.max_rel is None else limits.max_rel)

    @property
    def sqnr_db(self) -> float | None:
        """The signal-to-noise ratio in dB; None if nothing differs or there is no finite signal."""
        noise, signal = total(self.noise), total(self.signal)
        if not noise or not signal or not np.isfinite(noise) or not np.isfinite(signal):
            return None
        return float(10 * np.log10(signal / noise))


def scaled(values: Iterator[Array], limit: int) -> NDArray[np.float64]:
    """Return evenly spread elements of arrays of one size as rows of mean 0 and length 1; constant ones are 0."""
    rows = [np.ravel(value)[:: max(1, value.size // limit)] for value in values]
    found = np.stack(rows)
    found = found - found.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.square(found).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0))
