"""Elementwise ops: a table of numpy functions on operands that numpy broadcasts as TOSA does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from qconvert import numerics
from qconvert.dialects.tosa import elementwise as ops
from qconvert.dialects.tosa.quantization import is_set
from qconvert.interpreter.elementwise import divide, logistic
from qconvert.interpreter.implementation import Array, implements_tosa
from qconvert.interpreter.tosa.conversion import saturated
from qconvert.ir import numpy_dtype, tensor


def _leading_zeros(x: Array) -> Array:
    """Return the number of leading zeros of 32 bits; the exponent of a double counts the other bits exactly."""
    _, bits = np.frexp(x.view(np.uint32).astype(np.float64))
    return np.asarray(32 - bits)


def _logical_right(a: Array, b: Array) -> Array:
    unsigned = np.dtype(f"u{a.itemsize}")
    return np.asarray(a.view(unsigned) >> b.view(unsigned)).view(a.dtype)


_FUNCTIONS: dict[type[Operation], Callable[..., Any]] = {
    ops.AbsOp: np.abs,
    ops.BitwiseNotOp: np.invert,
    ops.CeilOp: np.ceil,
    ops.ClzOp: _leading_zeros,
    ops.CosOp: np.cos,
    ops.ErfOp: numerics.erf,
    ops.ExpOp: np.exp,
    ops.FloorOp: np.floor,
    ops.LogOp: np.log,
    ops.LogicalNotOp: np.logical_not,
    ops.ReciprocalOp: lambda x: x.dtype.type(1) / x,
    ops.RsqrtOp: lambda x: x.dtype.type(1) / np.sqrt(x),
    ops.SigmoidOp: logistic,
    ops.SinOp: np.sin,
    ops.TanhOp: np.tanh,
    ops.AddOp: np.add,
    ops.BitwiseAndOp: np.bitwise_and,
    ops.BitwiseOrOp: np.bitwise_or,
    ops.BitwiseXorOp: np.bitwise_xor,
    ops.IntdivOp: divide,
    ops.LogicalAndOp: np.logical_and,
    ops.LogicalLeftShiftOp: np.left_shift,
    ops.LogicalOrOp: np.logical_or,
    ops.LogicalRightShiftOp: _logical_right,
    ops.LogicalXorOp: np.logical_xor,
    ops.PowOp: np.power,
    ops.SubOp: np.subtract,
    ops.EqualOp: np.equal,
    ops.GreaterEqualOp: np.greater_equal,
    ops.GreaterOp: np.greater,
    ops.MaximumOp: np.maximum,
    ops.MinimumOp: np.minimum,
    ops.SelectOp: np.where,
}


@implements_tosa(*_FUNCTIONS)
def elementwise(op: Operation, operands: Sequence[Array]) -> Array:
    """Apply the op's function."""
    return np.asarray(_FUNCTIONS[type(op)](*operands), numpy_dtype(tensor(op.results[0]).element_type))


@implements_tosa(ops.ArithmeticRightShiftOp)
def arithmetic_right_shift(op: ops.ArithmeticRightShiftOp, operands: Sequence[Array]) -> Array:
    """Return ``a >> b``, plus the last bit that was shifted out if the op rounds."""
    value, places = operands
    shifted = value >> places
    if is_set(op.round):
        shifted = shifted + np.where(places > 0, (value >> np.maximum(places - 1, 0)) & 1, 0)
    return np.asarray(shifted, value.dtype)


@implements_tosa(ops.MulOp)
def mul(op: ops.MulOp, operands: Sequence[Array]) -> Array:
    """Return the product; i32 products are shifted with halves rounded up."""
    lhs, rhs, shift = operands
    dtype = numpy_dtype(tensor(op.output).element_type)
    if dtype.kind == "f":
        return np.asarray(lhs * rhs, dtype)
    places = int(shift.item())
    product = lhs.astype(np.int64) * rhs.astype(np.int64)
    return np.asarray((product + (1 << places >> 1)) >> places, dtype)


@implements_tosa(ops.NegateOp)
def negate(op: ops.NegateOp, operands: Sequence[Array]) -> Array:
    """Return the negated value minus its zero point, plus the result's zero point, saturated."""
    value, before, after = operands
    if value.dtype.kind == "f":
        return np.negative(value)
    negative = before.astype(np.int64) + after - value
    return saturated(negative, value.dtype)


@implements_tosa(ops.ClampOp)
def clamp(op: ops.ClampOp, operands: Sequence[Array]) -> Array:
    """Clamp to the limits."""
    low, high = op.limits
    return np.clip(operands[0], *(operands[0].dtype.type(limit) for limit in (low, high)))
