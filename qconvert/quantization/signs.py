"""Values that cannot be negative, as their ops show."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Range, Rearranges
from qconvert.rewriting import known_array


def is_nonnegative(value: SSAValue) -> bool:
    """Return whether a value is known not to be negative."""
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
        case stablehlo.BroadcastInDimOp() | stablehlo.ReductionOp():  # sums, extremes and products keep the sign
            return is_nonnegative(owner.operands[0])
        case Operation() if owner.has_trait(Rearranges):
            return is_nonnegative(owner.operands[0])
        case Operation():
            bounds = owner.get_trait(Range)
            return bounds is not None and bounds.minimum >= 0
        case _:
            return False


def _is_at_least_zero(value: SSAValue) -> bool:
    array = known_array(value)
    return array is not None and bool((array >= 0).all())
