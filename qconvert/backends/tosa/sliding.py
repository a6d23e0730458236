"""Reductions under windows that no pool of TOSA has: one op for each element of a window, dimension by dimension."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import stablehlo, tosa
from qconvert.ir import element_type, shape
from qconvert.support.errors import ConversionError


def slid(
    lower: Lowering, value: SSAValue, window: stablehlo.Window, combine: type[tosa.BinaryOp], fill: float | None
) -> SSAValue:
    """Combine the elements under each window of a value; padding is filled with ``fill``.

    A window of n x m elements takes n + m ops: the first dimension's results are combined along the second.
    Raises ConversionError for a dilated operand, and for padding if ``fill`` is None.
    """
    if any(step > 1 for step in window.base_dilations):
        raise ConversionError("TOSA's pools do not support a dilated operand")
    sizes = shape(value)
    along = [
        axis
        for axis in range(len(sizes))
        if window.size[axis] > 1 or window.strides[axis] > 1 or any(window.padding[axis])
    ]
    pads = {axis: (window.padding[axis][0], _behind(window, axis, sizes[axis])) for axis in along}
    value = _extended(lower, value, pads, fill)
    for axis in along:
        starts = [tap * window.dilations[axis] for tap in range(window.size[axis])]
        count, stride = _count(window, axis, sizes[axis]), window.strides[axis]
        taps = [_every(lower, value, axis, start, count, stride) for start in starts]
        value = reduce(lambda total, tap: lower.add(combine(total, tap)), taps)
    return value


def _reach(window: stablehlo.Window, axis: int) -> int:
    return (window.size[axis] - 1) * window.dilations[axis]


def _count(window: stablehlo.Window, axis: int, size: int) -> int:
    """Return the number of windows along a dimension."""
    return (size + sum(window.padding[axis]) - _reach(window, axis) - 1) // window.strides[axis] + 1


def _behind(window: stablehlo.Window, axis: int, size: int) -> int:
    """Return the elements to add at the end of a dimension, so that each window has ``stride`` of them."""
    low = window.padding[axis][0]
    return _reach(window, axis) + _count(window, axis, size) * window.strides[axis] - low - size


def _extended(lower: Lowering, value: SSAValue, pads: Mapping[int, tuple[int, int]], fill: float | None) -> SSAValue:
    """Return a value with other elements at both ends of dimensions, or without elements if a number is negative.

    All dimensions are padded before one of them is combined: a window in the padding combines ``fill`` with itself.
    """
    starts, sizes, added = [0] * len(shape(value)), list(shape(value)), [0] * (2 * len(shape(value)))
    for axis, (low, high) in pads.items():
        starts[axis], sizes[axis] = max(0, -low), sizes[axis] - max(0, -low) - max(0, -high)
        added[2 * axis], added[2 * axis + 1] = max(0, low), max(0, high)
    value = lower.slice(value, starts, sizes)
    if not any(added):
        return value
    if fill is None:
        raise ConversionError("TOSA pads a window with a constant only, and the initial value is computed")
    return lower.add(tosa.PadOp(value, lower.shape(added), lower.constant([fill], element_type(value))))


def _every(lower: Lowering, value: SSAValue, axis: int, start: int, count: int, stride: int) -> SSAValue:
    """Return ``count`` elements of a dimension, from ``start`` on, ``stride`` apart."""
    starts, sizes = [0] * len(shape(value)), list(shape(value))
    starts[axis], sizes[axis] = start, count * stride
    value = lower.slice(value, starts, sizes)
    if stride == 1:
        return value
    sizes[axis : axis + 1] = [count, stride]
    value = lower.reshape(value, sizes)
    sizes[axis + 1] = 1
    value = lower.slice(value, [0] * len(sizes), sizes)
    return lower.reshape(value, [*sizes[: axis + 1], *sizes[axis + 2 :]])
