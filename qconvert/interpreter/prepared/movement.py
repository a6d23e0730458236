"""Views of an operand, whose permutation, shape or slices are prepared."""

from __future__ import annotations

from qconvert.dialects import stablehlo
from qconvert.interpreter.implementation import Constants, Prepared, prepares
from qconvert.ir import shape


@prepares(stablehlo.TransposeOp)
def transpose(op: stablehlo.TransposeOp, constants: Constants) -> Prepared | None:
    """Prepare the permutation."""
    permutation = stablehlo.as_tuple(op.permutation)
    return Prepared((op,), (op.operand,), lambda operands: operands[0].transpose(permutation), 0)


@prepares(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, constants: Constants) -> Prepared | None:
    """Prepare the shape, but of scalars, which stand for a whole tensor in a reduction's region."""
    sizes = shape(op.result)
    if not sizes:
        return None
    return Prepared((op,), (op.operand,), lambda operands: operands[0].reshape(sizes), 0)
