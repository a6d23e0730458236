"""Additions of 16-bit integers, and of the 8-bit ones that ``fuse-additions`` leaves, without shifts and casts."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.steps import (
    Chain,
    Integers,
    Step,
    behind_reshapes,
    chain_of,
    merged,
    rescaled,
    reshaped,
    step_of,
)
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import (
    AddOp,
    CastOp,
    ConstOp,
    LogicalLeftShiftOp,
    MulOp,
    RescaleOp,
    SubOp,
)
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.ir import element_type, i8, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.rewriting import Pass, PassResult, builder_before, erase_dead, only_user
from qconvert.rewriting import replace as replace_op

_INTS = integer_range(i16)
_CODES = np.arange(_INTS[0], _INTS[1] + 1)
_HALF = 14
"""The largest power of two that a 16-bit factor can be."""
_SPARE = 6
"""The number of bits to the left of which a difference of 8-bit integers still has 16 bits."""
_LEFT = range(_HALF + 2)


class FuseWideAdditions(Pass):
    """Write the left shifts of an ADD's or SUB's 16-bit operands as ops that NPUs fuse.

    Of two operands that are shifted by constants, each becomes a RESCALE::

        cast ── logical_left_shift k

        rescale * 2^k

    An operand ``a`` that is shifted by 15 and rescaled with DOUBLE_ROUND becomes the first of these that keeps every
    integer::

        rescale * m >> (s - 15)
        -(mul -2^15 ── rescale * m >> s, DOUBLE_ROUND)
        mul 2^14 ── add to itself ── rescale * m >> s, DOUBLE_ROUND

    and the other operand ``mul 2^k`` or, with the first form, a RESCALE.

    The third form is exact, because ``a * 2^14`` and its double fit in 32 bits. The second one is tried on all 65,536
    integers: it differs where a product lies halfway, because DOUBLE_ROUND rounds halves up. The first one rounds once
    and gives another operand for some integers, 1 off: every sum in which that could change the result must be out of
    reach. The result changes at known sums. The other operand is a multiple of 2^k, so ``a`` can reach such a sum only
    if both have the same remainder by 2^k.

    An 8-bit operand that is shifted by 20 is shifted by 6 into 16 bits, by an addition of 0, and multiplied by 2^14.
    """

    name = "fuse-wide-additions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every ADD and SUB in program order."""
        ops = [op for op in module.walk() if isinstance(op, AddOp | SubOp) and element_type(op.output) == i32]
        changed = [_visit(op) for op in ops]
        if any(changed):
            erase_dead(list(module.walk()))
        return PassResult(any(changed))


class Operand(NamedTuple):
    """An operand: ``chain`` ends in 8 or 16 bits, its integers are shifted by ``places``, then rescaled by ``step``."""

    chain: Chain
    places: int
    step: Step | None
    sizes: tuple[int, ...]


def _visit(op: AddOp | SubOp) -> bool:
    lhs, rhs = operand_of(op.input1), operand_of(op.input2)
    if lhs is None or rhs is None or _is_lean(op):
        return False
    build = builder_before(op)
    if lhs.step is None and rhs.step is None:
        _set(op, *(_shifted(build, operand) for operand in (lhs, rhs)))
    elif lhs.step is None or rhs.step is None:
        _rewrite(op, build, (lhs, rhs))
    else:
        _set(op, *(_exact(build, operand) for operand in (lhs, rhs)))
    return True


def _is_lean(op: AddOp | SubOp) -> bool:
    """Return True if both operands are RESCALEs from 8 or 16 bits already."""
    owners = [behind_reshapes(value).owner for value in op.operands]
    return all(isinstance(owner, RescaleOp) and element_type(owner.input) != i32 for owner in owners)


def _set(op: AddOp | SubOp, lhs: SSAValue, rhs: SSAValue) -> None:
    op.operands[0], op.operands[1] = lhs, rhs


def operand_of(value: SSAValue) -> Operand | None:
    """Return an operand whose source has 8 or 16 bits and is shifted to the left by a constant, else None."""
    sizes, held = shape(value), behind_reshapes(value)
    last = step_of(held.owner) if isinstance(held.owner, RescaleOp) else None
    if isinstance(held.owner, RescaleOp) and last is not None and element_type(held.owner.input) == i32:
        if last.rounding is not Rounding.DOUBLE_ROUND or any((last.zero_points.input, last.zero_points.output)):
            return None
        held = behind_reshapes(held.owner.input)
    else:
        last = None
    places = 0
    if isinstance(held.owner, LogicalLeftShiftOp):
        shift = parameter_array(held.owner.input2)
        if shift is None or shift.size != 1:
            return None
        places, held = int(shift.flat[0]), behind_reshapes(held.owner.input1)
    if isinstance(held.owner, CastOp) and element_type(held.owner.input) == i16 and places in _LEFT:
        return Operand(Chain(held.owner.input, ()), places, last, sizes)
    return None if places else _rescaled_operand(held, last, sizes)


def _rescaled_operand(value: SSAValue, last: Step | None, sizes: tuple[int, ...]) -> Operand | None:
    """Return an operand that one RESCALE shifts from 8 or 16 bits, else None."""
    chain = chain_of(value)
    [first] = chain.steps if len(chain.steps) == 1 else [None]
    element = element_type(chain.source)
    if first is None or first.power is None or first.zero_points.output or chain.unsigned:
        return None
    most = _HALF + _SPARE if element == i8 else _HALF + 1
    return Operand(chain, first.power, last, sizes) if element in (i8, i16) and first.power <= most else None


def _shifted(build: OpBuilder, operand: Operand) -> SSAValue:
    """Return an operand without a step of its own as one RESCALE."""
    if operand.chain.steps:
        return rescaled(build, operand.chain, operand.chain.steps[0], operand.sizes)
    return rescaled(build, operand.chain, _power_step(operand.places), operand.sizes)


def _power_step(places: int) -> Step:
    """Return the RESCALE of 16 bits to i32 by a power of two."""
    return Step(1 << 30, 30 - places, ZeroPoints(), Rounding.SINGLE_ROUND, _INTS, integer_range(i32))


def _rewrite(op: AddOp | SubOp, build: OpBuilder, operands: tuple[Operand, Operand]) -> None:
    """Rewrite an addition of which one operand has a step of its own."""
    index = 0 if operands[0].step is not None else 1
    operand, other = operands[index], operands[1 - index]
    assert operand.step is not None
    user = only_user(op.output)
    last = step_of(user) if isinstance(user, RescaleOp) else None
    is_wide = not operand.chain.steps and not other.chain.steps
    sign = -1 if index and isinstance(op, SubOp) else 1
    if is_wide and last is not None and rounds_once(operand.step, operand.places, other.places, sign, last):
        made = merged((_power_step(operand.places), operand.step))
        assert made is not None
        one, two = rescaled(build, operand.chain, made, operand.sizes), _shifted(build, other)
        _set(op, *((two, one) if index else (one, two)))
    elif is_wide and operand.places == _HALF + 1 and negates(operand.step):
        negative = _stepped(build, operand.step, _product(build, _narrow(build, operand), -1 << (_HALF + 1)))
        mirrored = index == 0 and isinstance(op, SubOp)
        rest = _product(build, _narrow(build, other), (-1 if mirrored else 1) << other.places)
        kind = AddOp if index and isinstance(op, SubOp) else SubOp
        replace_op(op, build.add(kind(rest, negative)))
    else:
        _set(op, *(_exact(build, part) for part in operands))


def _exact(build: OpBuilder, operand: Operand) -> SSAValue:
    """Return an operand by products, which are exact."""
    places = operand.places - (min(operand.places, _SPARE) if operand.chain.steps else 0)
    value = _product(build, _narrow(build, operand), 1 << min(places, _HALF))
    if places > _HALF:
        value = build.add(AddOp(value, value))
    return value if operand.step is None else _stepped(build, operand.step, value)


def _narrow(build: OpBuilder, operand: Operand) -> SSAValue:
    """Return the operand's 16-bit integers; 8-bit ones less their zero point, shifted by the spare bits.

    These are sums with 0: around an addition RESCALEs are free, and by itself a RESCALE is the dearer kernel.
    """
    chain, sizes = operand.chain, operand.sizes
    if not chain.steps:
        return reshaped(build, chain.source, sizes)
    [first] = chain.steps
    shift = replace(first, multiplier=1 << 30, shift=30 - min(operand.places, _SPARE))
    point = np.full((1,) * len(sizes), first.zero_points.input, np.int8)
    zero = Chain(build.add(ConstOp.of(point, i8)), ())
    wide = [rescaled(build, part, shift, shape) for part, shape in ((chain, sizes), (zero, point.shape))]
    total = Chain(build.add(AddOp(*wide)), ())
    return rescaled(build, total, _power_step(0), sizes, i16)


def _product(build: OpBuilder, value: SSAValue, factor: int) -> SSAValue:
    """Multiply 16-bit integers by a constant into i32."""
    ones = (1,) * len(shape(value))
    constant = build.add(ConstOp.of(np.full(ones, factor, np.int16), i16))
    return build.add(MulOp(value, constant, build.add(ConstOp.of(np.zeros(1, np.int8), i8))))


def _stepped(build: OpBuilder, step: Step, value: SSAValue) -> SSAValue:
    """Rescale i32 integers by an operand's own step."""
    return rescaled(build, Chain(value, ()), step, shape(value))


@lru_cache(maxsize=512)
def negates(step: Step) -> bool:
    """Return True if a step gives the negative of its result for the negative of each 16-bit integer, shifted."""
    shifted = _CODES << (_HALF + 1)
    return np.array_equal(step(shifted), -step(-shifted))


@lru_cache(maxsize=512)
def rounds_once(step: Step, places: int, grid: int, sign: int, last: Step) -> bool:
    """Return True if no result changes when an operand is rescaled by one rounding.

    ``sign * operand`` is added to multiples of ``2^grid``, and the sum is rescaled by ``last``.
    """
    single = merged((_power_step(places), step))
    changes = _changes(last)
    if single is None or changes is None:
        return False
    exact, found = sign * step(_CODES << places), sign * single(_CODES)
    differ = exact != found
    if np.abs(exact - found).max() > 1:
        return False
    reached = np.maximum(exact, found)[differ]
    return not np.isin(reached % (1 << grid), np.unique(changes % (1 << grid))).any()


def _changes(last: Step) -> Integers | None:
    """Return the sums at which the result of a step to 8 or 16 bits becomes larger; None if 64 bits do not hold them.

    A sum ``t`` gives ``k`` or more if ``t * multiplier + 2^(shift-1) + nudge >= k * 2^shift``, where DOUBLE_ROUND's
    nudge is ``2^30`` for sums from 0 on and ``-2^30`` below.
    """
    if last.shift + _HALF + 2 > 62:
        return None
    results = np.arange(last.gives[0] + 1, last.gives[1] + 1) - last.zero_points.output
    half = np.int64(1) << (last.shift - 1)
    nudge = 1 << 30 if last.rounds_twice else 0
    above, below = (-(-((results << last.shift) - half - side) // last.multiplier) for side in (nudge, -nudge))
    return np.where(below < 0, below, np.maximum(above, 0))
