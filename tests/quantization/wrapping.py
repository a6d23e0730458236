"""Wraps ops of a module into ``quant.region``, whatever they are."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects.quant_region import RegionOp, ReturnOp
from qconvert.interpreter.core import main_function


def wrap(module: ModuleOp, start: int, stop: int) -> RegionOp:
    """Move the ops at these positions of ``@main`` into one region, in place of the last of them."""
    block = main_function(module).body.block
    ops = list(block.ops)[start:stop]
    inputs = list(dict.fromkeys(value for op in ops for value in op.operands if value.owner not in ops))
    outputs = [result for op in ops for result in op.results if _is_used_outside(result, ops)]
    behind = ops[-1].next_op
    assert behind is not None
    body = Block(arg_types=[value.type for value in inputs])
    users = {value: [use for use in value.uses if use.operation not in ops] for value in outputs}
    for op in ops:
        op.detach()
        body.add_op(op)
    for value, argument in zip(inputs, body.args, strict=True):
        for use in [use for use in value.uses if use.operation in ops]:
            use.operation.operands[use.index] = argument
    body.add_op(ReturnOp(outputs))
    region = RegionOp(inputs, body, "wrapped")
    block.insert_op_before(region, behind)
    for value, result in zip(outputs, region.results, strict=True):
        for use in users[value]:
            use.operation.operands[use.index] = result
    return region


def _is_used_outside(value: SSAValue, ops: Sequence[Operation]) -> bool:
    return any(use.operation not in ops for use in value.uses)
