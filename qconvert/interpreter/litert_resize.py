"""LiteRT's linear interpolation: of signed integers in integers, of unsigned ones in floats.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite
from qconvert.dialects.composite.resize import HALF, LITERT_BITS, Neighbours
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.interpreter.core import Array
from qconvert.interpreter.litert import kernel
from qconvert.ir.arithmetic import Arithmetic
from qconvert.ir.types import shape
from qconvert.numerics.fixed_point import Integers, divide_by_power


@kernel(composite.ResizeOp)
def resize(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The stored integers, weighted along height and width, rounded once, halves away from zero."""
    assert isinstance(op, composite.ResizeOp)
    if op.is_litert_float:
        return _in_floats(op, operands[0])
    value: Integers = operands[0].astype(np.int64)
    for axis, steps in zip(as_tuple(op.axes), op.litert_steps(), strict=True):
        low, high, part = steps.neighbours()
        share = part.reshape([-1 if i == axis else 1 for i in range(value.ndim)])
        value = np.take(value, low, axis) * ((1 << LITERT_BITS) - share) + np.take(value, high, axis) * share
    return divide_by_power(value, 2 * LITERT_BITS).astype(operands[0].dtype)


def _in_floats(op: composite.ResizeOp, operand: Array) -> Array:
    """Unsigned integers, which may be held as signed ones: in f32 in LiteRT's order, halves up."""
    half = 128 if operand.dtype.kind == "i" else 0
    real = operand.astype(np.float32) + np.float32(half)
    (rows, columns), (vertical, horizontal) = op.litert_pairs(), as_tuple(op.axes)
    total = np.zeros(shape(op.result), np.float32)
    for column in columns:
        for row in rows:
            corner = np.take(np.take(real, row.positions, vertical), column.positions, horizontal)
            total = total + corner * _along(vertical, row, real.ndim) * _along(horizontal, column, real.ndim)
    return np.asarray((np.floor(total + HALF).astype(np.int64) - half).astype(operand.dtype))


def _along(axis: int, found: Neighbours, rank: int) -> Array:
    return found.weights.reshape([-1 if i == axis else 1 for i in range(rank)])
