"""``tosa.const`` and ``tosa.rescale``; the latter equals TOSA's reference model bit by bit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert import numerics
from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.dialects.tosa.quantization import is_set
from qconvert.interpreter.implementation import Array, implements_tosa
from qconvert.ir import numpy_dtype, tensor


@implements_tosa(ConstOp)
def const(op: ConstOp, operands: Sequence[Array]) -> Array:
    """Return the constant's array, which is read-only."""
    return op.array


@implements_tosa(RescaleOp)
def rescale(op: RescaleOp, operands: Sequence[Array]) -> Array:
    """Rescale with one multiplier and shift, or one for each slice of the last dimension."""
    unsigned_in, unsigned_out = is_set(op.input_unsigned), is_set(op.output_unsigned)
    value, multiplier, shift = operands[:3]
    dtype = numpy_dtype(tensor(op.output).element_type)
    held = np.dtype(f"u{dtype.itemsize}") if unsigned_out else dtype
    limits = np.iinfo(held.name)
    result = numerics.rescale_and_clamp(
        _integers(value, unsigned=unsigned_in),
        multiplier,
        shift,
        numerics.ZeroPoints(
            int(_integers(operands[3], unsigned=unsigned_in)[0]), int(_integers(operands[4], unsigned=unsigned_out)[0])
        ),
        (limits.min, limits.max),
        op.rounding_mode.data,
    )
    return np.asarray(result.astype(held).view(dtype)).reshape(value.shape)


def _integers(array: Array, *, unsigned: bool) -> Array:
    """Return integers, read as unsigned if ``unsigned`` is True."""
    return array.view(np.dtype(f"u{array.itemsize}")) if unsigned else array
