"""Where the elements that differ lie: their number at each index of each dimension, such as in each channel."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from qconvert.support.arrays import Array

_GROUPS = 256
"""The number of groups of indices from which on indices are joined."""


@dataclass(frozen=True)
class Group:
    """The elements that differ at some indices from ``first`` on: their number, ties among them, the largest LSB."""

    first: int
    elements: int
    ties: int
    largest: int


@dataclass(frozen=True)
class Dimension:
    """The groups of ``width`` indices along a dimension of ``size`` that have an element that differs."""

    axis: int
    size: int
    width: int
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Places:
    """Counts of the elements that differ by dimension and index; ``largest`` has the largest difference in LSB.

    A count's key is twice the index, plus 1 for ties.
    """

    shape: tuple[int, ...]
    counts: tuple[Counter[int], ...]
    largest: tuple[Counter[int], ...]

    @classmethod
    def of(cls, apart: Array, ties: Array, shape: tuple[int, ...]) -> Places:
        """Return the counts of a tensor, whose differences and ties are vectors."""
        differing = np.flatnonzero(apart)
        far, tied = np.abs(apart[differing]), ties[differing]
        counts, largest = [], []
        for size, indices in zip(shape, np.unravel_index(differing, shape), strict=True):
            counts.append(_counter(np.bincount(indices * 2 + tied)))
            most = np.zeros(size, np.int64)
            np.maximum.at(most, indices, far)
            largest.append(_counter(most))
        return cls(shape, tuple(counts), tuple(largest))

    def __add__(self, other: Places) -> Places:
        return Places(
            self.shape,
            tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            tuple(a | b for a, b in zip(self.largest, other.largest, strict=True)),
        )

    def dimensions(self) -> tuple[Dimension, ...]:
        """Return the dimensions of more than one index, first those that have the differences at the fewest indices."""
        found = [axis for axis, size in enumerate(self.shape) if size > 1 and self.counts[axis]]
        found.sort(key=lambda axis: len(self.largest[axis]) / self.shape[axis])
        return tuple(map(self._dimension, found))

    def _dimension(self, axis: int) -> Dimension:
        size, counts, largest = self.shape[axis], self.counts[axis], self.largest[axis]
        width = 1 if len(largest) <= _GROUPS else -(-size // _GROUPS)
        groups: dict[int, Group] = {}
        for index in sorted(largest):
            first = index // width * width
            group = groups.get(first, Group(first, 0, 0, 0))
            plain, ties = counts[index * 2], counts[index * 2 + 1]
            far = max(group.largest, largest[index])
            groups[first] = Group(first, group.elements + plain + ties, group.ties + ties, far)
        return Dimension(axis, size, width, tuple(groups.values()))


def _counter(counts: Array) -> Counter[int]:
    found = np.flatnonzero(counts)
    return Counter(dict(zip(found.tolist(), counts[found].tolist(), strict=True)))
