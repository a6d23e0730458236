"""The measures of the elements of a layer that differ, in a bounded size, to tell why they do.

Every figure is a count, a bound or a set that shrinks, so that it is the same however samples are measured together.
Nothing is measured of a sample that is equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qconvert.support.arrays import Array
from qconvert.validation.causes.orders import Moves, moves_of
from qconvert.validation.causes.spans import Compared, Span, spans_of


@dataclass(frozen=True)
class Box:
    """The least and the largest value of some elements, in the reference and as found."""

    reference: tuple[float, float]
    found: tuple[float, float]

    @classmethod
    def of(cls, reference: Array, found: Array) -> Box:
        """Return the box of some elements, at least one."""
        return cls(*(_range(each) for each in (reference, found)))

    def __add__(self, other: Box) -> Box:
        return Box(_hull(self.reference, other.reference), _hull(self.found, other.found))


def _range(values: Array) -> tuple[float, float]:
    """Return the least and the largest value; without a bound if one is not a number."""
    low, high = float(values.min()), float(values.max())
    return (-math.inf, math.inf) if math.isnan(low) else (low, high)


def _hull(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    return min(first[0], second[0]), max(first[1], second[1])


@dataclass(frozen=True)
class Plain:
    """The elements that differ by more than rounding or float accuracy explains.

    ``spans`` are those of the channels that have such elements, by their number. ``lower`` and ``higher`` are the
    boxes of the elements that are lower or higher than the reference, ``all`` that of every element of samples that
    have such elements. ``error`` and ``slack`` are the largest of a sample.
    """

    spans: Mapping[int, Span]
    all: Box
    lower: Box | None
    higher: Box | None
    moves: Moves | None
    error: float
    slack: float

    @classmethod
    def of(cls, sample: Compared, places: Array, differs: NDArray[np.bool_]) -> Plain:
        """Return the measure of the elements at some places of a sample; ``differs`` tells all that differ."""
        reference, found = sample.reference[places], sample.found[places]
        spans = spans_of(sample, places, differs)
        is_moved = not sample.bounds or _farthest(spans.values()) > 1.0
        lower, higher = (
            Box.of(reference[side], found[side]) if side.any() else None
            for side in (found < reference, found > reference)
        )
        return cls(
            spans,
            Box.of(sample.reference, sample.found),
            lower,
            higher,
            moves_of(sample, places) if is_moved else None,
            sample.error,
            sample.slack,
        )

    def __add__(self, other: Plain) -> Plain:
        both = (self.spans, other.spans)
        spans = {
            channel: sum((each[channel] for each in both if channel in each), Span())
            for channel in sorted({*self.spans, *other.spans})
        }
        return Plain(
            spans,
            self.all + other.all,
            self.lower + other.lower if self.lower and other.lower else self.lower or other.lower,
            self.higher + other.higher if self.higher and other.higher else self.higher or other.higher,
            self.moves + other.moves if self.moves and other.moves else self.moves or other.moves,
            max(self.error, other.error),
            max(self.slack, other.slack),
        )

    @property
    def elements(self) -> int:
        """The number of elements."""
        return sum(span.elements for span in self.spans.values())


def _farthest(spans: Iterable[Span]) -> float:
    return max(max(-span.low, span.high, -span.least_held, span.most_held) for span in spans)


@dataclass(frozen=True)
class CauseMeasure:
    """The elements of a tensor that differ: by rounding, within the accuracy of floats, and the others.

    The tensor has so many ``channels``, 1 if their dimension is not known.
    """

    channels: int
    is_float: bool
    rounded: int = 0
    inaccurate: int = 0
    plain: Plain | None = None

    @classmethod
    def of(
        cls, sample: Compared, places: Array, rounded: NDArray[np.bool_], inaccurate: NDArray[np.bool_]
    ) -> CauseMeasure:
        """Return the measure of a sample whose elements at some ``places`` differ.

        The masks tell which of them differ by rounding, and which of the others within the accuracy of floats.
        """
        rest = places[~(rounded | inaccurate)]
        plain: Plain | None = None
        if rest.size:
            differs = np.zeros(sample.reference.size, np.bool_)
            differs[places] = True
            plain = Plain.of(sample, rest, differs)
        counts = int(rounded.sum()), int(inaccurate.sum())
        return cls(sample.channels, not sample.bounds, *counts, plain)

    def __add__(self, other: CauseMeasure) -> CauseMeasure:
        return CauseMeasure(
            self.channels,
            self.is_float,
            self.rounded + other.rounded,
            self.inaccurate + other.inaccurate,
            self.plain + other.plain if self.plain and other.plain else self.plain or other.plain,
        )
