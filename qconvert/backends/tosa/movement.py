"""Ops that move elements: a quantized one keeps its integers, for scale and zero point stay the same."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.movement import permutation_of
from qconvert.dialects.types import shape


@lowers(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, lower: Lowering) -> SSAValue:
    """RESHAPE."""
    return lower.reshape(lower[op.operand], shape(op.result))


@lowers(stablehlo.TransposeOp)
def transpose(op: stablehlo.TransposeOp, lower: Lowering) -> SSAValue:
    """TRANSPOSE."""
    return lower.transpose(lower[op.operand], permutation_of(op))
