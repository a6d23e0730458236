"""``map`` and ``sort``: computations on scalars, evaluated on all elements together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert.dialects.stablehlo.computation import MapOp, SortOp
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.reduction import Arrays, run_region
from qconvert.support.errors import ConversionError


@implements(MapOp)
def map_(op: MapOp, operands: Sequence[Array]) -> Arrays:
    """Evaluate the computation on whole tensors."""
    return run_region(op.computation, operands)


@implements(SortOp)
def sort(op: SortOp, operands: Sequence[Array]) -> Arrays:
    """Sort all slices together by a stable merge sort: runs of 1, 2, 4 ... elements are merged in pairs.

    The comparator runs ``log2(n)`` times, on all elements, for each of the ``log2(n)`` lengths.
    """
    slices = [np.moveaxis(array, op.axis, -1) for array in operands]
    count = slices[0].shape[-1]
    order = np.broadcast_to(np.arange(count), slices[0].shape)
    width = 1
    while width < count:
        order = _merged(op, slices, order, width)
        width *= 2
    return tuple(np.moveaxis(np.take_along_axis(part, order, -1), -1, op.axis) for part in slices)


def _merged(op: SortOp, slices: Sequence[Array], order: Array, width: int) -> Array:
    """Return the order after pairs of sorted runs of ``width`` elements are merged.

    The position of an element is its rank in its own run plus its rank in the other run, found by a binary search.
    Equal elements of the first run come first.
    """
    count = order.shape[-1]
    run = np.arange(count) // width
    first_of_pair, start = run // 2 * 2 * width, (run ^ 1) * width
    is_left = run % 2 == 0
    low = np.zeros(order.shape, np.int64)
    high = np.broadcast_to(np.clip(count - start, 0, width), order.shape)
    for _ in range(width.bit_length()):
        middle = (low + high) // 2
        other = np.take_along_axis(order, np.minimum(start + middle, count - 1), -1)
        is_less = _less(op, slices, np.where(is_left, other, order), np.where(is_left, order, other))
        goes_before, open_ = np.where(is_left, is_less, ~is_less), low < high
        low, high = np.where(open_ & goes_before, middle + 1, low), np.where(open_ & ~goes_before, middle, high)
    positions = first_of_pair + np.arange(count) % width + low
    merged = np.full(order.shape, -1)
    np.put_along_axis(merged, positions, order, -1)
    if (merged < 0).any():
        raise ConversionError("the comparator does not define an order: two elements come before each other")
    return merged


def _less(op: SortOp, slices: Sequence[Array], left: Array, right: Array) -> Array:
    """Return True where the comparator orders the elements at ``left`` before the elements at ``right``."""
    arguments = [np.take_along_axis(part, side, -1) for part in slices for side in (left, right)]
    return run_region(op.comparator, arguments)[0]
