"""Where two arrays differ: counted a part at a time, so that large constants are never in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert.ir import Held, LateArray, array_of, have_one_origin, lead_of
from qconvert.support.arrays import Array

_PART_BYTES = 1 << 22
"""The bytes of the parts of two arrays that are compared at a time."""

_MOST_MOVED = 1 << 22
"""The largest number of elements for which another order of elements is looked for."""

_MOST_AXES = 5


@dataclass
class Unequal:
    """The elements of two arrays of one shape that differ.

    ``first`` is the index of the first of them, with its ``values`` in both arrays. ``places`` has, for each dimension,
    which of its indices have a differing element. ``is_repeated`` is True as long as all elements that differ have the
    values of the first.
    """

    shape: tuple[int, ...]
    count: int = 0
    first: tuple[int, ...] = ()
    values: tuple[Any, Any] = (0, 0)
    places: list[NDArray[np.bool_]] = field(default_factory=list)
    is_repeated: bool = True

    def __post_init__(self) -> None:
        self.places = [np.zeros(size, np.bool_) for size in self.shape]

    @property
    def size(self) -> int:
        """The number of elements of one array."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def is_uniform(self) -> bool:
        """True if each array repeats one element."""
        return self.count == self.size and self.is_repeated

    def indices(self, axis: int) -> list[int]:
        """Return the indices along a dimension that have a differing element."""
        return [int(index) for index in np.flatnonzero(self.places[axis])]

    def add(self, one: Array, other: Array, axis: int, start: int) -> None:
        """Count the elements of a part that differ; the part begins at an index along a dimension."""
        differs = np.asarray(one != other)
        if one.dtype.kind == "f" and differs.any():
            differs &= ~(np.isnan(one) & np.isnan(other))
        count = int(np.count_nonzero(differs))
        if not count:
            return
        if not self.count:
            index = tuple(int(each) for each in np.unravel_index(int(differs.argmax()), differs.shape))
            self.values = (one[index].item(), other[index].item())
            self.first = tuple(each + start * (place == axis) for place, each in enumerate(index))
        self.count += count
        self.is_repeated &= bool((one == self.values[0]).all() and (other == self.values[1]).all())
        for place in range(differs.ndim):
            along = differs.any(axis=tuple(each for each in range(differs.ndim) if each != place))
            begin = start if place == axis else 0
            self.places[place][begin : begin + along.size] |= along


def unequal(one: Held, other: Held, offset: int = 0) -> Unequal:
    """Return where two arrays of one shape differ; ``offset`` is added to the first one's integers."""
    found = Unequal(tuple(one.shape))
    if have_one_origin(one, other) and not offset:
        return found
    if not one.shape:
        found.add(_moved(array_of(one), offset), array_of(other), 0, 0)
        return found
    axis = lead_of(one)
    for start, (mine, theirs) in _parts(one, other, axis):
        if offset or not np.array_equal(mine, theirs):  # equal parts are by far the most
            found.add(_moved(mine, offset), theirs, axis, start)
    return found


def _moved(array: Array, offset: int) -> Array:
    return array.astype(np.int64) + offset if offset else array


def _parts(one: Held, other: Held, axis: int) -> Iterator[tuple[int, tuple[Array, Array]]]:
    size = one.shape[axis]
    step = max(1, _PART_BYTES * size // max(1, one.nbytes, other.nbytes))
    for start in range(0, size, step):
        stop = min(start + step, size)
        yield start, (_part(one, axis, start, stop), _part(other, axis, start, stop))


def _part(held: Held, axis: int, start: int, stop: int) -> Array:
    if isinstance(held, LateArray) and held.part is not None:
        return held.part(axis, start, stop)
    return array_of(held)[(slice(None),) * axis + (slice(start, stop),)]


def order_between(one: Held, other: Held, offset: int = 0) -> tuple[int, ...] | None:
    """Return the order of dimensions in which the first array equals the second; None if there is none but its own."""
    if one.size > _MOST_MOVED or one.size != other.size or not 2 <= one.ndim <= _MOST_AXES:
        return None
    mine, theirs = _moved(array_of(one), offset), array_of(other)
    for order in permutations(range(mine.ndim)):
        moved = mine.transpose(order)
        is_other = order != tuple(range(mine.ndim)) or mine.shape != theirs.shape
        if is_other and moved.shape == theirs.shape and np.array_equal(moved, theirs):
            return order
    return None


def exchanged(one: Held, other: Held, found: Unequal, axis: int, offset: int = 0) -> bool:
    """Return True if the slices along a dimension that differ are the same slices in another order."""
    places = found.indices(axis)
    if not len(places) >= 2 or one.size > _MOST_MOVED:
        return False
    mine, theirs = _moved(array_of(one), offset), array_of(other)
    slices = [np.moveaxis(array, axis, 0)[places].astype(theirs.dtype) for array in (mine, theirs)]
    first, second = (sorted(np.asarray(part, order="C").tobytes() for part in each) for each in slices)
    return first == second
