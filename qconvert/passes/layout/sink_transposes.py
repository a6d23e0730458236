"""Transposes moved towards the function's results, cancelled on the way, absorbed by what takes any layout."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo.movement import TransposeOp, permutation_of
from qconvert.ir.attributes import TENSOR
from qconvert.passes.layout.sinking_rules import Sunk, sink_below
from qconvert.rewriting.base import Pass, PassResult, Refusal, no_op, refuse
from qconvert.rewriting.edits import builder_before, erase, replace
from qconvert.rewriting.permutations import compose, is_identity


def _takes_transpose(op: Operation) -> bool:
    return isinstance(op, TransposeOp) and isinstance(op.operand.owner, TransposeOp)


NO_PAIRS = no_op("no transpose of a transpose", _takes_transpose)


@dataclass(frozen=True)
class SinkTransposes(Pass):
    """Let transposes pass the ops behind them, up to one that absorbs or undoes them, or to the function's results.

    ::

        x ── transpose ── op ── y                    x ── op' ── transpose ── y

        x ── transpose ── convolution [b,f,0,1]      x ── convolution [b,0,1,f]

        x ── transpose ── reshape ── dot_general w   x ── reshape ── dot_general w'

    Elementwise and quantizing ops, concatenations, pads, slices, pools, reductions, broadcasts and reshapes that keep
    neighbours together let a transpose pass; convolutions and matrix products take it into their dimension numbers; a
    flattening takes it into the rows of the weights behind it. Constants and broadcasts beside a transposed operand are
    laid out anew, a function's argument there is transposed instead. What stops a transpose is reported.

    The name of a source's tensor stays where the source's layout is: on the transpose behind the op.
    """

    name = "sink-transposes"
    ensures = (NO_PAIRS,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Work through the transposes in order; one that comes out behind an op joins the end of the list."""
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
    """Rewrite the users that let a transpose pass; gives the values that now stand for their results."""
    if is_identity(permutation_of(transpose)):
        replace(transpose, transpose.operand)
        return
    for user in dict.fromkeys(use.operation for use in transpose.result.uses):
        sunk = _sunk(transpose, user)
        if isinstance(sunk, Sunk):
            yield _place(transpose, user, sunk)
    if not transpose.result.uses:
        erase(transpose)


def _sunk(transpose: TransposeOp, user: Operation) -> Sunk | str:
    if isinstance(user, TransposeOp):
        together = compose(permutation_of(transpose), permutation_of(user))
        return Sunk(together, lambda _: transpose.operand)
    return sink_below(user, transpose)


def _place(transpose: TransposeOp, user: Operation, sunk: Sunk) -> SSAValue:
    """Use what a rule makes instead of a user's result, behind a transpose where its layout is another now."""
    build = builder_before(user)
    value = sunk.make(build)
    if not is_identity(sunk.permutation):
        if build.ops:
            build.ops[-1].attributes.pop(TENSOR, None)
        value = OpBuilder(transpose.location, before=user).add(TransposeOp(value, sunk.permutation))
    operands = [operand.owner for operand in user.operands]
    replace(user, value)
    for owner in dict.fromkeys(operands):
        if isinstance(owner, TransposeOp) and owner is not transpose and not owner.result.uses:
            erase(owner)
    return value


def _refusals(module: ModuleOp) -> Iterator[Refusal]:
    """Why each transpose stays in front of an op; those in front of a result are where they belong."""
    for transpose in [op for op in module.walk() if isinstance(op, TransposeOp)]:
        for use in transpose.result.uses:
            reason = _sunk(transpose, use.operation)
            if isinstance(reason, str) and not isinstance(use.operation, ReturnOp):
                yield refuse(use.operation, reason)
