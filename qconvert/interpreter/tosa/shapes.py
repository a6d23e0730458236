"""``tosa.const_shape``."""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.dialects.tosa import ConstShapeOp
from qconvert.interpreter.implementation import Array, implements_tosa


@implements_tosa(ConstShapeOp)
def const_shape(op: ConstShapeOp, operands: Sequence[Array]) -> Array:
    """Return the sizes; the array is read-only."""
    return op.values.array
