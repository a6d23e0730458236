"""Measures of differences that are taken of some samples at a time, and added.

Sums of floats are kept for each sample and added at the end, so that the figures do not depend on how many samples are
measured together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np

from qconvert.support.arrays import Array
from qconvert.support.errors import EngineError
from qconvert.validation.causes import Cause, CauseMeasure, cause_of
from qconvert.validation.figures.details import DetailMeasure, Stated
from qconvert.validation.figures.metrics import decibels, difference
from qconvert.validation.figures.report import JudgedOps

_MOST_DISTINCT = 1 << 20
"""The largest number of different values of an output that are counted."""


def total(parts: Iterable[float]) -> float:
    """Return the sum of the samples' sums."""
    return float(np.sum(np.array([*parts], np.float64)))


def largest_of(*values: float) -> float:
    """Return the largest value; NaN is larger than all."""
    return float(np.max(np.array(values)))


Sum = TypeVar("Sum")


def added(first: Sum, second: Sum) -> Sum:
    """Return the sum of two measures, or of mappings of measures by key.

    An error of an engine, or None where nothing was measured, takes the place of a sum.
    """
    one: Any = first
    other: Any = second
    if one is None or isinstance(one, EngineError):
        return first
    if other is None or isinstance(other, EngineError):
        return second
    if isinstance(one, Mapping):
        return cast("Sum", {key: added(each, other[key]) for key, each in one.items()})
    return cast("Sum", one + other)


@dataclass(frozen=True)
class Differences:
    """The numbers of elements and of equal ones, the largest difference, the reference's largest finite magnitude.

    ``causes`` tell why elements of a layer differ; None if none do, and where it is not asked.
    """

    elements: int = 0
    equal: int = 0
    largest: float = 0.0
    magnitude: float = 0.0
    causes: CauseMeasure | None = None

    @classmethod
    def of(cls, reference: Array, found: Array) -> Differences:
        """Return the differences of two arrays of one shape."""
        if reference.dtype == found.dtype and reference.dtype.kind in "iu" and reference.itemsize <= 4:
            return cls._of_integers(reference, found)
        apart = difference(reference, found)
        sizes = np.abs(reference.astype(np.float64))
        magnitude = float(sizes[np.isfinite(sizes)].max(initial=0.0))
        return cls(int(apart.size), int((apart == 0.0).sum()), float(apart.max(initial=0.0)), magnitude)

    @classmethod
    def _of_integers(cls, reference: Array, found: Array) -> Differences:
        """Return the differences of integers, which are subtracted only where they differ."""
        differs = reference != found
        apart = difference(reference[differs], found[differs])
        magnitude = max(int(reference.max()), -int(reference.min())) if reference.size else 0
        return cls(reference.size, reference.size - apart.size, float(apart.max(initial=0.0)), float(magnitude))

    def __add__(self, other: Differences) -> Differences:
        return Differences(
            self.elements + other.elements,
            self.equal + other.equal,
            largest_of(self.largest, other.largest),
            max(self.magnitude, other.magnitude),
            self.causes + other.causes if self.causes and other.causes else self.causes or other.causes,
        )

    @property
    def cause(self) -> Cause | None:
        """The pattern of the elements that differ, None where it is not known."""
        return None if self.causes is None else cause_of(self.causes, self.elements, self.largest)

    def without(self, count: int) -> Differences:
        """Return the differences without some elements that were taken as equal."""
        return replace(self, elements=self.elements - count, equal=self.equal - count)

    @property
    def exact(self) -> float:
        """The share of equal elements, 1.0 for no elements."""
        return self.equal / self.elements if self.elements else 1.0

    @property
    def relative(self) -> float:
        """The largest difference divided by the largest magnitude; infinite for a reference of zeros."""
        if self.largest == 0.0:
            return 0.0
        return self.largest / self.magnitude if self.magnitude else float("inf")


@dataclass(frozen=True)
class OutputMeasure:
    """One output: its differences from the reference, and the reference's own with optimisation.

    ``apart`` counts the elements that differ by more than float arithmetic explains, ``off_grid`` those that are
    no whole number of LSB apart, ``undefined`` those that are not compared, for the reason ``why``. ``noise`` and
    ``signal`` have a sum of squares for each sample, ``votes`` whether the best class agrees and whether a disagreement
    counts, for each sample of a tensor of classes.
    """

    dtype: np.dtype[Any]
    found: Differences
    optimised: Differences | None
    noise: tuple[float, ...]
    signal: tuple[float, ...]
    votes: tuple[tuple[bool, bool], ...]
    values: Array
    apart: int = 0
    off_grid: int = 0
    undefined: int = 0
    why: str = ""

    def __add__(self, other: OutputMeasure) -> OutputMeasure:
        values = self.values
        if len(values) < _MOST_DISTINCT:
            values = np.union1d(values, other.values)[:_MOST_DISTINCT]
        return OutputMeasure(
            self.dtype,
            self.found + other.found,
            added(self.optimised, other.optimised),
            self.noise + other.noise,
            self.signal + other.signal,
            self.votes + other.votes,
            values,
            self.apart + other.apart,
            self.off_grid + other.off_grid,
            self.undefined + other.undefined,
            self.why or other.why,
        )

    @property
    def sqnr_db(self) -> float | None:
        """The signal-to-noise ratio in dB; None if nothing differs or there is no finite signal."""
        return decibels(total(self.noise), total(self.signal))


@dataclass(frozen=True)
class LayerMeasure:
    """One layer in isolation: all elements, those without ties, and the errors of the reference's float sums.

    ``errors`` has the sum and the number for each sample, if they are known. ``details`` are counted where a page is
    asked for.
    """

    all: Differences = field(default_factory=Differences)
    plain: Differences = field(default_factory=Differences)
    errors: tuple[tuple[float, int], ...] = ()
    largest_error: float = 0.0
    details: DetailMeasure | None = None

    def __add__(self, other: LayerMeasure) -> LayerMeasure:
        return LayerMeasure(
            self.all + other.all,
            self.plain + other.plain,
            self.errors + other.errors,
            largest_of(self.largest_error, other.largest_error),
            self.details + other.details if self.details and other.details else self.details or other.details,
        )


@dataclass(frozen=True)
class CutMeasure:
    """The file in segments: the number of its ops, the names of those in none, and the outputs from the last cuts.

    ``merged`` is the number of layers that the file does not have alone, ``unknown`` that of those whose tensors the
    reference does not have. ``reads`` has the tensors that the file holds, with those from which it computes them.
    ``stated`` has what the file states of each layer, by its tensor, where a page is asked for.
    """

    ops: int
    unjudged: tuple[str, ...]
    heads: Mapping[str, Differences] | EngineError
    reads: Mapping[str, tuple[str, ...]]
    merged: int = 0
    unknown: int = 0
    stated: Mapping[str, Stated] = field(default_factory=dict)

    def __add__(self, other: CutMeasure) -> CutMeasure:
        return replace(self, heads=added(self.heads, other.heads))

    @property
    def report(self) -> JudgedOps:
        """Return how many ops of the file were judged."""
        return JudgedOps(self.ops, self.ops - len(self.unjudged), self.merged)
