"""The differences of each channel of a tensor: how far they are, by which factors, and what of the channel is equal."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qconvert.support.arrays import Array
from qconvert.validation.causes.lines import Moments, moments_of

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Compared:
    """One sample of a tensor: vectors of the reference and of what was found, and the ``shape`` of both.

    ``channel`` is the dimension of the channels, None if it is not known. ``bounds`` are the least and the largest
    integer of the storage, empty for floats. Each value is ``error`` off its real value at most.
    """

    reference: Array
    found: Array
    shape: tuple[int, ...]
    channel: int | None
    error: float
    zero_point: int = 0
    bounds: tuple[int, ...] = ()

    @property
    def slack(self) -> float:
        """How far differences of one offset may be apart: both roundings of integers may go either way."""
        return 2.0 * (math.ceil(self.error) if self.bounds else self.error)

    @property
    def channels(self) -> int:
        """The number of channels, 1 if their dimension is not known."""
        return 1 if self.channel is None else self.shape[self.channel]

    @property
    def blocks(self) -> tuple[int, int, int]:
        """The shape with the dimensions before and behind the channels' as one each."""
        if self.channel is None:
            return 1, 1, self.reference.size
        return math.prod(self.shape[: self.channel]), self.channels, math.prod(self.shape[self.channel + 1 :])

    def channels_of(self, places: Array) -> Array:
        """Return the channels of elements, which are given by their places in the vectors."""
        _, channels, inner = self.blocks
        return places // inner % channels


@dataclass(frozen=True)
class Span:
    """The elements of a channel that differ, and the equal ones.

    ``inner`` of the ``elements`` that differ are held by no bound; their differences are ``low`` to ``high``. Those of
    the others are ``least_held`` to ``most_held``. One factor explains all that differ if it is ``least`` to ``most``.
    ``calm`` counts the equal elements that no bound holds; the farthest is ``reach`` from the zero point. ``moments``
    are those of the distances of the inner elements from the zero point.
    """

    elements: int = 0
    inner: int = 0
    low: float = math.inf
    high: float = -math.inf
    least_held: float = math.inf
    most_held: float = -math.inf
    least: float = 0.0
    most: float = math.inf
    calm: int = 0
    reach: float = 0.0
    moments: Moments = field(default_factory=Moments)

    def __add__(self, other: Span) -> Span:
        return Span(
            self.elements + other.elements,
            self.inner + other.inner,
            min(self.low, other.low),
            max(self.high, other.high),
            min(self.least_held, other.least_held),
            max(self.most_held, other.most_held),
            max(self.least, other.least),
            min(self.most, other.most),
            self.calm + other.calm,
            max(self.reach, other.reach),
            self.moments + other.moments,
        )


class Held(NamedTuple):
    """The values from which on a bound may hold elements, on either side; infinite where none does."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Array, bounds: tuple[int, ...]) -> Held:
        """Return the least and the largest value where several elements have it, or where the storage ends.

        Equal values tell no bound.
        """
        low, high = values.min(), values.max()
        if low == high:
            return cls(-math.inf, math.inf)
        is_low, is_high = (edge in bounds or np.count_nonzero(values == edge) > 1 for edge in (low, high))
        return cls(float(low) if is_low else -math.inf, float(high) if is_high else math.inf)

    def mask(self, values: Floats) -> NDArray[np.bool_]:
        """Return True for the values that a bound may hold."""
        return np.asarray((values <= self.low) | (values >= self.high))

    def real(self, values: Floats, error: float) -> tuple[Floats, Floats]:
        """Return the least and the largest real value behind each value."""
        least = np.where(values <= self.low, -math.inf, values - error)
        return least, np.where(values >= self.high, math.inf, values + error)


def spans_of(sample: Compared, places: Array, differs: NDArray[np.bool_]) -> dict[int, Span]:
    """Return the span of each channel of the elements at some places of a sample, which differ.

    ``differs`` tells all elements that differ, those too that rounding explains.
    """
    reference, found = (each[places].astype(np.float64) for each in (sample.reference, sample.found))
    edges = [Held.of(each, sample.bounds) for each in (sample.reference, sample.found)]
    held = edges[0].mask(reference) | edges[1].mask(found)
    apart, zero = _apart(reference, found), sample.zero_point
    channel, size = sample.channels_of(places), sample.channels
    low, high = _ends(channel[~held], apart[~held], size)
    held_ends = _ends(channel[held], apart[held], size)
    real = [edge.real(each, sample.error) for edge, each in zip(edges, (reference, found), strict=True)]
    factors = _factors(*((each[0] - zero, each[1] - zero) for each in real))
    least, most = _ends(channel, factors[0], size)[1], _ends(channel, factors[1], size)[0]
    counts, inner = np.bincount(channel, minlength=size), np.bincount(channel[~held], minlength=size)
    calm, reach = _calm(sample, differs, edges[0])
    first, second = (each[~held] - zero for each in (reference, found))
    moments = moments_of(channel[~held], first, second, size, is_whole=bool(sample.bounds))
    columns = (counts, inner, low, high, *held_ends, least, most, calm, reach)
    rows = zip(*(column.tolist() for column in columns), moments, strict=True)
    return {channel: Span(*row) for channel, row in enumerate(rows) if row[0]}


def _ends(channel: Array, values: Floats, size: int) -> tuple[Floats, Floats]:
    """Return the least and the largest value of each of ``size`` channels, infinite for none."""
    low, high = np.full(size, math.inf), np.full(size, -math.inf)
    np.minimum.at(low, channel, values)
    np.maximum.at(high, channel, values)
    return low, high


def _apart(reference: Floats, found: Floats) -> Floats:
    """Return differences; of a NaN an infinite one."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(found - reference, nan=math.inf, posinf=math.inf, neginf=-math.inf)


def _factors(source: tuple[Floats, Floats], result: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the least and the largest factor from each real value of an interval to one of another interval."""
    (low, high), (least, most) = source, result
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(least > 0, np.where(high > 0, least / high, math.inf), 0.0)
        down = np.where(most < 0, np.where(low < 0, most / low, math.inf), 0.0)
        above = np.where(low > 0, np.where(most > 0, most / low, 0.0), math.inf)
        below = np.where(high < 0, np.where(least < 0, least / high, 0.0), math.inf)
    smallest, largest = np.maximum(up, down), np.minimum(above, below)
    return np.nan_to_num(smallest, nan=math.inf, posinf=math.inf), np.nan_to_num(largest, nan=0.0, posinf=math.inf)


def _calm(sample: Compared, differs: NDArray[np.bool_], edges: Held) -> tuple[Array, Floats]:
    """Return, for each channel, the number of equal elements that no bound holds, and how far the farthest is."""
    values = sample.reference
    equal = ~differs & (values > edges.low) & (values < edges.high)
    distances = np.where(equal, np.abs(values.astype(np.float64) - sample.zero_point), 0.0)
    outer, size, inner = sample.blocks
    counts = equal.reshape(outer, size, inner).sum(axis=(0, 2))
    return counts, distances.reshape(outer, size, inner).max(axis=(0, 2), initial=0.0)
