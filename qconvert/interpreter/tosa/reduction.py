"""Reductions along one dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from qconvert.dialects.tosa import reduction
from qconvert.interpreter.implementation import Array, implements_tosa

_FOLDS: dict[type[reduction.ReductionOp], Callable[..., Array]] = {
    reduction.ReduceMaxOp: np.max,
    reduction.ReduceMinOp: np.min,
    reduction.ReduceSumOp: np.sum,
    reduction.ReduceProductOp: np.prod,
    reduction.ReduceAllOp: np.all,
    reduction.ReduceAnyOp: np.any,
}


@implements_tosa(*_FOLDS)
def reduce(op: reduction.ReductionOp, operands: Sequence[Array]) -> Array:
    """Reduce the dimension to size 1; sums of i32 wrap, which TOSA leaves undefined."""
    (value,) = operands
    folded = _FOLDS[type(op)](value, axis=op.axis.value.data, keepdims=True)
    return np.asarray(folded, value.dtype)


@implements_tosa(reduction.ArgMaxOp)
def argmax(op: reduction.ArgMaxOp, operands: Sequence[Array]) -> Array:
    """Return the first index of the largest element, or of NaN."""
    return np.asarray(np.argmax(operands[0], op.axis.value.data), np.int32)
