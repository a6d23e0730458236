"""Forms of additions of 8-bit integers that rescale each operand once, and that keep the results of all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from qconvert.backends.ethos_u.forms.steps import SHIFTS, Integers, Step, merged
from qconvert.ir import i32, integer_range
from qconvert.numerics import Rounding

NUDGES = (0, *(sign << bits for bits in range(14) for sign in (1, -1)))
"""Changes of a multiplier of 31 bits to try, the smallest first."""
_UNITS = (0, -1, 1)
"""Changes of the number of bits that operands are shifted to the left."""
_NEAR = 1 << 12
"""The distance, in units of a sum, from where the result changes, within which the roundings of operands matter."""
_LIMITS = integer_range(i32)
_MOST_PLACES = 53
"""The largest shift of a sum for which 64 bits hold the products at which a result changes."""


@dataclass(frozen=True)
class Addition:
    """An ADD (``sign`` 1) or SUB (-1) of rescaled integers and the RESCALE of the sum, without shapes."""

    sign: int
    lhs: tuple[Step, ...]
    rhs: tuple[Step, ...]
    last: Step

    def sums(self) -> Integers | None:
        """Return the sums of all pairs of operands; None if one leaves 32 bits."""
        left, right = _values(self.lhs), self.sign * _values(self.rhs)
        fits = _LIMITS[0] <= left.min() + right.min() and left.max() + right.max() <= _LIMITS[1]
        return np.add.outer(left, right) if fits else None


class Form(NamedTuple):
    """A step for each operand and for the sum."""

    lhs: Step
    rhs: Step
    last: Step


def is_lean(steps: tuple[Step, ...]) -> bool:
    """Return True for one RESCALE that rounds once."""
    return len(steps) == 1 and not steps[0].rounds_twice


def _values(steps: tuple[Step, ...]) -> Integers:
    values = steps[0].every_input()
    for step in steps:
        values = step(values)
    return values


@lru_cache(maxsize=512)
def lean_form(addition: Addition) -> Form | None:
    """Return a form with which all pairs give the same results; None if none is found."""
    lhs, rhs = merged(addition.lhs), merged(addition.rhs)
    sums = addition.sums()
    if lhs is None or rhs is None or sums is None:
        return None
    results, forms = addition.last(sums), _forms(addition, sums, lhs, rhs)
    return next((form for form in forms if _keeps(addition.sign, form, results)), None)


def _keeps(sign: int, form: Form, results: Integers) -> bool:
    """Return True if a form gives these results of all pairs."""
    sums = Addition(sign, (form.lhs,), (form.rhs,), form.last).sums()
    return sums is not None and np.array_equal(form.last(sums), results)


def _forms(addition: Addition, sums: Integers, lhs: Step, rhs: Step) -> Iterator[Form]:
    """Yield the operands' own steps, then the forms that keep the results of the pairs near a change of the result."""
    last = addition.last
    yield Form(lhs, rhs, last)
    if last.shift + max(_UNITS) > _MOST_PLACES:
        return
    near = np.nonzero(last(np.maximum(sums - _NEAR, _LIMITS[0])) != last(np.minimum(sums + _NEAR, _LIMITS[1])))
    operands = [step.every_input()[i] - step.zero_points.input for step, i in zip((lhs, rhs), near, strict=True)]
    places = last(sums[near]) - last.gives[0]
    for unit, changed in _lasts(last):
        changes = _changes(changed)
        bounds = changes[places], changes[places + 1] - 1
        steps = [replace(step, shift=step.shift - unit) for step in (lhs, rhs)]
        for index in range(2) if min(step.shift for step in steps) in SHIFTS else ():
            fitted = _fitted(index, steps, operands, bounds, addition.sign)
            if fitted is not None:
                yield Form(*fitted, changed)


def _lasts(last: Step) -> Iterator[tuple[int, Step]]:
    """Yield steps of the sum, each with the change of the operands' unit."""
    for unit in _UNITS:
        for rounding in (last.rounding, Rounding.SINGLE_ROUND):
            for nudge in NUDGES:
                step = replace(last, multiplier=last.multiplier + nudge, shift=last.shift + unit, rounding=rounding)
                if 0 < step.multiplier < 1 << 31:
                    yield unit, step


def _changes(last: Step) -> Integers:
    """Return, for each result from the least on, the least sum that gives it or a larger one, and an end.

    A sum ``t`` gives ``k`` or more if ``t * multiplier + 2^(shift-1) + nudge >= k * 2^shift``, where DOUBLE_ROUND's
    nudge is ``2^30`` for sums from 0 on and ``-2^30`` below.
    """
    results = np.arange(last.gives[0] + 1, last.gives[1] + 1) - last.zero_points.output
    nudge = 1 << 30 if last.rounds_twice else 0
    halves = (results << last.shift) - (np.int64(1) << (last.shift - 1))
    above, below = (-(-(halves - side) // last.multiplier) for side in (nudge, -nudge))
    end = np.int64(1) << 40
    return np.concatenate([[-end], np.where(below < 0, below, np.maximum(above, 0)), [end]])


def _fitted(
    index: int, steps: list[Step], operands: list[Integers], bounds: tuple[Integers, Integers], sign: int
) -> tuple[Step, Step] | None:
    """Return both steps with the multiplier of one that leaves each sum within its bounds, the nearest; else None.

    The other operand is as it is. So each pair has a least and a greatest value of this one, which is
    ``floor(x * multiplier / 2^shift + 1 / 2)``, and with it a least and a greatest multiplier.
    """
    own, other = steps[index], steps[1 - index]
    rounded = (operands[1 - index] * other.multiplier + (1 << (other.shift - 1))) >> other.shift
    least, greatest = (bound - (sign * rounded if index == 0 else rounded) for bound in bounds)
    if index == 1 and sign < 0:
        least, greatest = -greatest, -least
    value = operands[index]
    moved = value != 0
    ends = (least - 0.5)[moved] / value[moved], (greatest + 0.5)[moved] / value[moved]
    low, high = np.minimum(*ends).max(initial=0), np.maximum(*ends).min(initial=1 << 31)
    first, last = ceil(low * 2.0**own.shift), floor(high * 2.0**own.shift)
    multiplier = min(max(own.multiplier, first), last)
    if first > last or not 0 < multiplier < 1 << 31:
        return None
    made = replace(own, multiplier=multiplier)
    return (made, other) if index == 0 else (other, made)
