"""How a value of a written program holds a tensor of the source: order of elements, shape, offset and type.

Formats hold a tensor with channels last, an unsigned one as signed integers, or integers without their zero point. A
relation is looked for in numbers of samples. Equal shapes are no evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

from qconvert.support.arrays import Array

_MOST_AXES = 5
"""The most dimensions above 1 whose orders are all tried."""
_LSB = 2.0
"""The distance in LSB up to which elements count as close."""
_STEP = 0.02
"""The distance in standard deviations up to which elements count as close, for tensors of more than 8 bits."""
_CLOSE = 0.9
"""The least share of close elements of a tensor that a value holds."""
_FAR = 0.3
"""The distance of two sorted tensors, in standard deviations, from which on no order of elements makes them equal."""
_HELD = 0.5
"""The least share of equal elements of a tensor in wider integers that hold it."""
_OUTERMOST = 0.05
"""The share of elements at each end of a sorted tensor that do not tell tensors apart."""

_SIGNS = (0, *(sign << width - 1 for width in (4, 8, 16) for sign in (-1, 1)))
"""The offsets between integers that are held alike, or as signed ones for unsigned ones and the reverse."""


@dataclass(frozen=True)
class Relation:
    """A value's elements are those of the source's tensor in another ``order`` of dimensions, and moved by ``offset``.

    ``shape`` and ``dtype`` are the value's, ``source_shape`` the tensor's. Floats have no offset.
    """

    order: tuple[int, ...]
    offset: int | None
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    source_shape: tuple[int, ...]

    def written(self, array: Array) -> Array:
        """Return a tensor of the source as the written program holds it."""
        ordered = array.reshape(self.source_shape).transpose(self.order).reshape(self.shape)
        if self.offset is not None:
            ordered = ordered.astype(np.int64) + self.offset
        return np.asarray(ordered.astype(self.dtype), order="C")

    def source(self, array: Array) -> Array:
        """Return a written value as the source's tensor, integers in 64 bits."""
        sizes = [self.source_shape[axis] for axis in self.order]
        ordered = array.reshape(sizes).transpose(np.argsort(self.order))
        return ordered if self.offset is None else ordered.astype(np.int64) - self.offset


@dataclass(frozen=True, eq=False)
class Observed:
    """A tensor on some samples, with what is compared first: its sorted elements and their spread.

    A quantized tensor of the source has a ``zero_point``, which a value may lack.
    """

    arrays: list[Array]
    zero_point: int = 0

    @cached_property
    def is_integer(self) -> bool:
        """True if all elements are integers."""
        return all(array.dtype.kind in "iu" or _is_whole(array) for array in self.arrays)

    @cached_property
    def every(self) -> Array:
        """All elements of all samples."""
        return np.concatenate([array.reshape(-1) for array in self.arrays])

    @cached_property
    def flat(self) -> Array:
        """All elements of all samples, as floats that hold them exactly."""
        return self.every.astype(np.float32 if self.every.dtype.itemsize <= 2 else np.float64)

    @cached_property
    def sorted(self) -> Array:
        """The sorted elements."""
        return np.sort(self.every).astype(self.flat.dtype)

    @cached_property
    def most(self) -> Array:
        """The sorted elements without the outermost, which a few that are not defined may be, unless these tell all."""
        few = int(_OUTERMOST * self.sorted.size)
        inner = self.sorted[few : self.sorted.size - few]
        return inner if inner[0] < inner[-1] else self.sorted

    @cached_property
    def mean(self) -> float:
        """The mean element."""
        return float(self.every.mean(dtype=np.float64))

    @cached_property
    def deviation(self) -> float:
        """The standard deviation."""
        return float(self.flat.std(dtype=np.float64))

    @cached_property
    def usual(self) -> float:
        """The median, which most elements of a sparse tensor are."""
        return float(self.sorted[self.sorted.size // 2])

    @cached_property
    def is_telling(self) -> bool:
        """True if the elements are finite and differ."""
        is_finite = self.every.dtype.kind in "iu" or (
            self.every.dtype.kind == "f" and bool(np.isfinite(self.every).all())
        )
        return is_finite and bool(self.every.size) and self.deviation > 0


def _is_whole(array: Array) -> bool:
    if array.dtype.kind != "f":
        return False
    with np.errstate(invalid="ignore"):
        return bool((array == np.trunc(array)).all())


@dataclass(frozen=True)
class Match:
    """A relation, how far the value is from the tensor, in standard deviations in the mean, and the equal elements."""

    relation: Relation
    distance: float
    equal: int


def match(tensor: Observed, value: Observed) -> Match | None:
    """Return the relation of a value to a tensor of the source that numbers confirm, or None."""
    if tensor.every.size != value.every.size or not tensor.is_telling or not value.is_telling:
        return None
    a, b = (tensor.most, value.most) if tensor.most.size == value.most.size else (tensor.sorted, value.sorted)
    usual, spread = a.std(dtype=np.float64), b.std(dtype=np.float64)
    if tensor.is_integer != value.is_integer or abs(spread - usual) > _FAR * usual:
        return None
    matches = [
        _matched(tensor, value, offset)
        for offset in (_offsets(tensor, value) if tensor.is_integer else [0])
        if float(np.abs(b - offset - a).mean(dtype=np.float64)) <= _FAR * usual
    ]
    best = max((each for each in matches if each is not None), key=lambda each: each.equal, default=None)
    return None if best is not None and _is_passed_through(tensor, value, best) else best


def _is_passed_through(tensor: Observed, value: Observed, best: Match) -> bool:
    """Return True for wider integers of which few are equal: an op subtracted a zero point of its own on the way.

    What holds a tensor is computed from it by rounding, which leaves most elements equal.
    """
    is_wide = value.every.dtype.itemsize > tensor.every.dtype.itemsize
    return tensor.is_integer and is_wide and best.equal < _HELD * tensor.every.size


def _matched(tensor: Observed, value: Observed, offset: int) -> Match | None:
    """Return the nearest relation of a value that is moved by an offset, or None."""
    least = float(np.abs(value.sorted - offset - tensor.sorted).mean(dtype=np.float64)) / tensor.deviation
    best: Match | None = None
    for order in orders(tensor.arrays[0].shape, value.arrays[0].shape):
        near = _near(tensor, value, order, offset)
        if near is not None and (best is None or near.distance < best.distance):
            best = near
            if near.distance <= least + 1e-9:
                break
    return best


def _offsets(tensor: Observed, value: Observed) -> list[int]:
    """Return the offsets of storage near the difference of the means or the medians.

    Rounding and wrong elements move these. An offset that no storage explains is a wrong value.
    """
    moved = (value.mean - tensor.mean, value.usual - tensor.usual)
    known = dict.fromkeys((*_SIGNS, -tensor.zero_point))
    return [offset for offset in known if any(abs(each - offset) <= _LSB for each in moved)]


def nearest(tensor: Observed, value: Observed, offset: int | None, known: Collection[tuple[int, ...]] = ()) -> Relation:
    """Return the relation of a value that should hold a tensor and does not: the order in which it is nearest.

    It is one of the ``known`` orders, if one of them gives the value's sizes: wrong elements tell little of an order.
    Where dimensions have one size, several may give the sizes, and no order be much nearer than the most frequent one:
    then it is that one. ``known`` has an order as often as tensors are held in it.
    """
    first, shape = value.arrays[0], tensor.arrays[0].shape
    sizes = [size for size in first.shape if size != 1]
    fitting = [each for each in known if [shape[axis] for axis in each if shape[axis] != 1] == sizes]

    def distance(order: tuple[int, ...]) -> float:
        arrays = [array.transpose(order).reshape(-1) for array in tensor.arrays]
        return float(np.abs(value.flat - (offset or 0) - np.concatenate(arrays)).mean(dtype=np.float64))

    order = min(fitting or orders(shape, first.shape), key=distance)
    if fitting:
        usual = Counter(fitting).most_common(1)[0][0]
        order = usual if distance(order) > distance(usual) / 2 else order
    return Relation(order, offset, first.shape, first.dtype, shape)


def _near(tensor: Observed, value: Observed, order: tuple[int, ...], offset: int) -> Match | None:
    """Return how a value matches in an order if most elements that are not the usual one are close, else None."""
    ordered = np.concatenate([array.transpose(order).reshape(-1) for array in tensor.arrays]).astype(value.flat.dtype)
    apart = np.abs(value.flat - offset - ordered)
    tells = (ordered != tensor.usual) | (apart > 0)
    limit = max(_LSB, _STEP * tensor.deviation) if tensor.is_integer else _STEP * tensor.deviation
    close = int((apart[tells] <= limit).sum())
    if close < _CLOSE * int(tells.sum()):
        return None
    first, moved = value.arrays[0], offset if tensor.is_integer else None
    relation = Relation(order, moved, first.shape, first.dtype, tensor.arrays[0].shape)
    return Match(relation, float(apart.mean(dtype=np.float64)) / tensor.deviation, int((apart == 0).sum()))


def orders(source: Sequence[int], written: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the orders of a tensor's dimensions that a value of a shape may have, those first whose sizes agree.

    Dimensions of size 1 have no order: they stand at the end.
    """
    axes = [axis for axis, size in enumerate(source) if size != 1]
    ones = tuple(axis for axis, size in enumerate(source) if size == 1)
    if len(axes) > _MOST_AXES:
        yield (*axes, *ones)
        return
    sizes = [size for size in written if size != 1]
    every = [(*order, *ones) for order in permutations(axes)]
    alike = [order for order in every if [source[axis] for axis in order if source[axis] != 1] == sizes]
    yield from alike
    yield from (order for order in every if order not in alike)
