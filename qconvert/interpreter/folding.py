"""Constant folding of ops on small constants during the import of a graph."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import evaluate_op
from qconvert.ir import quantized, tensor
from qconvert.support.limits import budget


def fold_small(op: Operation) -> NDArray[Any] | None:
    """Return the result of an op on small constants that are not quantized, or None if the op must stay.

    A rounding of more floats than a list of sizes has stays: it may be simulated quantization, which passes look for.
    """
    if len(op.results) != 1 or isinstance(op, stablehlo.ConstantOp):
        return None
    if not all(isinstance(operand.owner, stablehlo.ConstantOp) for operand in op.operands):
        return None
    values, limits = (*op.operands, *op.results), budget()
    if any(tensor(value).element_count() > limits.folded or quantized(value) is not None for value in values):
        return None
    if isinstance(op, stablehlo.RoundNearestEvenOp) and tensor(op.results[0]).element_count() > limits.rank:
        return None
    arrays = [stablehlo.elements_of(operand) for operand in op.operands]
    return evaluate_op(op, [array for array in arrays if array is not None])[0]
