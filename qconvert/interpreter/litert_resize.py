"""LiteRT's linear interpolation of integers.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite
from qconvert.dialects.attributes import Arithmetic
from qconvert.dialects.composite.resize import LITERT_BITS
from qconvert.interpreter.core import Array
from qconvert.interpreter.litert import kernel
from qconvert.numerics.fixed_point import Integers, divide_by_power


@kernel(composite.ResizeOp)
def resize(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The stored integers, weighted along height and width, rounded once, halves away from zero."""
    assert isinstance(op, composite.ResizeOp)
    value: Integers = operands[0].astype(np.int64)
    for axis, steps in zip((1, 2), op.litert_steps(), strict=True):
        low, high, part = steps.neighbours()
        share = part.reshape([-1 if i == axis else 1 for i in range(4)])
        value = np.take(value, low, axis) * ((1 << LITERT_BITS) - share) + np.take(value, high, axis) * share
    return divide_by_power(value, 2 * LITERT_BITS).astype(operands[0].dtype)
