"""Which values cannot be negative, seen from the ops that make them."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.rewriting.constants import known_array

_NONNEGATIVE = (
    stablehlo.AbsOp,
    stablehlo.ExponentialOp,
    stablehlo.LogisticOp,
    stablehlo.SqrtOp,
    composite.HardSigmoidOp,
    composite.SoftmaxOp,
)
"""Their results are never negative."""

_KEEPING = (
    stablehlo.BroadcastInDimOp,
    stablehlo.ReduceOp,
    stablehlo.ReduceWindowOp,
    stablehlo.ReshapeOp,
    stablehlo.SliceOp,
    stablehlo.TransposeOp,
)
"""They move, select or combine the elements of their first operand; sums, extremes and products keep the sign."""


def is_nonnegative(value: SSAValue) -> bool:
    """Whether that is certain; false where it is not seen."""
    owner = value.owner
    match owner:
        case stablehlo.ConstantOp():
            return _is_at_least_zero(value)
        case stablehlo.MaximumOp():
            return is_nonnegative(owner.lhs) or is_nonnegative(owner.rhs)
        case stablehlo.ClampOp():
            return is_nonnegative(owner.min) and is_nonnegative(owner.max)
        case stablehlo.AddOp() | stablehlo.MultiplyOp() | stablehlo.DivideOp():
            return is_nonnegative(owner.lhs) and is_nonnegative(owner.rhs)
        case stablehlo.ConcatenateOp():
            return all(is_nonnegative(operand) for operand in owner.operands)
        case _ if isinstance(owner, _KEEPING):
            return is_nonnegative(owner.operands[0])
        case _:
            return isinstance(owner, _NONNEGATIVE)


def _is_at_least_zero(value: SSAValue) -> bool:
    array = known_array(value)
    return array is not None and bool((array >= 0).all())
