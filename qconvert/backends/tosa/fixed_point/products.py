"""Products and quotients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import floor, log2

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.fixed_point.elementwise import at_corners, negated
from qconvert.backends.tosa.fixed_point.functions import Function
from qconvert.backends.tosa.fixed_point.values import (
    Fixed,
    Interval,
    Rule,
    Values,
    own_element,
    real_constant,
    rules,
)
from qconvert.dialects import stablehlo

_MOST_PLACES = 62
"""The largest shift of MUL that is used."""


@dataclass(frozen=True)
class Factor:
    """One side of a product: its interval, its finest scale, the scale of its own integers if it has one."""

    interval: Interval
    unit: float
    own: float | None
    at: Callable[[float], Fixed]


def factor(value: SSAValue, of: Values) -> Factor | None:
    """Return a value as a factor; None if it has no form in integers."""
    known, element = of.interval(value), own_element(value)
    if known is None:
        return None
    return Factor(known, of.unit(value), None if element is None else element.scale, partial(of.at, value))


def inverse(value: SSAValue, of: Values) -> Factor | None:
    """Return the reciprocal of a value as a factor; None if the value may be 0 or has no form in integers."""
    array, known = real_constant(value), of.interval(value)
    if known is None or known.low <= 0 <= known.high:
        return None
    if array is not None:
        within = Interval(1 / known.high, 1 / known.low)
        return Factor(within, within.unit, None, lambda scale: of.constant(1 / array, scale))
    function = Function(of.source(value), value, of, np.reciprocal)
    found = function.interval
    return None if found is None else Factor(found, function.unit, None, function.at)


def multiplied(first: Factor, second: Factor, scale: float, of: Values) -> Fixed:
    """Return a product at a scale: the first factor with its own integers or 29 bits, the second with what is left."""
    if first.own is None and second.own is not None:
        first, second = second, first
    held = first.own if first.own is not None and _places(first.own, second, scale) >= 0 else first.unit
    places = min(_places(held, second, scale), _MOST_PLACES)
    lhs, rhs = first.at(held), second.at(scale / (held * 2.0**places))
    made = of.lower.multiply(lhs.value, rhs.value, places)
    error = first.interval.magnitude * rhs.error + (second.interval.magnitude + rhs.error) * lhs.error
    return Fixed(made, scale, error + (0.5 * scale if places else 0.0))


def _places(held: float, other: Factor, scale: float) -> int:
    """Return the shift of a product of a factor at the scale ``held`` with the other at its finest scale."""
    return floor(log2(scale / (held * other.unit)))


@rules(stablehlo.MultiplyOp)
class Multiplied(Rule):
    """A product of two values; a number as one factor only changes the scale that the other one is asked for."""

    def second(self, op: stablehlo.BinaryOp, of: Values) -> Factor | None:
        """Return what the first operand is multiplied by; None if it has no form in integers."""
        return factor(op.rhs, of)

    def interval(self, op: stablehlo.BinaryOp, of: Values) -> Interval | None:
        """Return the interval between the corners; no square is below 0."""
        found = at_corners(op, of)
        return Interval(max(0.0, found.low), found.high) if found is not None and op.lhs is op.rhs else found

    def unit(self, op: stablehlo.BinaryOp, of: Values) -> float:
        """Return the finest scale of the result and of a value that is multiplied or divided by a number."""
        scaled, second = _scaled(op), self.second(op, of)
        if scaled is not None:
            return of.unit(scaled[0]) * abs(scaled[1])
        assert second is not None
        return max(of.known(op.result).unit, of.unit(op.lhs) * second.unit)

    def at(self, op: stablehlo.BinaryOp, scale: float, of: Values) -> Fixed:
        """Return MUL, or the value that is multiplied or divided by a number."""
        scaled = _scaled(op)
        if scaled is not None:
            return _at_factor(*scaled, scale, of)
        first, second = factor(op.lhs, of), self.second(op, of)
        assert first is not None
        assert second is not None
        return multiplied(first, second, scale, of)


@rules(stablehlo.DivideOp)
class Divided(Multiplied):
    """A quotient: the product with the reciprocal."""

    def second(self, op: stablehlo.BinaryOp, of: Values) -> Factor | None:
        """Return the reciprocal of the divisor; None if that may be 0 or has no form in integers."""
        return inverse(op.rhs, of)

    def interval(self, op: stablehlo.BinaryOp, of: Values) -> Interval | None:
        """Return the interval between the corners, None if the divisor may be 0."""
        return None if self.second(op, of) is None else at_corners(op, of)


def _at_factor(value: SSAValue, number: float, scale: float, of: Values) -> Fixed:
    """Return a value times a number: its integers at another scale."""
    held = of.at(value, scale / abs(number))
    made = negated(of, held.value) if number < 0 else held.value
    return Fixed(made, scale, held.error * abs(number))


def _scaled(op: stablehlo.BinaryOp) -> tuple[SSAValue, float] | None:
    """Return the value and the number that it is multiplied by; None for another product or quotient, and for 0."""
    is_quotient = isinstance(op, stablehlo.DivideOp)
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs))[: 1 if is_quotient else 2]:
        array = real_constant(other)
        if array is not None and (array == array.flat[0]).all() and array.flat[0]:
            number = float(array.flat[0])
            return value, 1 / number if is_quotient else number
    return None
