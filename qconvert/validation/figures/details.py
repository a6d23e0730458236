"""Details of layers for the page of a report: how far and where results differ, in a size that is bounded.

They are measured when a page is asked for (:attr:`~qconvert.validation.case.Settings.details`). Every figure is a count
or the beginning of a sorted list, so that it is the same however many samples are measured together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from qconvert.support.arrays import Array
from qconvert.validation.figures.places import Dimension, Places

_EDGES = np.array([*range(9), *(1 << k for k in range(4, 34))])
"""The largest difference of each bar, in LSB: one bar for each LSB up to 8, then bars that double in width."""

_CELLS = 256
"""The number of cells along each axis of a scatter plot while it is counted."""

_POINTS = 600
"""The largest number of points of a scatter plot that is kept; cells are joined in fours until they suffice."""

_BINS = 128
"""The largest number of bins of a histogram of integers."""

_LISTED = 20
"""The number of elements that are listed."""


@dataclass(frozen=True)
class Bar:
    """The elements whose result minus reference is ``low`` to ``high`` LSB, and how many of them are ties."""

    low: int
    high: int
    elements: int
    ties: int


@dataclass(frozen=True)
class Point:
    """The elements of one cell of a scatter plot, by its least integers, and how many of them differ."""

    reference: int
    result: int
    elements: int
    differing: int


@dataclass(frozen=True)
class Element:
    """One element that differs: its sample and its index in the tensor, both from 0, and its integers."""

    sample: int
    index: tuple[int, ...]
    reference: int
    result: int
    is_tie: bool


@dataclass(frozen=True)
class Histogram:
    """The number of elements in bins of ``width`` integers, of which the first begins at ``low``."""

    low: int
    width: int
    counts: tuple[int, ...]


class Role(StrEnum):
    """The place of a tensor in a layer."""

    INPUT = "input"
    CONSTANT = "constant"
    RESULT = "result"


@dataclass(frozen=True)
class Port:
    """A tensor of a layer and its quantization, which is empty for other tensors.

    ``scales`` and ``zero_points`` are the least and the largest of ``count`` values: one for each slice along ``axis``,
    or for each block, otherwise one for all elements. ``every_scale`` has the scales one by one, unless there are too
    many. ``elements`` has the integers of a constant.
    """

    role: Role
    name: str
    type: str
    shape: tuple[int, ...]
    scales: tuple[float, float] | None = None
    zero_points: tuple[int, int] | None = None
    count: int = 0
    axis: int | None = None
    every_scale: tuple[float, ...] = ()
    elements: Histogram | None = None


@dataclass(frozen=True)
class StatedOp:
    """An op of a layer, with its attributes and small constants as texts, each with its name."""

    op: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Stated:
    """The statements of a program on a layer. ``why`` tells why it could not be read; empty if it was."""

    ports: tuple[Port, ...]
    ops: tuple[StatedOp, ...]
    why: str = ""


@dataclass(frozen=True)
class Node:
    """A source node of a layer, and its operator: empty if the source has no node of this name."""

    name: str
    op: str


@dataclass(frozen=True)
class Distances:
    """How a layer's results compare with the reference: a histogram, a scatter plot, the largest differences.

    A cell of the scatter plot has ``width`` integers on each axis. The integers are those of the storage type, or
    count ``unit``, a size in the real numbers. ``dimensions`` tell where the elements that differ lie, ``integers`` how
    often each integer is in the reference and in the result.
    """

    bars: tuple[Bar, ...]
    points: tuple[Point, ...]
    width: int
    largest: tuple[Element, ...]
    unit: float | None = None
    dimensions: tuple[Dimension, ...] = ()
    integers: tuple[Histogram, ...] = ()


@dataclass(frozen=True)
class LayerDetails:
    """A layer of the model, whether it could be compared or not; ``distances`` is None if it was not.

    ``channels`` is the dimension of the result's channels, None where the layer does not tell. ``ports`` and ``ops``
    are those of the reference, ``file`` has those of the file that is compared.
    """

    tensor: str
    node: str
    op: str
    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    ports: tuple[Port, ...]
    distances: Distances | None = None
    channels: int | None = None
    ops: tuple[StatedOp, ...] = ()
    file: Stated | None = None


@dataclass(frozen=True)
class Details:
    """All layers in order, and the tensors and inputs of the model that each output is computed from.

    ``command`` is the command line that made the report, None if a program made it.
    """

    layers: tuple[LayerDetails, ...]
    outputs: Mapping[str, tuple[str, ...]]
    command: str | None = None


@dataclass(frozen=True)
class DetailMeasure:
    """Counts over some samples; ``bars`` and ``cells`` have a number for each bar and cell, and who is counted there.

    ``low`` is the storage type's least integer, ``width`` the number of integers of a cell.
    """

    samples: int
    low: int
    width: int
    places: Places
    bars: Counter[int] = field(default_factory=Counter)
    cells: Counter[int] = field(default_factory=Counter)
    largest: tuple[Element, ...] = ()

    @classmethod
    def of(
        cls, reference: Array, found: Array, ties: Array, shape: tuple[int, ...], storage: tuple[int, int]
    ) -> DetailMeasure:
        """Return the counts of one sample: vectors of integers, and the tensor's shape and its storage's range."""
        reference, found = reference.astype(np.int64, copy=False), found.astype(np.int64, copy=False)
        low, width = storage[0], -(-(storage[1] - storage[0] + 1) // _CELLS)
        apart = found - reference
        bars = _counted((np.searchsorted(_EDGES, np.abs(apart)) * np.sign(apart) + len(_EDGES)) * 2 + ties)
        rows, columns = (np.clip((each - low) // width, 0, _CELLS - 1) for each in (reference, found))
        cells = _counted((rows * _CELLS + columns) * 2 + (apart != 0))
        places = Places.of(apart, ties, shape)
        return cls(1, low, width, places, bars, cells, _largest(reference, found, ties, shape))

    def __add__(self, other: DetailMeasure) -> DetailMeasure:
        moved = [
            Element(self.samples + each.sample, each.index, each.reference, each.result, each.is_tie)
            for each in other.largest
        ]
        largest = sorted((*self.largest, *moved), key=lambda each: -abs(each.result - each.reference))
        return DetailMeasure(
            self.samples + other.samples,
            self.low,
            self.width,
            self.places + other.places,
            self.bars + other.bars,
            self.cells + other.cells,
            tuple(largest[:_LISTED]),
        )

    def distances(self) -> Distances:
        """Return the counts as bars, points of a limited number, and elements."""
        places = sorted({code // 2 - len(_EDGES) for code in self.bars})
        width, cells = 1, self.cells
        while len({code // 2 for code in cells}) > _POINTS:
            width, cells = 2 * width, _joined(cells)
        points = sorted({code // 2 for code in cells})
        return Distances(
            tuple(self._bar(place) for place in places),
            tuple(self._point(place, cells, width) for place in points),
            self.width * width,
            self.largest,
            dimensions=self.places.dimensions(),
            integers=tuple(self._histogram(side) for side in range(2)),
        )

    def _histogram(self, side: int) -> Histogram:
        """Return how often each integer is in the reference, which is side 0, or in the result."""
        counts: Counter[int] = Counter()
        for code, count in self.cells.items():
            counts[divmod(code // 2, _CELLS)[side]] += count
        first, last = min(counts, default=0), max(counts, default=0)
        joined = -(-(last - first + 1) // _BINS)
        bins = [0] * ((last - first) // joined + 1)
        for cell, count in counts.items():
            bins[(cell - first) // joined] += count
        return Histogram(self.low + first * self.width, joined * self.width, tuple(bins))

    def _bar(self, place: int) -> Bar:
        plain, ties = (self.bars[(place + len(_EDGES)) * 2 + tie] for tie in (0, 1))
        far = int(_EDGES[abs(place)])
        near = int(_EDGES[abs(place) - 1]) + 1 if place else 0
        low, high = (near, far) if place >= 0 else (-far, -near)
        return Bar(low, high, plain + ties, ties)

    def _point(self, place: int, cells: Counter[int], width: int) -> Point:
        row, column = (self.low + part * width * self.width for part in divmod(place, _CELLS))
        equal, differing = cells[place * 2], cells[place * 2 + 1]
        return Point(row, column, equal + differing, differing)


def _counted(codes: Array) -> Counter[int]:
    counts = np.bincount(codes)
    found = np.flatnonzero(counts)
    return Counter(dict(zip(found.tolist(), counts[found].tolist(), strict=True)))


def _joined(cells: Counter[int]) -> Counter[int]:
    """Return the counts of cells that are twice as wide and high."""
    joined: Counter[int] = Counter()
    for code, count in cells.items():
        row, column = divmod(code // 2, _CELLS)
        joined[(row // 2 * _CELLS + column // 2) * 2 + code % 2] += count
    return joined


def _largest(reference: Array, found: Array, ties: Array, shape: tuple[int, ...]) -> tuple[Element, ...]:
    """Return the elements that differ most, those of one difference in their order."""
    apart = np.abs(found - reference)
    differing = np.flatnonzero(apart)
    chosen = differing[np.argsort(-apart[differing], kind="stable")[:_LISTED]]
    return tuple(
        Element(0, tuple(map(int, np.unravel_index(i, shape))), int(reference[i]), int(found[i]), bool(ties[i]))
        for i in chosen
    )
