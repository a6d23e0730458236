"""Comparisons, selections and logic."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.conversion import narrowed, widened
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.backends.tosa.quantization import real
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.expansion.comparison import compared
from qconvert.ir import element_type, i1, i32, quantized, shape
from qconvert.support.errors import ConversionError

_LOGIC: dict[type[Operation], tuple[type[tosa.BinaryOp], type[tosa.BinaryOp]]] = {
    stablehlo.AndOp: (tosa.LogicalAndOp, tosa.BitwiseAndOp),
    stablehlo.OrOp: (tosa.LogicalOrOp, tosa.BitwiseOrOp),
    stablehlo.XorOp: (tosa.LogicalXorOp, tosa.BitwiseXorOp),
}


@lowers(stablehlo.CompareOp)
def compare(op: stablehlo.CompareOp, lower: Lowering) -> SSAValue:
    """Lower to EQUAL, GREATER or GREATER_EQUAL of i32 or floats.

    Quantized operands of two types are compared as floats.
    """
    if element_type(op.lhs) == i1:
        return _compared_truth(op, lower)
    same = element_type(op.lhs) == element_type(op.rhs)
    operands = [_comparable(lower, value, same_type=same) for value in (op.lhs, op.rhs)]
    return compared(lower, op.comparison_direction.data, *operands)


def _compared_truth(op: stablehlo.CompareOp, lower: Lowering) -> SSAValue:
    """Lower to LOGICAL_XOR, with LOGICAL_NOT for equality; raises ConversionError for an order."""
    direction = op.comparison_direction.data
    if direction not in (Direction.EQ, Direction.NE):
        raise ConversionError("TOSA does not order booleans")
    differ = lower.add(tosa.LogicalXorOp(lower[op.lhs], lower[op.rhs]))
    return differ if direction is Direction.NE else lower.add(tosa.LogicalNotOp(differ))


def _comparable(lower: Lowering, value: SSAValue, *, same_type: bool) -> SSAValue:
    if quantized(value) is None:
        return widened(lower, value)
    return narrowed(lower, lower[value], i32) if same_type else real(value, lower)


@lowers(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, lower: Lowering) -> SSAValue:
    """Lower to SELECT of storage integers at the result's scale; operands are broadcast."""
    condition = lower[op.pred]
    if not shape(op.pred):
        condition = lower.reshape(condition, (1,) * len(shape(op.result)))
    element = element_type(op.result)
    values = [
        lower[value] if element_type(value) == element else lower.in_type(value, element)
        for value in (op.on_true, op.on_false)
    ]
    return lower.add(tosa.SelectOp(condition, *values))


@lowers(*_LOGIC)
def logic(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Lower to the logical op of booleans, or the bitwise op of integers."""
    of_booleans, of_integers = _LOGIC[type(op)]
    kind = of_booleans if element_type(op.result) == i1 else of_integers
    return lower.add(kind(lower[op.lhs], lower[op.rhs]))


@lowers(stablehlo.NotOp)
def not_(op: stablehlo.UnaryOp, lower: Lowering) -> SSAValue:
    """Lower to LOGICAL_NOT of booleans, or BITWISE_NOT of integers."""
    kind = tosa.LogicalNotOp if element_type(op.result) == i1 else tosa.BitwiseNotOp
    return lower.add(kind(lower[op.operand]))
