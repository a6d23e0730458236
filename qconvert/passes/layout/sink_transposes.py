"""Transposes moved towards the function's results. They cancel each other, or ops that allow any layout absorb them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo.movement import TransposeOp, permutation_of
from qconvert.ir import TENSOR
from qconvert.passes.layout.sinking_rules import Replacement, sink_below
from qconvert.rewriting import (
    Pass,
    PassResult,
    Refusal,
    builder_before,
    compose,
    erase,
    is_identity,
    no_op,
    refuse,
    replace,
)


def _takes_transpose(op: Operation) -> bool:
    return isinstance(op, TransposeOp) and isinstance(op.operand.owner, TransposeOp)


NO_PAIRS = no_op("no transpose of a transpose", _takes_transpose)


class SinkTransposes(Pass):
    """Move transposes below the ops that use them, until an op absorbs or undoes them, or to the function's results.

    ::

        x ── transpose ── op ── y                    x ── op' ── transpose ── y

        x ── transpose ── convolution [b,f,0,1]      x ── convolution [b,0,1,f]

        x ── transpose ── reshape ── dot_general w   x ── reshape ── dot_general w'

    Transposes pass elementwise and quantizing ops, concatenations, pads, slices, pools, reductions, broadcasts, and
    reshapes that keep neighbours together. Convolutions and matrix products absorb a transpose in their dimension
    numbers. A flattening moves it into the rows of the weights behind it. Constants and broadcasts beside a transposed
    operand get the other layout. A function's argument beside it is transposed. The op that stops a transpose is
    reported.

    The name of a source's tensor moves to the transpose behind the op, because the source's layout is there.
    """

    name = "sink-transposes"
    ensures = (NO_PAIRS,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit the transposes in order. A transpose behind a rewritten op joins the end of the list."""
        pending = deque(op for op in module.walk() if isinstance(op, TransposeOp))
        changed = False
        while pending:
            transpose = pending.popleft()
            if transpose.parent is not None:
                behind = list(_sink(transpose))
                changed |= bool(behind) or transpose.parent is None
                pending += [value.owner for value in behind if isinstance(value.owner, TransposeOp)]
        return PassResult(changed, tuple(_refusals(module)))


def _sink(transpose: TransposeOp) -> Iterator[SSAValue]:
    """Rewrite the users that let a transpose pass; yield the values that replace their results."""
    if is_identity(permutation_of(transpose)):
        replace(transpose, transpose.operand)
        return
    for user in dict.fromkeys(use.operation for use in transpose.result.uses):
        replacement = _replacement(transpose, user)
        if isinstance(replacement, Replacement):
            yield _place(transpose, user, replacement)
    if not transpose.result.uses:
        erase(transpose)


def _replacement(transpose: TransposeOp, user: Operation) -> Replacement | str:
    if isinstance(user, TransposeOp):
        together = compose(permutation_of(transpose), permutation_of(user))
        return Replacement(together, lambda _: transpose.operand)
    return sink_below(user, transpose)


def _place(transpose: TransposeOp, user: Operation, replacement: Replacement) -> SSAValue:
    """Replace a user's result by the value of a rule, behind a transpose if its layout differs."""
    build = builder_before(user)
    value = replacement.make(build)
    if not is_identity(replacement.permutation):
        if build.ops:
            build.ops[-1].attributes.pop(TENSOR, None)
        value = OpBuilder(transpose.location, before=user).add(TransposeOp(value, replacement.permutation))
    operands = [operand.owner for operand in user.operands]
    replace(user, value)
    for owner in dict.fromkeys(operands):
        if isinstance(owner, TransposeOp) and owner is not transpose and not owner.result.uses:
            erase(owner)
    return value


def _refusals(module: ModuleOp) -> Iterator[Refusal]:
    """Yield the reason why each transpose stays in front of an op, unless the op is a return."""
    for transpose in [op for op in module.walk() if isinstance(op, TransposeOp)]:
        for use in transpose.result.uses:
            reason = _replacement(transpose, use.operation)
            if isinstance(reason, str) and not isinstance(use.operation, ReturnOp):
                yield refuse(use.operation, reason)
