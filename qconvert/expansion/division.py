"""Quotients of integers as LiteRT computes them."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.expander import Expander, per_tensor, signed_type
from qconvert.expansion.fixed_point import reciprocal
from qconvert.expansion.registry import expands
from qconvert.numerics import float_factor, multiplier_and_shift

_BEYOND = 1 << 18
"""A number above any 16-bit result minus its zero point; RESCALE by 1 takes only values below 2^29."""


@expands(stablehlo.DivideOp)
def divide(op: stablehlo.BinaryOp, build: Expander) -> SSAValue:
    """Multiply the normalized dividend by the divisor's reciprocal and by the factor of the scales; then shift back.

    LiteRT refuses a divisor of 0, which counts as 1 here.
    """
    lhs, rhs, target = build.centred(op.lhs), build.centred(op.rhs), signed_type(op.result)
    one, most = build.filled(1, rhs), build.filled(31, rhs)
    sign = build.add(tosa.ArithmeticRightShiftOp(rhs, most))
    dividend = build.add(tosa.SubOp(build.add(tosa.BitwiseXorOp(lhs, sign)), sign))
    divisor = build.add(tosa.MaximumOp(build.add(tosa.AbsOp(rhs)), one))
    leading = build.add(tosa.ClzOp(divisor))
    below = build.add(tosa.ArithmeticRightShiftOp(dividend, most))
    magnitude = build.add(tosa.BitwiseXorOp(dividend, below))
    headroom = build.add(tosa.SubOp(build.add(tosa.ClzOp(magnitude)), one))
    multiplier, shift = _factor(op)
    shifted = build.add(tosa.LogicalLeftShiftOp(dividend, headroom))
    quotient = build.multiply(shifted, reciprocal(build, divisor, leading), shift=31)
    product = build.multiply(quotient, build.filled(multiplier, quotient), shift=31)
    places = build.add(tosa.SubOp(build.add(tosa.AddOp(headroom, build.filled(shift, one))), leading))
    limits = [build.filled(sign * _BEYOND, product) for sign in (1, -1)]
    made = build.add(tosa.MinimumOp(_divided(build, product, places), limits[0]))
    made = build.add(tosa.MaximumOp(made, limits[1]))
    return build.requantized(made, 1.0, target)


def _divided(build: Expander, value: SSAValue, places: SSAValue) -> SSAValue:
    """Divide by ``2^places`` as LiteRT does: from 32 on, ``places`` counts as 32 less, and the result is rounded up."""
    zero, most = build.filled(0, places), build.filled(31, places)
    limit = build.filled(32, places)
    near = build.add(tosa.MaximumOp(build.add(tosa.MinimumOp(places, most)), zero))
    sign = build.add(tosa.ArithmeticRightShiftOp(value, most))
    rounds = build.add(tosa.GreaterOp(near, zero))
    nudged = build.add(tosa.AddOp(value, build.add(tosa.SelectOp(rounds, sign, zero))))
    rounded = build.add(tosa.ArithmeticRightShiftOp(nudged, near, rounds=True))
    far = build.add(tosa.MaximumOp(build.add(tosa.SubOp(places, limit)), zero))
    shifted = build.add(tosa.ArithmeticRightShiftOp(value, build.add(tosa.MinimumOp(far, most))))
    raised = build.add(tosa.AddOp(shifted, build.add(tosa.AddOp(sign, build.filled(1, sign)))))
    return build.add(tosa.SelectOp(build.add(tosa.GreaterOp(limit, places)), rounded, raised))


def _factor(op: Operation) -> tuple[int, int]:
    """Return multiplier and right shift of the quotient of the scales, which LiteRT computes in f32."""
    lhs, rhs, result = (per_tensor(value).scale for value in (*op.operands, op.results[0]))
    multiplier, shift = multiplier_and_shift(float_factor(lhs, over=float_factor(rhs, result, over=1.0)))
    return int(multiplier), int(shift)
