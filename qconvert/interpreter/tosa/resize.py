"""``tosa.resize``, bit by bit for integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert.dialects import tosa
from qconvert.interpreter.implementation import Array, implements_tosa
from qconvert.ir import numpy_dtype, tensor


@implements_tosa(tosa.ResizeOp)
def resize(op: tosa.ResizeOp, operands: Sequence[Array]) -> Array:
    """Resize the height, then the width.

    Each position takes one neighbour, or two with weights. For floats the weights add up to 1.
    """
    value, dtype = operands[0], numpy_dtype(tensor(op.output).element_type)
    if op.mode.data is tosa.ResizeMode.BILINEAR:
        value = value.astype(dtype)
    for axis, sampling in zip((1, 2), op.samplings, strict=True):
        value = _sampled(value, axis, sampling, op.mode.data)
    return value.astype(dtype, copy=False)


def _sampled(value: Array, axis: int, sampling: tosa.Sampling, mode: tosa.ResizeMode) -> Array:
    size, unit = value.shape[axis], sampling.unit
    at = np.arange(sampling.resized(size)) * sampling.step + sampling.offset
    whole, part = at // unit, at % unit
    low, high = np.maximum(whole, 0), np.minimum(whole + 1, size - 1)
    if mode is tosa.ResizeMode.NEAREST_NEIGHBOR:
        return np.take(value, np.where(2 * part >= unit, high, low), axis)
    weights = part.reshape([-1 if i == axis else 1 for i in range(value.ndim)]).astype(value.dtype)
    total = value.dtype.type(unit)
    if value.dtype.kind == "f":
        weights, total = weights / total, value.dtype.type(1)
    return np.asarray(np.take(value, low, axis) * (total - weights) + np.take(value, high, axis) * weights)
