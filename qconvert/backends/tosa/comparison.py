"""Comparisons, selections and logic."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.conversion import narrowed, widened
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.backends.tosa.quantization import real
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.ir import element_type, i1, i32, quantized, shape
from qconvert.support.errors import ConversionError

_SWAPPED = (Direction.LT, Direction.LE)
_KINDS: dict[Direction, type[tosa.CompareOp]] = {
    Direction.EQ: tosa.EqualOp,
    Direction.NE: tosa.EqualOp,
    Direction.GT: tosa.GreaterOp,
    Direction.GE: tosa.GreaterEqualOp,
    Direction.LT: tosa.GreaterOp,
    Direction.LE: tosa.GreaterEqualOp,
}
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
        raise ConversionError("TOSA cannot compare booleans")
    same = element_type(op.lhs) == element_type(op.rhs)
    operands = [_comparable(lower, value, same_type=same) for value in (op.lhs, op.rhs)]
    direction = op.comparison_direction.data
    made = lower.add(_KINDS[direction](*(operands[::-1] if direction in _SWAPPED else operands)))
    return lower.add(tosa.LogicalNotOp(made)) if direction is Direction.NE else made


def _comparable(lower: Lowering, value: SSAValue, *, same_type: bool) -> SSAValue:
    if quantized(value) is None:
        return widened(lower, value)
    return narrowed(lower, lower[value], i32) if same_type else real(value, lower)


@lowers(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, lower: Lowering) -> SSAValue:
    """Lower to SELECT of storage integers at the result's scale."""
    condition = lower[op.pred]
    if not shape(op.pred):
        condition = lower.reshape(condition, (1,) * len(shape(op.result)))
    values = [lower.in_type(value, element_type(op.result)) for value in (op.on_true, op.on_false)]
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
