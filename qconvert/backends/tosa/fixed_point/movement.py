"""Ops that move elements, and reductions: operands at the scale of the result."""

from __future__ import annotations

from math import prod

from xdsl.ir import Block, Operation, SSAValue

from qconvert.backends.tosa.fixed_point.values import Fixed, Interval, Rule, Values, rules
from qconvert.backends.tosa.lowering import lower_op
from qconvert.backends.tosa.sliding import slid
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import is_neutral
from qconvert.ir import i32, shape, tensor_type
from qconvert.rewriting.movement import moved_operand

_KINDS: dict[type, tuple[type[tosa.ReductionOp], type[tosa.BinaryOp]]] = {
    stablehlo.AddOp: (tosa.ReduceSumOp, tosa.AddOp),
    stablehlo.MaximumOp: (tosa.ReduceMaxOp, tosa.MaximumOp),
    stablehlo.MinimumOp: (tosa.ReduceMinOp, tosa.MinimumOp),
}


@rules(stablehlo.BroadcastInDimOp, stablehlo.ReshapeOp, stablehlo.ReverseOp, stablehlo.SliceOp, stablehlo.TransposeOp)
class Moved(Rule):
    """A movement of the elements of one value."""

    def interval(self, op: Operation, of: Values) -> Interval | None:
        """Return the operand's interval."""
        return of.interval(op.operands[0])

    def unit(self, op: Operation, of: Values) -> float:
        """Return the operand's finest scale."""
        return of.unit(op.operands[0])

    def at(self, op: Operation, scale: float, of: Values) -> Fixed:
        """Return the same movement of i32 integers."""
        held = of.at(op.operands[0], scale)
        [operand] = arguments(of, op, [held.value])
        made = lower_op(moved_operand(op, operand), of.lower)
        assert isinstance(made, SSAValue)
        return Fixed(made, scale, held.error)


@rules(stablehlo.ConcatenateOp)
class Joined(Rule):
    """A concatenation of values."""

    def interval(self, op: stablehlo.ConcatenateOp, of: Values) -> Interval | None:
        """Return the interval around all values."""
        known = [found for found in map(of.interval, op.inputs) if found is not None]
        ends = [end for found in known for end in (found.low, found.high)]
        return Interval.of(*ends) if len(known) == len(op.inputs) else None

    def unit(self, op: stablehlo.ConcatenateOp, of: Values) -> float:
        """Return the finest scale of all values."""
        return max(map(of.unit, op.inputs))

    def at(self, op: stablehlo.ConcatenateOp, scale: float, of: Values) -> Fixed:
        """Return CONCAT."""
        held = [of.at(value, scale) for value in op.inputs]
        operands = arguments(of, op, [part.value for part in held])
        made = lower_op(stablehlo.ConcatenateOp(operands, op.dimension.value.data), of.lower)
        assert isinstance(made, SSAValue)
        return Fixed(made, scale, max(part.error for part in held))


def arguments(of: Values, op: Operation, values: list[SSAValue]) -> list[SSAValue]:
    """Return values of the IR in i32 that stand for integers in the shapes of an op's operands."""
    sizes = [shape(operand) for operand in op.operands]
    block = Block(arg_types=[tensor_type(i32, size) for size in sizes])
    for argument, value, size in zip(block.args, values, sizes, strict=True):
        of.lower.define(argument, of.whole(value, size))
    return list(block.args)


@rules(stablehlo.ReduceOp, stablehlo.ReduceWindowOp)
class Reduced(Rule):
    """A sum, maximum or minimum of elements, from the neutral element."""

    def interval(self, op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp, of: Values) -> Interval | None:
        """Return the operand's interval, for a sum times the number of elements; padding adds 0."""
        if len(op.inputs) != 1 or op.has_conversions or type(op.combiner) not in _KINDS or not is_neutral(op):
            return None
        known = of.interval(op.inputs[0])
        is_padded = isinstance(op, stablehlo.ReduceWindowOp) and any(map(any, op.window.padding))
        is_dilated = isinstance(op, stablehlo.ReduceWindowOp) and any(step > 1 for step in op.window.base_dilations)
        if known is None or is_dilated or 0 in shape(op.inputs[0]):
            return None
        if not isinstance(op.combiner, stablehlo.AddOp):
            return None if is_padded else known
        count = _count(op)
        zero = (0.0,) if is_padded else ()
        return Interval.of(count * known.low, count * known.high, *zero)

    def unit(self, op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp, of: Values) -> float:
        """Return the finest scale of the operand and the result."""
        return max(of.unit(op.inputs[0]), of.known(op.results[0]).unit)

    def at(self, op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp, scale: float, of: Values) -> Fixed:
        """Return a reduction for each dimension, or an op for each element of a window in turn."""
        held = of.at(op.inputs[0], scale)
        value, lower = of.whole(held.value, shape(op.inputs[0])), of.lower
        is_sum = isinstance(op.combiner, stablehlo.AddOp)
        reduction, combine = _KINDS[type(op.combiner)]
        if isinstance(op, stablehlo.ReduceWindowOp):
            value = slid(lower, value, op.window, combine, 0 if is_sum else None)
        else:
            for axis in op.reduced:
                value = lower.add(reduction(value, axis))
            value = lower.reshape(value, shape(op.results[0]))
        return Fixed(value, scale, held.error * (_count(op) if is_sum else 1))


def _count(op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp) -> int:
    """Return the number of elements that are combined."""
    if isinstance(op, stablehlo.ReduceWindowOp):
        return prod(op.window.size)
    return prod(shape(op.inputs[0])[axis] for axis in op.reduced)
