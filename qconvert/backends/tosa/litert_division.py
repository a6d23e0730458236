"""Quotients of integers as LiteRT computes them."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.litert import integer_of
from qconvert.backends.tosa.litert_softmax import reciprocal
from qconvert.backends.tosa.lowering import Lowering, lowers_litert, per_tensor
from qconvert.backends.tosa.normalization import filled
from qconvert.dialects import stablehlo, tosa
from qconvert.interpreter.core import Array, evaluate_op
from qconvert.interpreter.litert_elementwise import division_factor
from qconvert.ir.types import i8, i32, shape
from qconvert.numerics import ZeroPoints

_VALUES = 256
_BEYOND = 1 << 18
"""More than any result of 16 bits less its zero point; RESCALE by 1 takes values below 2^29 only."""


@lowers_litert(stablehlo.DivideOp)
def divide(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """GATHER from the quotients of all pairs of signed 8-bit integers, others step by step."""
    elements = [per_tensor(value) for value in (op.lhs, op.rhs, op.result)]
    is_listed = all(element.storage.width == 8 and element.storage.signed for element in elements)
    return _listed(op, lower) if is_listed else _computed(op, lower)


def _listed(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    values = np.arange(-_VALUES // 2, _VALUES // 2).astype(np.int8)
    pairs = [_pairs(values, axis) for axis in range(2)]
    (quotients,) = evaluate_op(op, pairs)
    sizes, count = shape(op.result), prod(shape(op.result))
    lhs, rhs = (lower.add(tosa.CastOp(lower[value], i32)) for value in (op.lhs, op.rhs))
    place = lower.add(tosa.AddOp(lower.multiply(lhs, filled(lower, _VALUES, lhs)), rhs))
    middle = lower.add(tosa.AddOp(place, filled(lower, (_VALUES + 1) * _VALUES // 2, place)))
    listed = lower.constant(quotients.reshape(1, -1, 1), i8)
    return lower.reshape(lower.add(tosa.GatherOp(listed, lower.reshape(middle, (1, count)))), sizes)


def _pairs(values: Array, axis: int) -> Array:
    """One operand of all pairs: the first in rows, the second in columns."""
    return np.broadcast_to(values[:, None] if axis == 0 else values[None, :], (_VALUES, _VALUES))


def _computed(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """The dividend, shifted as far as it goes, times the divisor's reciprocal and the factor; then shifted back."""
    lhs, rhs, target = lower.centred(op.lhs), lower.centred(op.rhs), per_tensor(op.result)
    zero, one = filled(lower, 0, rhs), filled(lower, 1, rhs)
    is_positive = lower.add(tosa.GreaterEqualOp(rhs, zero))
    dividend = lower.add(tosa.SelectOp(is_positive, lhs, lower.add(tosa.SubOp(zero, lhs))))
    divisor = lower.add(tosa.MaximumOp(lower.add(tosa.AbsOp(rhs)), one))
    leading = lower.add(tosa.ClzOp(divisor))
    is_above = lower.add(tosa.GreaterEqualOp(dividend, zero))
    magnitude = lower.add(tosa.SelectOp(is_above, dividend, lower.add(tosa.BitwiseNotOp(dividend))))
    headroom = lower.add(tosa.SubOp(lower.add(tosa.ClzOp(magnitude)), one))
    multiplier, shift = division_factor(op)
    shifted = lower.add(tosa.LogicalLeftShiftOp(dividend, headroom))
    quotient = lower.multiply(shifted, reciprocal(lower, divisor, leading), shift=31)
    product = lower.multiply(quotient, filled(lower, multiplier, quotient), shift=31)
    places = lower.add(tosa.SubOp(lower.add(tosa.AddOp(headroom, filled(lower, shift, one))), leading))
    limits = [filled(lower, sign * _BEYOND, product) for sign in (1, -1)]
    made = lower.add(tosa.MinimumOp(_divided(lower, product, places), limits[0]))
    made = lower.add(tosa.MaximumOp(made, limits[1]))
    return lower.rescale(made, 1.0, integer_of(target), ZeroPoints(0, target.zero_point))


def _divided(lower: Lowering, value: SSAValue, places: SSAValue) -> SSAValue:
    """``value / 2^places`` as LiteRT has it, where 32 places and more are 32 too few, and never round down."""
    zero, most = filled(lower, 0, places), filled(lower, 31, places)
    limit = filled(lower, 32, places)
    near = lower.add(tosa.MaximumOp(lower.add(tosa.MinimumOp(places, most)), zero))
    sign = lower.add(tosa.ArithmeticRightShiftOp(value, most))
    rounds = lower.add(tosa.GreaterOp(near, zero))
    nudged = lower.add(tosa.AddOp(value, lower.add(tosa.SelectOp(rounds, sign, zero))))
    rounded = lower.add(tosa.ArithmeticRightShiftOp(nudged, near, rounds=True))
    far = lower.add(tosa.MaximumOp(lower.add(tosa.SubOp(places, limit)), zero))
    cut = lower.add(tosa.ArithmeticRightShiftOp(value, lower.add(tosa.MinimumOp(far, most))))
    raised = lower.add(tosa.AddOp(cut, lower.add(tosa.AddOp(sign, filled(lower, 1, sign)))))
    return lower.add(tosa.SelectOp(lower.add(tosa.GreaterOp(limit, places)), rounded, raised))
