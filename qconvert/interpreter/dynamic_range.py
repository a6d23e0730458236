"""Dynamic-range quantization as onnxruntime computes it; integer contractions by their exact decomposition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block

from qconvert import numerics
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite import DynamicRangeConvolutionOp, DynamicRangeDotGeneralOp, DynamicRangeQuantizeOp
from qconvert.dialects.composite.dynamic_range import IntegerContractionOp
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.program import evaluate_made


@implements(DynamicRangeQuantizeOp)
def dynamic_range_quantize(op: DynamicRangeQuantizeOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Return integers, scale and zero point."""
    scale, zero_point = numerics.dynamic_range(operands[0])
    levels = numerics.quantize_onnx(operands[0], scale, zero_point, 0, numerics.LEVELS, np.uint8)
    return levels, scale, zero_point


@implements(DynamicRangeConvolutionOp, DynamicRangeDotGeneralOp)
def integer_contraction(op: IntegerContractionOp, operands: Sequence[Array]) -> Array:
    """Return the contraction, in 32 bits, of integers minus their zero points."""

    def decomposition() -> Block:
        block, build = Block(arg_types=op.operand_types), OpBuilder()
        result = op.decompose(build, block.args)
        block.add_ops([*build.ops, ReturnOp(result)])
        return block

    return evaluate_made(op, decomposition, operands)[0]
