"""Additions of 8-bit integers whose operands are rescaled once each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp

from qconvert.backends.ethos_u.forms.addition_forms import NUDGES, Addition, is_lean, lean_form
from qconvert.backends.ethos_u.forms.steps import SHIFTS, Chain, Integers, Step, chain_of, rescaled, step_of
from qconvert.dialects.tosa import AddOp, RescaleOp, SubOp
from qconvert.dialects.tosa.quantization import is_set
from qconvert.ir import element_type, i32, shape
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, erase_dead, only_user, refuse, visit_each
from qconvert.rewriting import replace as replace_op

_WIDTH = 8
_MOST_PLACES = 14
"""The largest power of two that is a factor of 16 bits."""


class FuseAdditions(Pass):
    """Rescale 8-bit operands of an ADD or SUB once each, where no result changes.

    ::

        i8 ── rescale * 2^20 ── i32 ── rescale * m >> s, DOUBLE_ROUND ── add ── rescale ── i8
        i8 ── rescale * m >> (s - 20) ──────────────────────────────── add ── rescale ── i8

    A RESCALE from 8 bits to i32 is free on an NPU: it becomes a register of the addition. A RESCALE from i32 is a
    kernel of its own. LiteRT's form rounds an operand twice, so one code in five differs by 1 in units of 2^-20, which
    hardly ever changes the result. All 65,536 pairs of operands are tried with the multiplier ``m``. If a pair differs,
    the multipliers of one operand that keep the results of all pairs are computed, also for units of 2^-19 and 2^-21,
    and for multipliers and roundings of the sum close to the given ones. If there are none, the addition stays.

    Operands of one scale are multiplied by 2^14 at most, because Ethos-U55 takes no larger factors of both.
    """

    name = "fuse-additions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every ADD and SUB in program order."""
        ops = [op for op in module.walk() if isinstance(op, AddOp | SubOp) and element_type(op.output) == i32]
        result = visit_each(ops, _visit)
        if result.changed:
            erase_dead(list(module.walk()))
        return result


def _visit(op: AddOp | SubOp) -> bool | Refusal:
    """Return True for a rewritten op, False for one of other operands or in this form already."""
    chains = chain_of(op.input1), chain_of(op.input2)
    if not all(map(_is_of_bytes, chains)):
        return False
    if all(is_lean(chain.steps) for chain in chains):
        return _scale_down(op, chains)
    user = only_user(op.output)
    last = step_of(user) if isinstance(user, RescaleOp) else None
    if last is None or not isinstance(user, RescaleOp):
        return refuse(op, "a RESCALE with one multiplier is needed as the only user")
    form = lean_form(Addition(1 if isinstance(op, AddOp) else -1, chains[0].steps, chains[1].steps, last))
    if form is None or (form.last != last and is_set(user.output_unsigned)):
        return refuse(op, "with one rounding of each operand some pairs of operands give other results")
    _rescale(op, chains, (form.lhs, form.rhs))
    if form.last != last:
        _rescale_sum(op, user, form.last)
    return True


def _rescale_sum(op: AddOp | SubOp, user: RescaleOp, step: Step) -> None:
    """Rescale a sum by another step to the same integers with a sign."""
    element = element_type(user.output)
    assert isinstance(element, IntegerType)
    replace_op(user, rescaled(builder_before(user), Chain(op.output, ()), step, shape(op.output), element))


def _rescale(op: AddOp | SubOp, chains: tuple[Chain, Chain], steps: tuple[Step, Step]) -> None:
    """Rescale both operands by one step each."""
    build = builder_before(op)
    for index, (value, chain, step) in enumerate(zip(tuple(op.operands), chains, steps, strict=True)):
        op.operands[index] = rescaled(build, chain, step, shape(value))


def _scale_down(op: AddOp | SubOp, chains: tuple[Chain, Chain]) -> bool:
    """Shift operands that are shifted by the same places by 14 of them, and the sum's RESCALE by fewer.

    Ethos-U55 takes equal factors of 16 bits only. All sums are tried, also with multipliers close by; return False if a
    result changes with each of them.
    """
    lhs, rhs, user = chains[0].steps[0], chains[1].steps[0], only_user(op.output)
    if not isinstance(user, RescaleOp) or is_set(user.output_unsigned):
        return False
    last = step_of(user)
    if last is None or lhs.power is None or lhs.power != rhs.power or lhs.power <= _MOST_PLACES:
        return False
    spare = lhs.power - _MOST_PLACES
    sums = Addition(1 if isinstance(op, AddOp) else -1, (lhs,), (rhs,), last).sums()
    smaller = None if sums is None else _for_smaller_sums(np.unique(sums), last, spare)
    if smaller is None:
        return False
    _rescale(op, chains, (replace(lhs, shift=lhs.shift + spare), replace(rhs, shift=rhs.shift + spare)))
    _rescale_sum(op, user, smaller)
    return True


def _for_smaller_sums(sums: Integers, last: Step, spare: int) -> Step | None:
    """Return a step that gives for sums over ``2^spare`` what ``last`` gives for the sums; None if none is found."""
    for nudge in NUDGES:
        step = replace(last, multiplier=last.multiplier + nudge, shift=last.shift - spare)
        is_valid = 0 < step.multiplier < 1 << 31 and step.shift in SHIFTS
        if is_valid and np.array_equal(last(sums), step(sums >> spare)):
            return step
    return None


def _is_of_bytes(chain: Chain) -> bool:
    return bool(chain.steps) and np.ptp(chain.steps[0].takes) < 1 << _WIDTH
