"""Rescales, zero points, biases, clamps, and elementwise ops of several operands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.tosa import RescaleOp
from qconvert.ir import element_type, quantized_element
from qconvert.passes.rescaling.push_rescales.joining import joined
from qconvert.passes.rescaling.push_rescales.rescaling import parameters
from qconvert.passes.rescaling.push_rescales.rules import RuleContext, pushes, splat
from qconvert.passes.rescaling.push_rescales.scaled import (
    Reals,
    Scaled,
    centred,
    integers_for,
    range_of,
    scaled,
    shifted,
    type_range,
    within_limits,
)
from qconvert.rewriting import converted
from qconvert.support.errors import ConversionError


@pushes(RescaleOp)
def rescale(op: RescaleOp, context: RuleContext) -> Scaled:
    """Compute nothing: the factor changes the unit, the zero point the offset, and the type the limits."""
    asked = parameters(op)
    given = centred(context.build, context.scaled(op.input), asked.input_zp)
    element = element_type(op.output)
    limits = type_range(element) if isinstance(element, IntegerType) else _storage_limits(op.output)
    return scaled(given.value, given.unit * asked.factor, asked.output_zp, (given.low, given.high), limits)


def _storage_limits(value: SSAValue) -> tuple[int, int]:
    element = quantized_element(value)
    return element.storage.minimum, element.storage.maximum


@pushes(stablehlo.ConvertOp)
def convert(op: stablehlo.ConvertOp, context: RuleContext) -> Scaled:
    """Return the same integers; raise ConversionError if the narrower type may not hold them."""
    given = context.scaled(op.operand)
    _check_inside(op, given)
    return given


def _check_inside(op: Operation, given: Scaled) -> None:
    ends, found = type_range(element_type(op.results[0])), range_of(given)
    if found[0] < ends[0] or found[1] > ends[1]:
        raise ConversionError(f"it may wrap around: its integers reach from {found[0]:.6g} to {found[1]:.6g}")


@pushes(stablehlo.AddOp, stablehlo.SubtractOp)
def add(op: stablehlo.BinaryOp, context: RuleContext) -> Scaled:
    """Add a zero point to the offset and a bias to the value; bring any other operands to one unit."""
    sign = -1 if isinstance(op, stablehlo.SubtractOp) else 1
    amount = context.constants.get(op.rhs)
    given = context.scaled(op.lhs)
    if amount is None and sign > 0 and op.lhs in context.constants:
        amount, given = context.constants[op.lhs], context.scaled(op.rhs)
    integer = splat(amount)
    if integer is not None:
        limits = given.limits[0] + sign * integer, given.limits[1] + sign * integer
        return _unwrapped(op, replace(given, offset=given.offset + sign * integer, limits=limits))
    if amount is not None and (given.is_plain or given.coarsest <= 1):
        kept = within_limits(context.build, given)
        return _unwrapped(op, shifted(context.build, kept, sign * amount.astype(np.float64) / kept.unit))
    return _unwrapped(op, _sum(op, context, sign))


def _unwrapped(op: Operation, given: Scaled) -> Scaled:
    """Return the value; raise ConversionError if an 8-bit or 16-bit sum might wrap around.

    Sums of 32 bits are accumulators, which do not wrap.
    """
    element = element_type(op.results[0])
    if isinstance(element, IntegerType) and element.width.data < 32:
        _check_inside(op, given)
    return given


def _sum(op: stablehlo.BinaryOp, context: RuleContext, sign: int) -> Scaled:
    lhs, rhs = joined(context, [context.scaled(op.lhs), context.scaled(op.rhs)])
    ends = (lhs.low + rhs.low, lhs.high + rhs.high) if sign > 0 else (lhs.low - rhs.high, lhs.high - rhs.low)
    value = _computed(op, context, [lhs, rhs], ends)
    return scaled(value, lhs.unit, 0, ends, lhs.limits)


def _computed(op: Operation, context: RuleContext, operands: Sequence[Scaled], ends: Sequence[Reals]) -> SSAValue:
    """Return the same op in integers that hold its operands and results."""
    reaches = [given.reach for given in operands] + [float(np.abs(end).max(initial=0)) for end in ends]
    element = integers_for(reaches, context.widest)
    values = [converted(context.build, given.value, element) for given in operands]
    return context.build.add(type(op)(*values))


@pushes(stablehlo.MultiplyOp)
def multiply(op: stablehlo.BinaryOp, context: RuleContext) -> Scaled:
    """Return the product; its unit is the product of the units."""
    lhs, rhs = (centred(context.build, context.scaled(value)) for value in (op.lhs, op.rhs))
    corners = [a * b for a in (lhs.low, lhs.high) for b in (rhs.low, rhs.high)]
    ends = np.minimum.reduce(np.broadcast_arrays(*corners)), np.maximum.reduce(np.broadcast_arrays(*corners))
    value = _computed(op, context, [lhs, rhs], ends)
    return _unwrapped(op, scaled(value, lhs.unit * rhs.unit, 0, ends, lhs.limits))


@pushes(stablehlo.NegateOp)
def negate(op: stablehlo.UnaryOp, context: RuleContext) -> Scaled:
    """Return the negated value in the same unit."""
    given = centred(context.build, context.scaled(op.operand))
    ends = -given.high, -given.low
    return _unwrapped(op, scaled(_computed(op, context, [given], ends), given.unit, 0, ends, given.limits))


@pushes(stablehlo.AbsOp)
def absolute(op: stablehlo.UnaryOp, context: RuleContext) -> Scaled:
    """Return the magnitude in the same unit."""
    given = centred(context.build, context.scaled(op.operand))
    ends = np.zeros_like(given.low), np.maximum(np.abs(given.low), np.abs(given.high))
    return _unwrapped(op, scaled(_computed(op, context, [given], ends), given.unit, 0, ends, given.limits))


@pushes(stablehlo.MaximumOp, stablehlo.MinimumOp)
def extreme(op: stablehlo.BinaryOp, context: RuleContext) -> Scaled:
    """Add a constant bound to the limits; bring two computed operands to one unit."""
    choose = max if isinstance(op, stablehlo.MaximumOp) else min
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        bound = splat(context.constants.get(other))
        if bound is not None:
            given = context.scaled(value)
            return replace(given, limits=(choose(given.limits[0], bound), choose(given.limits[1], bound)))
    lhs, rhs = joined(context, [context.scaled(op.lhs), context.scaled(op.rhs)])
    pick = np.maximum if choose is max else np.minimum
    ends = pick(lhs.low, rhs.low), pick(lhs.high, rhs.high)
    return scaled(_computed(op, context, [lhs, rhs], ends), lhs.unit, lhs.offset, ends, lhs.limits)


@pushes(stablehlo.ClampOp)
def clamp(op: stablehlo.ClampOp, context: RuleContext) -> Scaled:
    """Add constant bounds to the limits."""
    least, most = (splat(context.constants.get(end)) for end in (op.min, op.max))
    if least is None or most is None:
        raise ConversionError("each of its bounds must be one constant number")
    given = context.scaled(op.operand)
    low, high = (min(max(limit, least), most) for limit in given.limits)
    return replace(given, limits=(low, high))


@pushes(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, context: RuleContext) -> Scaled:
    """Return the selected integers, in one unit."""
    if op.pred in context.known:
        raise ConversionError("its condition was rescaled")
    first, second = joined(context, [context.scaled(op.on_true), context.scaled(op.on_false)])
    ends = np.minimum(first.low, second.low), np.maximum(first.high, second.high)
    element = integers_for([first.reach, second.reach], context.widest)
    values = [converted(context.build, given.value, element) for given in (first, second)]
    value = context.build.add(stablehlo.SelectOp(op.pred, *values))
    return scaled(value, first.unit, first.offset, ends, first.limits)
