"""Arrays that are made when they are needed, so that not all weights of a large model are in memory at once.

A late array is read from a file, or computed from another late array, each time that its elements are asked for. Passes
and backends hand it on as it is; :func:`array_of` returns the elements, which are let go when nobody uses them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeAlias
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from qconvert.ir.stored import StoredArray
from qconvert.numerics import unrepeated

_RECENT_BYTES = 1 << 27
"""Bytes of one model's late arrays that stay in memory: what one pass has read, the next one needs as well."""

_LATE_BYTES = 1 << 16
"""The smallest array that is late."""

_PIECE_BYTES = 1 << 24
_WHOLE_BYTES = 1 << 26
"""The largest late array that is made as a whole to be written."""

_LINE = 64
"""Bytes of a line of a processor's cache."""

_ROWS = 512
"""The rows of a matrix that are transposed together."""


class Recent:
    """The arrays of one model that were made last; older ones are let go."""

    def __init__(self) -> None:
        self._arrays: deque[NDArray[Any]] = deque()
        self._bytes = 0

    def hold(self, array: NDArray[Any]) -> None:
        """Keep an array in memory until others have taken its place."""
        if array.nbytes <= _WHOLE_BYTES:
            self._arrays.append(array)
            self._bytes += array.nbytes
        while self._bytes > _RECENT_BYTES:
            self._bytes -= self._arrays.popleft().nbytes


_Part: TypeAlias = Callable[[int, int, int], NDArray[Any]]
_Combine: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]


@dataclass(eq=False, slots=True, weakref_slot=True)
class LateArray:
    """An array of known shape and type. ``make`` returns the elements, ``part`` those of a range along an axis.

    Arrays of one ``origin`` have the same elements: of one array of a file, moved in the same way; None is an unknown
    origin. ``recent`` is None for a view. ``lead`` is the dimension by which the array is cut into parts that stand
    together in the file, by default the first long one.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    make: Callable[[], NDArray[Any]]
    recent: Recent | None = None
    part: _Part | None = None
    origin: Hashable = None
    lead: int | None = None
    _made: ref[NDArray[Any]] | None = field(default=None, init=False, repr=False)

    @classmethod
    def stored(cls, stored: StoredArray, recent: Recent) -> LateArray:
        """Return an array of a file."""
        return cls(stored.shape, stored.held_dtype, stored.array, recent, stored.part, stored)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes of the elements in memory."""
        return self.size * self.dtype.itemsize

    @property
    def is_made(self) -> bool:
        """True if the elements are in memory."""
        return self._made is not None and self._made() is not None

    def array(self) -> NDArray[Any]:
        """Return the elements, read-only. Raises ConversionError naming the file if it has changed."""
        array = None if self._made is None else self._made()
        if array is None:
            array = self.make().view()
            array.flags.writeable = False
            self._made = ref(array)
            if self.recent is not None:
                self.recent.hold(array)
        return array

    def pieces(self) -> Iterator[NDArray[Any]]:
        """Yield all elements, of a large array a part of the first long dimension at a time; none stays in memory."""
        part = self.part
        if part is None or not self.size or self.is_made:
            yield self.array()
            return
        axis = first_long(self.shape)
        size = self.shape[axis]
        step = max(1, _PIECE_BYTES * size // self.nbytes) if self.nbytes > _WHOLE_BYTES else size
        for start in range(0, size, step):
            yield part(axis, start, min(start + step, size))


def first_long(shape: Sequence[int]) -> int:
    """Return the first dimension of another size than 1, by which an array in row-major order is cut into pieces."""
    return next((axis for axis, size in enumerate(shape) if size != 1), 0)


Held: TypeAlias = NDArray[Any] | LateArray
"""The elements of a constant, in memory or not."""


def stored_elements(stored: StoredArray, recent: Recent) -> Held:
    """Return the elements of a file: late if they are many and the file is large."""
    if stored.content.is_late and stored.byte_count >= _LATE_BYTES:
        return LateArray.stored(stored, recent)
    return stored.array()


def array_of(held: Held) -> NDArray[Any]:
    """Return the elements of an array. Raises ConversionError naming the file if it has changed."""
    return held.array() if isinstance(held, LateArray) else held


def pieces_of(held: Held) -> Iterator[NDArray[Any]]:
    """Return the elements of an array in order: of a large late one a part of the first dimension at a time."""
    return held.pieces() if isinstance(held, LateArray) else iter((held,))


def slabs_of(held: Held, axis: int) -> Iterator[NDArray[Any]]:
    """Yield the elements a part of one dimension at a time; each has 16 MB if a slice has less."""
    array = held if isinstance(held, LateArray) and held.part is not None else array_of(held)
    size = array.shape[axis]
    step = max(1, _PIECE_BYTES * size // max(1, array.nbytes))
    for start in range(0, size, step):
        stop = min(start + step, size)
        if isinstance(array, LateArray):
            assert array.part is not None
            yield array.part(axis, start, stop)
        else:
            yield array[(slice(None),) * axis + (slice(start, stop),)]


def lead_of(held: Held) -> int:
    """Return the dimension by which an array is cut into parts that stand together in the file, or in memory."""
    if isinstance(held, LateArray):
        return first_long(held.shape) if held.lead is None else held.lead
    return max(range(held.ndim), key=lambda axis: (held.shape[axis] != 1) * abs(held.strides[axis]), default=0)


def are_equal(held: Held, other: Held) -> bool:
    """Return True if arrays of one type have equal elements; of late ones a part at a time is in memory."""
    if not isinstance(held, LateArray) and not isinstance(other, LateArray):
        return np.array_equal(held, other)
    if held.shape != other.shape:
        return False
    axis = lead_of(held)
    pairs = zip(slabs_of(held, axis), slabs_of(other, axis), strict=True) if held.shape else [(held, other)]
    return all(np.array_equal(array_of(one), array_of(two)) for one, two in pairs)


def is_one_element(held: Held) -> bool:
    """Return True if the strides say that all elements are one, as those of a broadcast scalar do."""
    return held.size > 0 and not isinstance(held, LateArray) and not any(held.strides)


def repeats(held: Held) -> bool:
    """Return True if an array repeats elements along a dimension, as a broadcast does."""
    return not isinstance(held, LateArray) and not all(held.strides)


def held_once(held: Held) -> Held:
    """Return an array with size 1 along every repeated dimension; late arrays repeat no elements."""
    return held if isinstance(held, LateArray) else unrepeated(held)


def have_one_origin(held: Held, other: Held) -> bool:
    """Return True if arrays are the same, or are the same bytes of a file; nothing is read."""
    if held is other:
        return True
    if not isinstance(held, LateArray) or not isinstance(other, LateArray) or held.origin is None:
        return False
    return held.origin == other.origin


def _moved(held: LateArray, *move: Hashable) -> Hashable:
    """Return the origin of an array whose elements are moved, None if that of the array is unknown."""
    return None if held.origin is None else (held.origin, *move)


def transposed(held: Held, permutation: Sequence[int]) -> Held:
    """Return an array in another order of dimensions, without a copy.

    Orders of orders are one view. The weights of a convolution are OIHW in ONNX, HWIO in the IR, and OHWI in TFLite and
    TOSA; their elements move once, in :func:`row_major`, when a file is written.
    """
    order = tuple(permutation)
    if not isinstance(held, LateArray):
        return held.transpose(order)
    source = held.part

    def part(axis: int, start: int, stop: int) -> NDArray[Any]:
        assert source is not None
        return source(order[axis], start, stop).transpose(order)

    shape = tuple(held.shape[i] for i in order)
    origin = _moved(held, "transposed", order)
    lead = order.index(lead_of(held)) if order else None
    return LateArray(shape, held.dtype, lambda: held.array().transpose(order), None, source and part, origin, lead)


def reshaped(held: Held, sizes: Sequence[int]) -> Held:
    """Return the elements in row-major order in another shape, without a copy if they are late or contiguous."""
    shape = tuple(sizes)
    if not isinstance(held, LateArray):
        return held.reshape(shape)
    if isinstance(held.origin, StoredArray) and held.recent is not None:
        return LateArray.stored(replace(held.origin, shape=shape), held.recent)
    source = held.part

    def part(axis: int, start: int, stop: int) -> NDArray[Any]:
        assert source is not None
        of_held = _same_axis(held.shape, shape, axis)
        if of_held is not None:
            return source(of_held, start, stop).reshape((*shape[:axis], stop - start, *shape[axis + 1 :]))
        lead = first_long(shape)
        if axis != lead:
            step = max(1, _PIECE_BYTES * shape[lead] // held.nbytes)
            cut = (*(slice(None) for _ in range(axis)), slice(start, stop))
            bounds = range(0, shape[lead], step)
            return np.concatenate([part(lead, at, min(at + step, shape[lead]))[cut] for at in bounds], lead)
        inner = prod(shape[lead + 1 :])
        return _in_order(held, start * inner, stop * inner).reshape(*shape[:lead], stop - start, *shape[lead + 1 :])

    is_cut, origin = source is not None and held.size > 0, _moved(held, "reshaped", shape)
    lead, made = _same_axis(shape, held.shape, lead_of(held)), part if is_cut else None
    return LateArray(shape, held.dtype, lambda: held.array().reshape(shape), None, made, origin, lead)


def _same_axis(before: Sequence[int], after: Sequence[int], axis: int) -> int | None:
    """Return the dimension that is ``axis`` after a reshape which adds and removes dimensions of size 1 only."""
    long = [[i for i, size in enumerate(shape) if size != 1] for shape in (before, after)]
    is_same = [before[i] for i in long[0]] == [after[i] for i in long[1]]
    return long[0][long[1].index(axis)] if is_same and axis in long[1] else None


def _in_order(held: LateArray, start: int, stop: int) -> NDArray[Any]:
    """Return a range of the elements in row-major order."""
    assert held.part is not None
    axis = first_long(held.shape)
    inner = prod(held.shape[axis + 1 :])
    first = start // inner
    piece = row_major(held.part(axis, first, -(-stop // inner))).reshape(-1)
    return piece[start - first * inner : stop - first * inner]


def broadcast(held: Held, shape: Sequence[int]) -> Held:
    """Return an array whose dimensions of size 1 repeat their elements; a late one that repeats is read."""
    return held if held.shape == tuple(shape) else np.broadcast_to(array_of(held), shape)


def sliced(held: Held, start: int, stop: int) -> Held:
    """Return the elements from ``start`` to ``stop`` along the first dimension."""
    if not isinstance(held, LateArray):
        return held[start:stop]
    source = held.part

    def part(axis: int, first: int, last: int) -> NDArray[Any]:
        assert source is not None
        if axis == 0:
            return source(0, start + first, start + last)
        return source(axis, first, last)[start:stop]

    def make() -> NDArray[Any]:
        return held.array()[start:stop].copy() if source is None else source(0, start, stop)

    shape = (stop - start, *held.shape[1:])
    return LateArray(shape, held.dtype, make, None, source and part, _moved(held, "sliced", start, stop))


def flipped(held: Held, axes: Sequence[int]) -> Held:
    """Return the elements in reverse order along some axes, without a copy."""
    order = tuple(axes)
    if not isinstance(held, LateArray):
        return np.flip(held, order)
    source = held.part

    def part(axis: int, start: int, stop: int) -> NDArray[Any]:
        assert source is not None
        bounds = (held.shape[axis] - stop, held.shape[axis] - start) if axis in order else (start, stop)
        return np.flip(source(axis, *bounds), order)

    return LateArray(
        held.shape, held.dtype, lambda: np.flip(held.array(), order), None, source and part, lead=held.lead
    )


def taken(held: Held, places: NDArray[np.intp], axis: int) -> Held:
    """Return the slices along an axis that stand at some places."""
    if not isinstance(held, LateArray):
        return held.take(places, axis)
    source, shape = held.part, (*held.shape[:axis], places.size, *held.shape[axis + 1 :])

    def part(along: int, start: int, stop: int) -> NDArray[Any]:
        assert source is not None
        if along != axis:
            return source(along, start, stop).take(places, axis)
        wanted = places[start:stop]
        runs = np.split(wanted, np.flatnonzero(np.diff(wanted) != 1) + 1)
        return np.concatenate([source(axis, int(run[0]), int(run[-1]) + 1) for run in runs], axis)

    return LateArray(shape, held.dtype, lambda: held.array().take(places, axis), held.recent, source and part)


def mapped(held: Held, function: Callable[[NDArray[Any]], NDArray[Any]], dtype: np.dtype[Any]) -> Held:
    """Return an array of the results of a function of each element."""
    if not isinstance(held, LateArray):
        return function(held)
    source = held.part

    def part(axis: int, start: int, stop: int) -> NDArray[Any]:
        assert source is not None
        return function(source(axis, start, stop))

    return LateArray(held.shape, dtype, lambda: function(held.array()), held.recent, source and part, lead=held.lead)


def computed(held: Held, function: Callable[[NDArray[Any]], NDArray[Any]], dtype: np.dtype[Any]) -> Held:
    """Return what a function of an array returns, an array of the same shape."""
    if not isinstance(held, LateArray):
        return function(held)
    return LateArray(held.shape, dtype, lambda: function(held.array()), held.recent)


def combined(held: Held, along: NDArray[Any], function: _Combine, dtype: np.dtype[Any]) -> Held:
    """Return the results of a function of each element and a number of ``along``, which has size 1 where it repeats."""
    if not isinstance(held, LateArray):
        return function(held, along)
    source = held.part

    def part(axis: int, start: int, stop: int) -> NDArray[Any]:
        assert source is not None
        cut = slice(None) if along.shape[axis] == 1 else slice(start, stop)
        return function(source(axis, start, stop), along[(slice(None),) * axis + (cut,)])

    recent, lead = held.recent, held.lead
    return LateArray(held.shape, dtype, lambda: function(held.array(), along), recent, source and part, lead=lead)


def converted(held: Held, dtype: np.dtype[Any]) -> Held:
    """Return the elements in another type; those of the type are not copied."""
    return held if held.dtype == dtype else mapped(held, lambda array: array.astype(dtype), dtype)


def row_major(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array in row-major order: of transposed matrices a few rows of the source at a time.

    In one copy every element of the source is in another line of the cache. Rows are copied first to rows that are a
    line further apart: a cache holds few lines whose distance is a power of two. Both take a tenth of the time.
    """
    if array.flags.c_contiguous or array.size < _LINE * _LINE:
        return np.asarray(array, order="C")
    strides = [0 if size == 1 else abs(stride) for size, stride in zip(array.shape, array.strides, strict=True)]
    order = sorted(range(array.ndim), key=lambda axis: -strides[axis])
    source, made = array.transpose(order), np.empty(array.shape, array.dtype)
    target, inner = made.transpose(order), prod(source.shape[1:])
    rows = np.empty((min(_ROWS, len(source)), inner + max(1, _LINE // array.itemsize)), array.dtype)[:, :inner]
    for start in range(0, len(source), _ROWS):
        part = source[start : start + _ROWS]
        apart = rows[: len(part)].reshape(part.shape)
        apart[...] = part
        target[start : start + _ROWS] = apart
    return made
