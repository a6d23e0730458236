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
    for axis, places in zip((1, 2), op.neighbours, strict=True):
        if op.mode.data is tosa.ResizeMode.NEAREST_NEIGHBOR:
            value = np.take(value, places.nearest, axis)
        else:
            value = _between(value, axis, places)
    return value.astype(dtype, copy=False)


def _between(value: Array, axis: int, places: tosa.Neighbours) -> Array:
    weights = places.part.reshape([-1 if i == axis else 1 for i in range(value.ndim)]).astype(value.dtype)
    total = value.dtype.type(places.unit)
    if value.dtype.kind == "f":
        weights, total = weights / total, value.dtype.type(1)
    low, high = (np.take(value, positions, axis) for positions in (places.low, places.high))
    return np.asarray(low * (total - weights) + high * weights)
