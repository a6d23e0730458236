"""Pattern matching; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Operation

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir import is_float_tensor, quantized
from qconvert.quantization.fusion.pattern import Chain, Pattern, Step, is_constant
from qconvert.rewriting import only_user


@dataclass(frozen=True)
class Taken:
    """An op of a match, with its step's treatment of constants."""

    op: Operation
    keeps_constants: bool
    is_bias: bool = False


@dataclass(frozen=True)
class Match:
    """The ops of one kernel, each the only user of the previous one."""

    kernel: str
    taken: tuple[Taken, ...]


def match_any(op: Operation, patterns: Iterable[Pattern]) -> Match | None:
    """Return the match of the first pattern that begins with ``op``."""
    if not _is_computing(op):
        return None
    found = (match(op, pattern) for pattern in patterns if isinstance(op, pattern.anchors))
    return next((each for each in found if each is not None), None)


def match(op: Operation, pattern: Pattern) -> Match | None:
    """Return a pattern's ops from ``op`` on; None if a required op is missing."""
    if not pattern.accepts(op):
        return None
    taken = [Taken(op, pattern.keeps_constants)]
    for step in pattern.steps:
        follower = _follower(taken[-1].op, step)
        if follower is not None:
            taken.append(Taken(follower, step.keeps_constants, step.is_bias))
        elif step.required:
            return None
    return Match(pattern.kernel, tuple(taken))


def _follower(op: Operation, step: Step) -> Operation | None:
    (value,) = op.results
    user = only_user(value)
    if user is None or not isinstance(user, step.kinds) or not _is_computing(user):
        return None
    return user if step.accepts(user, value) else None


def _is_computing(op: Operation) -> bool:
    """Return whether an op makes one float tensor from values of which not all are known and none is quantized."""
    if len(op.results) != 1 or not is_float_tensor(op.results[0]):
        return False
    if any(quantized(operand) is not None for operand in op.operands):
        return False
    return not all(is_constant(operand) for operand in op.operands)


def match_chain(op: RegionOp, chain: Chain) -> tuple[RegionOp, ...] | None:
    """Return the regions of a chain from ``op`` on."""
    found = [op]
    if op.logical_kernel.data != chain.parts[0]:
        return None
    for part in chain.parts[1:]:
        user = only_user(found[-1].outputs[0]) if len(found[-1].outputs) == 1 else None
        if not isinstance(user, RegionOp) or user.logical_kernel.data != part:
            return None
        found.append(user)
    return tuple(found)
