"""The ports of a function as TOSA's flatbuffers name them: by tensors, of which each has one name."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, SSAValue

from qconvert.dialects import tosa
from qconvert.expansion.builder import TosaBuilder
from qconvert.ir import shape


def copy_shared_results(function: FuncOp) -> None:
    """Copy results that are arguments or other results by RESHAPE, in place, so that each has a tensor of its own."""
    if function.is_declaration:
        return
    terminator = function.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    build, taken = TosaBuilder(), set[SSAValue]()
    for i, value in enumerate(terminator.operands):
        if isinstance(value.owner, Block) or value in taken:
            terminator.operands[i] = build.add(tosa.ReshapeOp(value, build.shape(shape(value))))
        taken.add(value)
    function.body.block.insert_ops_before(build.ops, terminator)
