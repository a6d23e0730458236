"""Values that are equal in another order: dimensions that changed places, channels that hold others' values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from qconvert.support.arrays import Array
from qconvert.validation.causes.spans import Compared

_MOST_AXES = 4
"""The most dimensions above 1 whose orders are all tried."""
_LOOKED_AT = 1024
"""The number of elements by which an order is tried before all elements are."""
_TELLING = 16
"""The number of elements, from the least to the largest, by which channels are tried before all elements are."""
_PAIRS = 1 << 19
"""The most pairs of channels that are tried."""
_EQUAL = 15 / 16
"""The least share of elements that are equal in the right order; ties may be rounded otherwise."""


@dataclass(frozen=True)
class Moves:
    """The orders of dimensions, and for each channel those of the reference, that explain what was found."""

    orders: frozenset[tuple[int, ...]]
    sources: Mapping[int, frozenset[int]]

    def __add__(self, other: Moves) -> Moves:
        """Return the moves that explain both."""
        channels = {*self.sources, *other.sources}
        both = (self.sources, other.sources)
        found = {
            channel: frozenset.intersection(*(each[channel] for each in both if channel in each))
            for channel in sorted(channels)
        }
        return Moves(self.orders & other.orders, found)


def moves_of(sample: Compared, places: Array) -> Moves:
    """Return the moves that explain the elements at some places, which differ."""
    return Moves(frozenset(_orders(sample, places)), _sources(sample, places))


def _orders(sample: Compared, places: Array) -> Iterator[tuple[int, ...]]:
    """Yield the orders in which the reference holds what was found."""
    axes = [axis for axis, size in enumerate(sample.shape) if size != 1]
    if not 1 < len(axes) <= _MOST_AXES:
        return
    few = places[:: max(1, places.size // _LOOKED_AT)]
    for order in list(permutations(axes))[1:]:
        whole = _whole(order, axes, len(sample.shape))
        if all(_is_ordered(sample, whole, each) for each in (few, np.arange(sample.found.size))):
            yield whole


def _whole(order: tuple[int, ...], axes: list[int], rank: int) -> tuple[int, ...]:
    """Return the order of all dimensions; those of size 1 stay."""
    moved = dict(zip(axes, order, strict=True))
    return tuple(moved.get(axis, axis) for axis in range(rank))


def _is_ordered(sample: Compared, order: tuple[int, ...], places: Array) -> bool:
    """Return True if elements that were found at some places are the reference's, with its dimensions in an order."""
    moved = np.unravel_index(places, [sample.shape[axis] for axis in order])
    sources = np.ravel_multi_index([moved[order.index(axis)] for axis in range(len(order))], sample.shape)
    return _are_alike(sample, sample.reference[sources], sample.found[places])


def _are_alike(sample: Compared, reference: Array, found: Array) -> bool:
    apart = np.abs(found.astype(np.float64) - reference.astype(np.float64))
    limit, equal = (1.0, 0.0) if sample.bounds else (sample.error, sample.error)
    return bool((apart <= limit).all() and (apart <= equal).mean() >= _EQUAL)


def _sources(sample: Compared, places: Array) -> dict[int, frozenset[int]]:
    """Return the channels of the reference whose values each channel holds that differs; a constant one tells none."""
    outer, size, inner = sample.blocks
    changed = np.unique(sample.channels_of(places))
    if size < 2 or changed.size * size > _PAIRS:
        return dict.fromkeys(changed.tolist(), frozenset())
    wanted, found = (
        np.moveaxis(each.reshape(outer, size, inner), 1, 0).reshape(size, -1)
        for each in (sample.reference, sample.found)
    )
    limit = 1.0 if sample.bounds else sample.error
    sources = {}
    for channel in changed.tolist():
        row = found[channel]
        if row.size > 1 and (row == row[0]).all():
            continue
        few = np.argsort(row, kind="stable")[np.linspace(0, row.size - 1, min(row.size, _TELLING)).astype(np.int64)]
        near = (np.abs(wanted[:, few].astype(np.float64) - row[few].astype(np.float64)) <= limit).all(axis=1)
        sources[channel] = frozenset(
            other for other in np.flatnonzero(near).tolist() if _are_alike(sample, wanted[other], row)
        )
    return sources
