"""Reductions under windows that no pool of TOSA has: one op for each element of a window, dimension by dimension."""

from __future__ import annotations

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
    for axis in range(len(shape(value))):
        if window.size[axis] > 1 or window.strides[axis] > 1 or any(window.padding[axis]):
            value = _along(lower, value, window, axis, combine, fill)
    return value


def _along(
    lower: Lowering,
    value: SSAValue,
    window: stablehlo.Window,
    axis: int,
    combine: type[tosa.BinaryOp],
    fill: float | None,
) -> SSAValue:
    size, (low, high), stride = shape(value)[axis], window.padding[axis], window.strides[axis]
    reach = (window.size[axis] - 1) * window.dilations[axis]
    count = (size + low + high - reach - 1) // stride + 1
    value = _extended(lower, value, axis, low, reach + count * stride - low - size, fill)
    starts = [tap * window.dilations[axis] for tap in range(window.size[axis])]
    taps = [_every(lower, value, axis, start, count, stride) for start in starts]
    return reduce(lambda total, tap: lower.add(combine(total, tap)), taps)


def _extended(lower: Lowering, value: SSAValue, axis: int, low: int, high: int, fill: float | None) -> SSAValue:
    """Return a value with other elements at both ends of a dimension, or without elements if a number is negative."""
    starts, sizes, pads = [0] * len(shape(value)), list(shape(value)), [0] * (2 * len(shape(value)))
    starts[axis], sizes[axis] = max(0, -low), sizes[axis] - max(0, -low) - max(0, -high)
    pads[2 * axis], pads[2 * axis + 1] = max(0, low), max(0, high)
    value = lower.slice(value, starts, sizes)
    if not any(pads):
        return value
    if fill is None:
        raise ConversionError("TOSA pads a window with a constant only, and the initial value is computed")
    return lower.add(tosa.PadOp(value, lower.shape(pads), lower.constant([fill], element_type(value))))


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
