"""Recurrent layers in float, by their decomposition."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite import GruOp, LstmOp, RnnOp, SequenceLstmOp, SequenceOp
from qconvert.interpreter.elementwise import through_float
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.program import evaluate_made
from qconvert.ir import expressed, shape, tensor


@implements(LstmOp)
def lstm(op: LstmOp, operands: Sequence[Array]) -> Array:
    """Evaluate the decomposition in float."""

    def decomposition() -> Block:
        types = [TensorType(expressed(tensor(value).element_type), shape(value)) for value in op.operands]
        block, build = Block(arg_types=types), OpBuilder()
        result = op.decompose(build, block.args)
        block.add_ops([*build.ops, ReturnOp(result)])
        return block

    return through_float(op, operands, lambda *reals: evaluate_made(op, decomposition, reals)[0])


@implements(GruOp, RnnOp, SequenceLstmOp)
def sequence(op: SequenceOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the decomposition."""

    def decomposition() -> Block:
        block, build = Block(arg_types=[value.type for value in op.operands]), OpBuilder()
        results = op.decompose(build, block.args)
        block.add_ops([*build.ops, ReturnOp(*results)])
        return block

    return evaluate_made(op, decomposition, operands)
