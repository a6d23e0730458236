"""Rescales themselves, zero points, biases, clamps, and what computes on several operands at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.tosa import RescaleOp
from qconvert.ir.types import element_type, quantized_element
from qconvert.passes.rescaling.push_rescales.joining import joined
from qconvert.passes.rescaling.push_rescales.rescaling import parameters
from qconvert.passes.rescaling.push_rescales.rules import Site, pushes, splat
from qconvert.passes.rescaling.push_rescales.scaled import (
    Reals,
    Scaled,
    centred,
    held,
    integers_for,
    range_of,
    scaled,
    shifted,
    type_range,
    widened,
)
from qconvert.support.errors import ConversionError


@pushes(RescaleOp)
def rescale(op: RescaleOp, site: Site) -> Scaled:
    """Nothing is computed: the factor goes into the unit, the zero point into the offset, the type into the limits."""
    asked = parameters(op)
    given = centred(site.build, site.scaled(op.input), asked.input_zp)
    element = element_type(op.output)
    limits = type_range(element) if isinstance(element, IntegerType) else _storage_limits(op.output)
    return scaled(given.value, given.unit * asked.factor, asked.output_zp, (given.low, given.high), limits)


def _storage_limits(value: SSAValue) -> tuple[int, int]:
    element = quantized_element(value)
    return element.storage.minimum, element.storage.maximum


@pushes(stablehlo.ConvertOp)
def convert(op: stablehlo.ConvertOp, site: Site) -> Scaled:
    """The same integers; raises ConversionError where the narrower type may not hold them."""
    given = site.scaled(op.operand)
    _check_inside(op, given)
    return given


def _check_inside(op: Operation, given: Scaled) -> None:
    ends, found = type_range(element_type(op.results[0])), range_of(given)
    if found[0] < ends[0] or found[1] > ends[1]:
        raise ConversionError(f"it may wrap around: its integers reach from {found[0]:.6g} to {found[1]:.6g}")


@pushes(stablehlo.AddOp, stablehlo.SubtractOp)
def add(op: stablehlo.BinaryOp, site: Site) -> Scaled:
    """Zero points are added to the offset and biases to the value; others are brought to one unit."""
    sign = -1 if isinstance(op, stablehlo.SubtractOp) else 1
    amount = site.constants.get(op.rhs)
    given = site.scaled(op.lhs)
    if amount is None and sign > 0 and op.lhs in site.constants:
        amount, given = site.constants[op.lhs], site.scaled(op.rhs)
    integer = splat(amount)
    if integer is not None:
        limits = given.limits[0] + sign * integer, given.limits[1] + sign * integer
        return _unwrapped(op, replace(given, offset=given.offset + sign * integer, limits=limits))
    if amount is not None and (given.is_as_was or given.coarsest <= 1):
        kept = held(site.build, given)
        return _unwrapped(op, shifted(site.build, kept, sign * amount.astype(np.float64) / kept.unit))
    return _unwrapped(op, _sum(op, site, sign))


def _unwrapped(op: Operation, given: Scaled) -> Scaled:
    """The value, unless an 8-bit or 16-bit sum might wrap around; those of 32 bits are accumulators, which do not."""
    element = element_type(op.results[0])
    if isinstance(element, IntegerType) and element.width.data < 32:
        _check_inside(op, given)
    return given


def _sum(op: stablehlo.BinaryOp, site: Site, sign: int) -> Scaled:
    lhs, rhs = joined(site, [site.scaled(op.lhs), site.scaled(op.rhs)])
    ends = (lhs.low + rhs.low, lhs.high + rhs.high) if sign > 0 else (lhs.low - rhs.high, lhs.high - rhs.low)
    value = _computed(op, site, [lhs, rhs], ends)
    return scaled(value, lhs.unit, 0, ends, lhs.limits)


def _computed(op: Operation, site: Site, operands: Sequence[Scaled], ends: Sequence[Reals]) -> SSAValue:
    """The same op in integers that hold operands and results."""
    reaches = [given.reach for given in operands] + [float(np.abs(end).max(initial=0)) for end in ends]
    element = integers_for(reaches, site.widest)
    values = [widened(site.build, given.value, element) for given in operands]
    return site.build.add(type(op)(*values))


@pushes(stablehlo.MultiplyOp)
def multiply(op: stablehlo.BinaryOp, site: Site) -> Scaled:
    """The product; its unit is the product of the units."""
    lhs, rhs = (centred(site.build, site.scaled(value)) for value in (op.lhs, op.rhs))
    corners = [a * b for a in (lhs.low, lhs.high) for b in (rhs.low, rhs.high)]
    ends = np.minimum.reduce(np.broadcast_arrays(*corners)), np.maximum.reduce(np.broadcast_arrays(*corners))
    value = _computed(op, site, [lhs, rhs], ends)
    return _unwrapped(op, scaled(value, lhs.unit * rhs.unit, 0, ends, lhs.limits))


@pushes(stablehlo.NegateOp)
def negate(op: stablehlo.UnaryOp, site: Site) -> Scaled:
    """The negative value in the same unit."""
    given = centred(site.build, site.scaled(op.operand))
    ends = -given.high, -given.low
    return _unwrapped(op, scaled(_computed(op, site, [given], ends), given.unit, 0, ends, given.limits))


@pushes(stablehlo.AbsOp)
def absolute(op: stablehlo.UnaryOp, site: Site) -> Scaled:
    """The magnitude in the same unit."""
    given = centred(site.build, site.scaled(op.operand))
    ends = np.zeros_like(given.low), np.maximum(np.abs(given.low), np.abs(given.high))
    return _unwrapped(op, scaled(_computed(op, site, [given], ends), given.unit, 0, ends, given.limits))


@pushes(stablehlo.MaximumOp, stablehlo.MinimumOp)
def extreme(op: stablehlo.BinaryOp, site: Site) -> Scaled:
    """A bound goes into the limits, where it is clamped if need be; others are brought to one unit."""
    choose = max if isinstance(op, stablehlo.MaximumOp) else min
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        bound = splat(site.constants.get(other))
        if bound is not None:
            given = site.scaled(value)
            return replace(given, limits=(choose(given.limits[0], bound), choose(given.limits[1], bound)))
    lhs, rhs = joined(site, [site.scaled(op.lhs), site.scaled(op.rhs)])
    pick = np.maximum if choose is max else np.minimum
    ends = pick(lhs.low, rhs.low), pick(lhs.high, rhs.high)
    return scaled(_computed(op, site, [lhs, rhs], ends), lhs.unit, lhs.offset, ends, lhs.limits)


@pushes(stablehlo.ClampOp)
def clamp(op: stablehlo.ClampOp, site: Site) -> Scaled:
    """Bounds go into the limits."""
    least, most = (splat(site.constants.get(end)) for end in (op.min, op.max))
    if least is None or most is None:
        raise ConversionError("its bounds are not one constant each")
    given = site.scaled(op.operand)
    low, high = (min(max(limit, least), most) for limit in given.limits)
    return replace(given, limits=(low, high))


@pushes(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, site: Site) -> Scaled:
    """The chosen integers, in one unit."""
    if op.pred in site.known:
        raise ConversionError("what it chooses by was rescaled")
    first, second = joined(site, [site.scaled(op.on_true), site.scaled(op.on_false)])
    ends = np.minimum(first.low, second.low), np.maximum(first.high, second.high)
    element = integers_for([first.reach, second.reach], site.widest)
    values = [widened(site.build, given.value, element) for given in (first, second)]
    value = site.build.add(stablehlo.SelectOp(op.pred, *values))
    return scaled(value, first.unit, first.offset, ends, first.limits)
