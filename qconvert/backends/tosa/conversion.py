"""Conversions between plain element types."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.expander import tosa_element
from qconvert.ir import element_type, i1, i32, is_float


@lowers(stablehlo.ConvertOp)
def convert(op: stablehlo.ConvertOp, lower: Lowering) -> SSAValue:
    """Lower to CAST.

    CAST rounds floats half to even, so that floats are truncated before they become integers. Booleans become floats
    through i32.
    """
    value, target = lower[op.operand], tosa_element(element_type(op.result))
    source = element_type(value)
    if source == target:
        return value
    if target == i1:
        return lower.add(tosa.LogicalNotOp(lower.add(tosa.EqualOp(value, _zero(lower, value)))))
    if source == i1 and is_float(target):
        value = lower.add(tosa.CastOp(value, i32))
    if is_float(source) and not is_float(target):
        value = _truncated(lower, value)
    return lower.add(tosa.CastOp(value, target))


def _truncated(lower: Lowering, value: SSAValue) -> SSAValue:
    """Return floats rounded towards zero: CEIL below 0, else FLOOR."""
    is_below = lower.add(tosa.GreaterOp(_zero(lower, value), value))
    return lower.add(tosa.SelectOp(is_below, lower.add(tosa.CeilOp(value)), lower.add(tosa.FloorOp(value))))


def _zero(lower: Lowering, value: SSAValue) -> SSAValue:
    return lower.filled(0, value, element_type(value))
