"""LiteRT's linear interpolation of integers.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite
from qconvert.dialects.attributes import Arithmetic
from qconvert.dialects.composite.resize import Coordinates
from qconvert.dialects.types import shape
from qconvert.interpreter.core import Array
from qconvert.interpreter.litert import kernel
from qconvert.numerics.fixed_point import Integers, divide_by_power

UNIT_BITS = 10
"""The bits behind the point of LiteRT's positions."""


def steps(op: composite.ResizeOp, axis: int) -> tuple[int, int]:
    """How far neighbours in the result are apart in the operand, and where the first one is, in 1/1024."""
    original, resized = shape(op.operand)[axis], shape(op.result)[axis]
    mode = op.coordinates.data
    if mode is Coordinates.ALIGN_CORNERS and resized > 1:
        original, resized = original - 1, resized - 1
    step = ((original << UNIT_BITS) + resized // 2) // resized
    return step, (step // 2 - (1 << (UNIT_BITS - 1)) if mode is Coordinates.HALF_PIXEL else 0)


@kernel(composite.ResizeOp)
def resize(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The stored integers, weighted along height and width, rounded once, halves away from zero."""
    assert isinstance(op, composite.ResizeOp)
    value: Integers = operands[0].astype(np.int64)
    for axis in (1, 2):
        step, start = steps(op, axis)
        at = np.arange(shape(op.result)[axis]) * step + start
        low = np.maximum(at, 0) >> UNIT_BITS
        high = np.minimum((np.maximum(at, 0) + (1 << UNIT_BITS) - 1) >> UNIT_BITS, shape(op.operand)[axis] - 1)
        part = (at - (low << UNIT_BITS)).reshape([-1 if i == axis else 1 for i in range(4)])
        value = np.take(value, low, axis) * ((1 << UNIT_BITS) - part) + np.take(value, high, axis) * part
    return divide_by_power(value, 2 * UNIT_BITS).astype(operands[0].dtype)
