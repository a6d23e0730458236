"""``reduce_window``: one step over the tensor for each position in the window, without a copy of the windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from qconvert.dialects import composite, stablehlo
from qconvert.interpreter.core import INT32, as_int32
from qconvert.interpreter.elementwise import through_float
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.reduction import (
    Arrays,
    accumulators,
    combined,
    combining_dtype,
    converted_results,
    plain_function,
    sums_accumulator,
)
from qconvert.interpreter.schedule import chosen
from qconvert.interpreter.sliding import padded, taps
from qconvert.ir import shape


@implements(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, operands: Sequence[Array]) -> Arrays:
    """Combine the elements under each window; the padding has the initial value."""
    inputs, initial = accumulators(op, operands)
    window, extents = op.window, shape(op.results[0])
    wide = tuple(
        padded(values, window.padding, window.base_dilations, value)
        for values, value in zip(inputs, initial, strict=True)
    )
    if not prod(extents) or not prod(window.size):
        return converted_results(op, tuple(np.broadcast_to(value, extents) for value in initial))
    function = plain_function(op)
    if function is None or chosen() is not None:
        return converted_results(op, _fold(op, wide, initial))
    is_checked = sums_accumulator(op, function)
    return converted_results(op, (pool(op.window, function, wide[0], initial[0], is_checked=is_checked),))


@implements(composite.AveragePoolOp)
def average_pool(op: composite.AveragePoolOp, operands: Sequence[Array]) -> Array:
    """Return the sum under each window, divided by the number of elements there."""
    window = op.window

    def run(x: Array) -> Array:
        wide = padded(x, window.padding, window.base_dilations, np.zeros((), x.dtype))
        windows = np.lib.stride_tricks.sliding_window_view(wide, window.size)
        steps = tuple(slice(None, None, step) for step in window.strides)
        total = windows[steps].sum(axis=tuple(range(-len(window.size), 0)))
        return np.asarray(total / op.counts.astype(x.dtype))

    return through_float(op, operands, run)


def _fold(op: stablehlo.ReduceWindowOp, inputs: Arrays, initial: Arrays) -> Arrays:
    """Evaluate the body for each position in the window, in row-major order or that of the schedule."""
    window, extents = op.window, shape(op.results[0])
    start = tuple(np.broadcast_to(value, extents) for value in initial)
    views = [taps(values, window.size, window.strides, window.dilations, extents) for values in inputs]
    return combined(op, [tuple(view for _, view in under_tap) for under_tap in zip(*views, strict=True)], start)


def pool(window: stablehlo.Window, function: np.ufunc, values: Array, initial: Array, *, is_checked: bool) -> Array:
    """Apply one numpy function instead of the body, along one dimension at a time if the result is exact.

    Sums that are checked must not leave 32 bits.
    """
    work = _sum_dtype(values, initial, window) if is_checked else combining_dtype(values.dtype)
    result = values.astype(work, copy=False)
    is_exact = work.kind in "iub" or function in (np.maximum, np.minimum)
    for step in _separated(window) if is_exact else (window,):
        result = _slide(function, result, step)
    result = np.asarray(function(result, initial.astype(work)))
    return as_int32(result) if is_checked else result.astype(values.dtype, copy=False)


def _sum_dtype(values: Array, initial: Array, window: stablehlo.Window) -> np.dtype[np.generic]:
    """Return int32 if no sum under a window can exceed it, else int64."""
    largest = max(int(values.max()), -int(values.min()), abs(int(initial)))
    return np.dtype(np.int32 if largest * (prod(window.size) + 1) <= INT32.max else np.int64)


def _separated(window: stablehlo.Window) -> Iterator[stablehlo.Window]:
    """Yield one window for each dimension that is pooled; their product is the window."""
    rank = len(window.size)
    for i, (size, stride) in enumerate(zip(window.size, window.strides, strict=True)):
        if size > 1 or stride > 1:
            alone = [[1] * i + [value] + [1] * (rank - i - 1) for value in (size, stride, window.dilations[i])]
            yield stablehlo.Window.of(alone[0], strides=alone[1], dilations=alone[2])


def _slide(function: np.ufunc, values: Array, window: stablehlo.Window) -> Array:
    extents = stablehlo.Window.of(window.size, strides=window.strides, dilations=window.dilations).result_shape(
        values.shape
    )
    views = taps(values, window.size, window.strides, window.dilations, extents)
    _, first = next(views)
    result = first.copy(order="K")
    for _, view in views:
        function(result, view, out=result)
    return result
