"""Elementwise ops: a table of ops of the same meaning, products and shifts that round, casts, clamps and tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.dialects.tosa.quantization import is_set
from qconvert.ir import element_type, f64, i1, i8, i32, i64, is_float, shape
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import (
    Translation,
    constant_integer,
    held,
    translates,
)
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import saturated
from qconvert.rewriting import converted


def _compares(direction: ComparisonDirection) -> Callable[..., Operation]:
    return partial(stablehlo.CompareOp, direction=direction)


_SAME: dict[type[Operation], Callable[..., Operation]] = {
    tosa.AbsOp: stablehlo.AbsOp,
    tosa.BitwiseNotOp: stablehlo.NotOp,
    tosa.CeilOp: stablehlo.CeilOp,
    tosa.ClzOp: stablehlo.CountLeadingZerosOp,
    tosa.CosOp: stablehlo.CosineOp,
    tosa.ExpOp: stablehlo.ExponentialOp,
    tosa.FloorOp: stablehlo.FloorOp,
    tosa.LogOp: stablehlo.LogOp,
    tosa.LogicalNotOp: stablehlo.NotOp,
    tosa.RsqrtOp: stablehlo.RsqrtOp,
    tosa.SigmoidOp: stablehlo.LogisticOp,
    tosa.SinOp: stablehlo.SineOp,
    tosa.TanhOp: stablehlo.TanhOp,
    tosa.AddOp: stablehlo.AddOp,
    tosa.BitwiseAndOp: stablehlo.AndOp,
    tosa.BitwiseOrOp: stablehlo.OrOp,
    tosa.BitwiseXorOp: stablehlo.XorOp,
    tosa.IntdivOp: stablehlo.DivideOp,
    tosa.LogicalAndOp: stablehlo.AndOp,
    tosa.LogicalLeftShiftOp: stablehlo.ShiftLeftOp,
    tosa.LogicalOrOp: stablehlo.OrOp,
    tosa.LogicalRightShiftOp: stablehlo.ShiftRightLogicalOp,
    tosa.LogicalXorOp: stablehlo.XorOp,
    tosa.PowOp: stablehlo.PowerOp,
    tosa.SubOp: stablehlo.SubtractOp,
    tosa.MaximumOp: stablehlo.MaximumOp,
    tosa.MinimumOp: stablehlo.MinimumOp,
    tosa.EqualOp: _compares(ComparisonDirection.EQ),
    tosa.GreaterEqualOp: _compares(ComparisonDirection.GE),
    tosa.GreaterOp: _compares(ComparisonDirection.GT),
    tosa.SelectOp: stablehlo.SelectOp,
}


@translates(*_SAME)
def same(op: Operation, build: Translation) -> SSAValue:
    """Return the op of the same meaning on operands of the result's shape."""
    sizes = shape(op.results[0])
    return build.add(_SAME[type(op)](*(build.spread(operand, sizes) for operand in op.operands)))


@translates(tosa.ReciprocalOp)
def reciprocal(op: tosa.ReciprocalOp, build: Translation) -> SSAValue:
    """Divide 1 by the operand."""
    value = build[op.input1]
    return build.add(stablehlo.DivideOp(build.filled_like(1, value), value))


@translates(tosa.MulOp)
def mul(op: tosa.MulOp, build: Translation) -> SSAValue:
    """Multiply; products that are shifted are computed in 64 bits."""
    sizes, places = shape(op.output), constant_integer(op.shift)
    wide = i64 if places else element_type(op.output)
    lhs, rhs = (converted(build, build.spread(value, sizes), wide) for value in (op.input1, op.input2))
    product = build.add(stablehlo.MultiplyOp(lhs, rhs))
    if not places:
        return product
    return converted(build, _shifted(build, product, build.filled_like(places, product)), i32)


@translates(tosa.ArithmeticRightShiftOp)
def arithmetic_right_shift(op: tosa.ArithmeticRightShiftOp, build: Translation) -> SSAValue:
    """Shift to the right; a shift that rounds is computed in 64 bits."""
    sizes = shape(op.output)
    value, places = (build.spread(operand, sizes) for operand in (op.input1, op.input2))
    if not is_set(op.round):
        return build.add(stablehlo.ShiftRightArithmeticOp(value, places))
    wide = [converted(build, operand, i64) for operand in (value, places)]
    return converted(build, _shifted(build, *wide), element_type(value))


def _shifted(build: Translation, value: SSAValue, places: SSAValue) -> SSAValue:
    """Shift i64 integers to the right, halves rounded up."""
    one = build.filled_like(1, value)
    half = build.add(stablehlo.ShiftRightArithmeticOp(build.add(stablehlo.ShiftLeftOp(one, places)), one))
    return build.add(stablehlo.ShiftRightArithmeticOp(build.add(stablehlo.AddOp(value, half)), places))


@translates(tosa.NegateOp)
def negate(op: tosa.NegateOp, build: Translation) -> SSAValue:
    """Subtract integers from the sum of both zero points, saturated; floats change their sign."""
    value = build[op.input1]
    if is_float(element_type(value)):
        return build.add(stablehlo.NegateOp(value))
    wide = converted(build, value, i64)
    total = constant_integer(op.input1_zp) + constant_integer(op.output_zp)
    negative = build.add(stablehlo.SubtractOp(build.filled_like(total, wide), wide))
    return saturated(build, negative, element_type(value))


@translates(tosa.ClampOp)
def clamp(op: tosa.ClampOp, build: Translation) -> SSAValue:
    """Clamp to the limits."""
    return build.clamp(build[op.input], *op.limits)


@translates(tosa.CastOp)
def cast(op: tosa.CastOp, build: Translation) -> SSAValue:
    """Convert; floats round half to even into integers, and saturate.

    Narrower integers keep the low bits. The specification of ``convert`` leaves that to the implementation; the
    reference interpreter, XLA and IREE do so.
    """
    value, target = build[op.input], held(element_type(op.output))
    if not is_float(element_type(value)) or is_float(target) or target == i1:
        return converted(build, value, target)
    rounded = build.add(stablehlo.RoundNearestEvenOp(converted(build, value, f64)))
    return saturated(build, rounded, target)


_HALF, _PART_BITS = 1 << 15, 7
"""The number that moves the least 16-bit integer to 0, and the number of low bits that interpolate."""


@translates(tosa.TableOp)
def table(op: tosa.TableOp, build: Translation) -> SSAValue:
    """Gather the entry of each 8-bit integer; interpolate between two entries for a 16-bit integer."""
    value, entries = build[op.input1], build[op.table]
    wide = converted(build, value, i32)
    if element_type(value) == i8:
        return build.entries(entries, build.plus(wide, 128))
    places = build.plus(wide, _HALF)
    whole = build.add(stablehlo.ShiftRightArithmeticOp(places, build.filled_like(_PART_BITS, places)))
    part = build.add(stablehlo.AndOp(places, build.filled_like((1 << _PART_BITS) - 1, places)))
    low, high = (converted(build, build.entries(entries, at), i32) for at in (whole, build.plus(whole, 1)))
    rise = build.add(stablehlo.MultiplyOp(build.add(stablehlo.SubtractOp(high, low)), part))
    scaled = build.add(stablehlo.ShiftLeftOp(low, build.filled_like(_PART_BITS, low)))
    return build.add(stablehlo.AddOp(scaled, rise))
