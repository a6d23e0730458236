"""Sums, extremes and selections: operands at the scale of the result."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.elementwise import of_rank
from qconvert.backends.tosa.fixed_point.values import (
    Fixed,
    Interval,
    Rule,
    Values,
    real_constant,
    rules,
)
from qconvert.dialects import stablehlo, tosa
from qconvert.interpreter.elementwise import BINARY
from qconvert.ir import shape

_KINDS: dict[type[Operation], type[tosa.BinaryOp]] = {
    stablehlo.AddOp: tosa.AddOp,
    stablehlo.SubtractOp: tosa.SubOp,
    stablehlo.MaximumOp: tosa.MaximumOp,
    stablehlo.MinimumOp: tosa.MinimumOp,
}


def _shared_unit(of: Values, *values: SSAValue) -> float:
    """Return the finest scale at which all values fit."""
    return max(of.unit(value) for value in values)


def at_corners(op: Operation, of: Values) -> Interval | None:
    """Return the interval of a function of two values that is monotonic in each of them."""
    known = [of.interval(value) for value in op.operands]
    ends = [(found.low, found.high) for found in known if found is not None]
    if len(ends) < len(known):
        return None
    with np.errstate(all="ignore"):
        return Interval.of(*(float(BINARY[type(op)](*map(np.float64, corner))) for corner in product(*ends)))


@rules(*_KINDS)
class Combined(Rule):
    """A sum, difference or extreme of two values: both at the scale of the result."""

    def interval(self, op: stablehlo.BinaryOp, of: Values) -> Interval | None:
        """Return the interval between the corners, of a mixture that around both values."""
        return _mixture(op, of) or at_corners(op, of)

    def unit(self, op: stablehlo.BinaryOp, of: Values) -> float:
        """Return the finest scale of the result and both operands."""
        return max(of.known(op.result).unit, _shared_unit(of, op.lhs, op.rhs))

    def at(self, op: stablehlo.BinaryOp, scale: float, of: Values) -> Fixed:
        """Return the op on i32 integers."""
        lhs, rhs = of.at(op.lhs, scale), of.at(op.rhs, scale)
        made = of.lower.add(_KINDS[type(op)](lhs.value, rhs.value))
        is_sum = isinstance(op, stablehlo.AddOp | stablehlo.SubtractOp)
        return Fixed(made, scale, lhs.error + rhs.error if is_sum else max(lhs.error, rhs.error))


def _mixture(op: stablehlo.BinaryOp, of: Values) -> Interval | None:
    """Return the interval around a and b for ``(1 - u) a + u b`` with u from 0 to 1; None for another op."""
    terms = [value.owner for value in op.operands]
    if not isinstance(op, stablehlo.AddOp) or not all(isinstance(term, stablehlo.MultiplyOp) for term in terms):
        return None
    for first, second in product(*(permutations(term.operands) for term in terms if isinstance(term, Operation))):
        for (rest, one), (share, other) in ((first, second), (second, first)):
            known = [of.interval(value) for value in (share, one, other)]
            if _is_rest(rest, share) and (found := [each for each in known if each is not None])[2:]:
                within, *ends = found
                if within.low >= 0 and within.high <= 1:
                    return Interval.of(*(end for each in ends for end in (each.low, each.high)))
    return None


def _is_rest(value: SSAValue, share: SSAValue) -> bool:
    """Return True for ``1 - share``."""
    owner = value.owner
    if not isinstance(owner, stablehlo.SubtractOp) or owner.rhs is not share:
        return False
    array = real_constant(owner.lhs)
    return array is not None and bool((array == 1).all())


@rules(stablehlo.ClampOp)
class Clamped(Rule):
    """A clamp by constants or computed bounds: all at the scale of the result."""

    def interval(self, op: stablehlo.ClampOp, of: Values) -> Interval | None:
        """Return the operand's interval within the bounds."""
        known = [found for found in map(of.interval, (op.min, op.operand, op.max)) if found is not None]
        if len(known) < 3:
            return None
        low, held, high = known
        ends = (min(max(low.low, held.low), high.low), min(max(low.high, held.high), high.high))
        return Interval.of(*ends)

    def unit(self, op: stablehlo.ClampOp, of: Values) -> float:
        """Return the finest scale of the operand and the bounds."""
        return _shared_unit(of, op.min, op.operand, op.max)

    def at(self, op: stablehlo.ClampOp, scale: float, of: Values) -> Fixed:
        """Return MAXIMUM and MINIMUM."""
        low, held, high = (of.at(value, scale) for value in (op.min, op.operand, op.max))
        bounds = [of_rank(of.lower, end.value, len(shape(op.result))) for end in (low, high)]
        made = of.lower.add(tosa.MaximumOp(held.value, bounds[0]))
        error = max(low.error, held.error, high.error)
        return Fixed(of.lower.add(tosa.MinimumOp(made, bounds[1])), scale, error)


@rules(stablehlo.SelectOp)
class Selected(Rule):
    """A selection by truth values: both values at the scale of the result."""

    def interval(self, op: stablehlo.SelectOp, of: Values) -> Interval | None:
        """Return the interval around both values."""
        known = [found for found in map(of.interval, (op.on_true, op.on_false)) if found is not None]
        return Interval.of(*(end for found in known for end in (found.low, found.high))) if len(known) == 2 else None

    def unit(self, op: stablehlo.SelectOp, of: Values) -> float:
        """Return the finest scale of both values."""
        return _shared_unit(of, op.on_true, op.on_false)

    def at(self, op: stablehlo.SelectOp, scale: float, of: Values) -> Fixed:
        """Return SELECT."""
        first, second = of.at(op.on_true, scale), of.at(op.on_false, scale)
        condition = of_rank(of.lower, of.lower[op.pred], len(shape(op.result)))
        made = of.lower.add(tosa.SelectOp(condition, first.value, second.value))
        return Fixed(made, scale, max(first.error, second.error))


@rules(stablehlo.NegateOp)
class Negated(Rule):
    """The difference from zero."""

    def interval(self, op: stablehlo.UnaryOp, of: Values) -> Interval | None:
        """Return the mirrored interval."""
        known = of.interval(op.operand)
        return None if known is None else Interval(-known.high, -known.low)

    def unit(self, op: stablehlo.UnaryOp, of: Values) -> float:
        """Return the operand's finest scale."""
        return of.unit(op.operand)

    def at(self, op: stablehlo.UnaryOp, scale: float, of: Values) -> Fixed:
        """Return SUB."""
        held = of.at(op.operand, scale)
        return Fixed(negated(of, held.value), scale, held.error)


def negated(of: Values, value: SSAValue) -> SSAValue:
    """Return i32 integers with the other sign."""
    return of.lower.add(tosa.SubOp(of.lower.filled(0, value), value))
