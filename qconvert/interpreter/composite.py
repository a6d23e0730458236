"""Composites without a form in numpy, by their decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.interpreter.core import dequantize, quantized_result
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.program import evaluate_made
from qconvert.ir import element_type, expressed, tensor, with_element


@implements(CompositeOp)
def decomposed(op: CompositeOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the decomposition on the values that operands stand for, and quantize the results."""
    reals = [dequantize(array, tensor(value)) for array, value in zip(operands, op.operands, strict=True)]
    results = evaluate_made(op, partial(_decomposition, op), reals)
    return tuple(quantized_result(op, real, i) for i, real in enumerate(results))


def _decomposition(op: CompositeOp) -> Block:
    types = [with_element(tensor(value), expressed(element_type(value))) for value in op.operands]
    block, build = Block(arg_types=types), OpBuilder()
    results = op.decompose(build, block.args)
    block.add_ops([*build.ops, ReturnOp(*([results] if isinstance(results, SSAValue) else results))])
    return block
