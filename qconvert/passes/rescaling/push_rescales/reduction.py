"""Sums and extremes over dimensions with a single scale."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Clamps
from qconvert.ir import element_type, shape
from qconvert.passes.rescaling.push_rescales.rules import RuleContext, pushes, splat
from qconvert.passes.rescaling.push_rescales.scaled import Reals, Scaled, centred, integers_for, scaled
from qconvert.rewriting import converted, with_stages
from qconvert.support.errors import ConversionError


@pushes(stablehlo.ReduceOp)
def reduce(op: stablehlo.ReduceOp, context: RuleContext) -> Scaled:
    """Return the same reduction; units and bounds lose the reduced dimensions."""
    axes = op.reduced
    count = prod(shape(op.elements[0])[axis] for axis in axes)
    given = _reduced(op, context, axes, count)

    def without(numbers: Reals) -> Reals:
        return np.squeeze(numbers, axes)

    bounds = without(given.low), without(given.high)
    return scaled(given.value, without(given.unit), given.offset, bounds, given.limits)


@pushes(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, context: RuleContext) -> Scaled:
    """Return the same reduction under a window."""
    size = op.window.size
    strided = (i for i, extent in enumerate(shape(op.elements[0])) if extent != shape(op.results[0])[i])
    return _reduced(op, context, {*strided, *(i for i, extent in enumerate(size) if extent > 1)}, prod(size))


def _reduced(op: stablehlo.ReductionOp, context: RuleContext, axes: Iterable[int], count: int) -> Scaled:
    """Return the reduction of ``count`` elements along ``axes``, with units and bounds in the operand's rank."""
    kind = _kind(op)
    given = context.scaled(op.elements[0])
    if any(given.unit.shape[axis] > 1 for axis in axes):
        raise ConversionError("channels of several scales are combined")
    low, high = given.low, given.high
    for axis in axes:
        low, high = low.min(axis=axis, keepdims=True), high.max(axis=axis, keepdims=True)
    initial = splat(context.constants.get(op.initials[0]))
    if initial is None:
        raise ConversionError("its initial value is not constant")
    if kind is stablehlo.AddOp:
        return _summed(op, context, centred(context.build, given), (low, high), count, initial)
    start = _start(op, given, kind, initial)
    body = stablehlo.binary_body(kind, element_type(given.value))
    value = context.build.filled(start, element_type(given.value))
    made = with_stages(op, [given.value, value], [body])
    return Scaled(context.build.add(made), given.unit, given.offset, low, high, given.limits)


def _kind(op: stablehlo.ReductionOp) -> type[stablehlo.BinaryOp]:
    combiner = op.combiner
    if len(op.elements) != 1 or op.has_conversions or combiner is None:
        raise ConversionError("its body is neither a sum nor an extreme")
    if not isinstance(combiner, stablehlo.AddOp) and not combiner.has_trait(Clamps):
        raise ConversionError("its body is neither a sum nor an extreme")
    return type(combiner)


def _start(op: stablehlo.ReductionOp, given: Scaled, kind: type[stablehlo.BinaryOp], initial: int) -> int:
    """Return the initial value in the value's unit; raise ConversionError if it is not neutral."""
    element = element_type(op.elements[0])
    if initial != stablehlo.neutral_element(kind, element):
        raise ConversionError(f"its initial value is {initial}, not the smallest or largest number of its type")
    return int(given.low.min()) if kind is stablehlo.MaximumOp else int(given.high.max())


def _summed(
    op: stablehlo.ReductionOp, context: RuleContext, given: Scaled, ends: tuple[Reals, Reals], count: int, initial: int
) -> Scaled:
    if initial:
        raise ConversionError(f"its initial value is {initial}, not 0")
    low, high = (np.asarray(end * float(count)) for end in (np.minimum(ends[0], 0), np.maximum(ends[1], 0)))
    element = integers_for([given.reach, float(-low.min()), float(high.max())], context.widest)
    body = stablehlo.binary_body(stablehlo.AddOp, element)
    operands = [converted(context.build, given.value, element), context.build.filled(0, element)]
    value = context.build.add(with_stages(op, operands, [body]))
    return Scaled(value, given.unit, 0, low, high)
