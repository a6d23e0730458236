"""Reductions of several operands, parted where the operands do not depend on each other."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.rewriting import Pass, PassResult, builder_before, converts, replace, rewrite_or_refuse, with_stages


class SplitReductions(Pass):
    """Part a reduction of several operands into one reduction for each operand.

    ::

        q8 x, q8 y ── reduce {to i32, to i32} {add, maximum} {to q8, to q8} ── q8 a, q8 b

        q8 x ── reduce {to i32} {add} {to q8} ── q8 a
        q8 y ── reduce {to i32} {maximum} {to q8} ── q8 b

    Each region must compute a result from the operand's own scalars. A body that compares pairs, as for the index of
    the largest value, is refused.
    """

    name = "split-reductions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every reduction of independent operands; refuse others that convert."""
        several = [op for op in module.walk() if isinstance(op, stablehlo.ReductionOp) and len(op.elements) > 1]
        due = [op for op in several if converts(op) or _obstacle(op) is None]
        return rewrite_or_refuse(due, _obstacle, _split)


def _obstacle(op: stablehlo.ReductionOp) -> str | None:
    parts = (_part(region, len(op.elements), i) for region in op.stages for i in range(len(op.elements)))
    return "its operands depend on each other" if any(part is None for part in parts) else None


def _split(op: stablehlo.ReductionOp) -> None:
    build = builder_before(op)
    results = []
    for i, pair in enumerate(zip(op.elements, op.initials, strict=True)):
        parts = (_part(region, len(op.elements), i) for region in op.stages)
        results.append(build.add(with_stages(op, pair, [part for part in parts if part is not None])))
    replace(op, *results)


def _part(region: Region, count: int, index: int) -> Region | None:
    """Return the part of a region that computes one of ``count`` results; None if it reads another's arguments."""
    if not region.blocks:
        return Region()
    old = region.block
    own = old.args[index::count]
    last = old.last_op
    assert isinstance(last, stablehlo.ReturnOp)
    needed = _needed(old, last.operands[index])
    read = {value for op in needed for value in op.operands} | {last.operands[index]}
    if any(argument in read for argument in old.args if argument not in own):
        return None
    block = Block(arg_types=[argument.type for argument in own])
    values: dict[SSAValue, SSAValue] = dict(zip(own, block.args, strict=True))
    made = [op.clone(values) for op in needed]
    result = last.operands[index]
    block.add_ops([*made, stablehlo.ReturnOp(values.get(result, result))])  # the result may come from outside
    return Region(block)


def _needed(block: Block, value: SSAValue) -> Sequence[Operation]:
    """Return the ops of a block that a value depends on, in order."""
    wanted, found = {value}, []
    for op in reversed(list(block.ops)):
        if any(result in wanted for result in op.results):
            wanted.update(op.operands)
            found.append(op)
    return found[::-1]
