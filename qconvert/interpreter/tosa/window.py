"""Pools over height and width; averages equal TOSA's reference model bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from qconvert import numerics
from qconvert.dialects.tosa import window
from qconvert.interpreter.implementation import Array, implements_tosa
from qconvert.interpreter.sliding import padded, taps
from qconvert.ir import shape


@implements_tosa(window.MaxPool2DOp)
def max_pool2d(op: window.MaxPool2DOp, operands: Sequence[Array]) -> Array:
    """Return the largest element under each window."""
    (value,) = operands
    lowest = -np.inf if value.dtype.kind == "f" else np.iinfo(value.dtype).min
    return reduce(np.maximum, _under_window(op, value, np.asarray(lowest)))


@implements_tosa(window.AvgPool2DOp)
def avg_pool2d(op: window.AvgPool2DOp, operands: Sequence[Array]) -> Array:
    """Return the sums under each window divided by their number of elements, without the padding.

    Sums of integers are divided by a multiplier and a shift.
    """
    value, before, after = operands
    counts = op.counts[..., None]
    if value.dtype.kind == "f":
        return np.asarray(sum(_under_window(op, value, np.zeros(()))) / counts, value.dtype)
    centred = value.astype(np.int64) - int(before.item())
    sums = sum(_under_window(op, centred, np.zeros(())))
    averages = numerics.apply_rescale(np.asarray(sums), *numerics.average_multiplier(counts)) + int(after.item())
    limits = np.iinfo(value.dtype)
    return np.clip(averages, limits.min, limits.max).astype(value.dtype)


def _under_window(op: window.PoolOp, value: Array, fill: Array) -> list[Array]:
    """Return a view of (N, H, W, C) for each position in the window, with the padding filled."""
    (top, bottom, left, right), sizes = op.window.pad, shape(op.output)
    wide = padded(value, ((0, 0), (top, bottom), (left, right), (0, 0)), (1,) * 4, fill.astype(value.dtype))
    extents = (value.shape[0], *sizes[1:3], value.shape[3])
    return [view for _, view in taps(wide, (1, *op.sizes, 1), (1, *op.window.stride, 1), (1,) * 4, extents)]
