"""Linear resizing in float32, corner by corner in onnxruntime's order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from qconvert.dialects.composite import ResizeOp
from qconvert.interpreter.elementwise import through_float
from qconvert.interpreter.implementation import Array, implements


@implements(ResizeOp)
def resize(op: ResizeOp, operands: Sequence[Array]) -> Array:
    """Return the weighted sum of each position's neighbours; narrower types compute in float32."""

    def run(x: Array) -> Array:
        wide = x.astype(np.promote_types(x.dtype, np.float32), copy=False)
        return np.asarray(op.interpolated(_pick, _weigh, np.add, wide))

    return through_float(op, operands, run)


def _pick(axis: int, positions: Array, value: Array) -> Array:
    return np.take(value, positions, axis=axis)


def _weigh(value: Array, weights: Sequence[Array]) -> Array:
    return np.asarray(reduce(np.multiply, weights).astype(value.dtype) * value)
