"""Operators that compare and choose: LESS and its like, SELECT, SELECT_V2, and the logic of truth values."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.ir import UniformQuantizedType, described, element_type, i1, quantized, shape
from qconvert.support.errors import ConversionError

_DIRECTIONS: dict[str, ComparisonDirection] = {
    "EQUAL": ComparisonDirection.EQ,
    "NOT_EQUAL": ComparisonDirection.NE,
    "GREATER": ComparisonDirection.GT,
    "GREATER_EQUAL": ComparisonDirection.GE,
    "LESS": ComparisonDirection.LT,
    "LESS_EQUAL": ComparisonDirection.LE,
}
_EQUALITY = (ComparisonDirection.EQ, ComparisonDirection.NE)
_LEFT_SHIFT = 8
"""The number of bits by which LiteRT shifts operands to the left before it multiplies them by their scales."""


@tflite_op(*_DIRECTIONS)
def compare(ctx: OpContext) -> SSAValue:
    """Compare two values; quantized integers become fixed-point numbers, 16-bit ones only for equality."""
    direction = _DIRECTIONS[ctx.op.op_type]
    lhs, rhs = ctx.broadcast_together(ctx.value(0), ctx.value(1))
    _check_compared(ctx, lhs, rhs, direction)
    element, shift = quantized(lhs), _LEFT_SHIFT
    if element is not None and element.storage.width == 16 and direction not in _EQUALITY:
        shift = 0
    elif element is not None:
        _check_scales(element, quantized(rhs))
    return ctx.emit(stablehlo.CompareOp(lhs, rhs, direction), litert(left_shift=shift))


def _check_compared(ctx: OpContext, lhs: SSAValue, rhs: SSAValue, direction: ComparisonDirection) -> None:
    """Raise ConversionError for elements of two types, for a result that is no truth value, and for ordered ones."""
    left, right = element_type(lhs), element_type(rhs)
    stored = [element.storage if isinstance(element, UniformQuantizedType) else element for element in (left, right)]
    if stored[0] != stored[1] or ctx.result_type() != i1:
        raise ConversionError(
            f"{left} and {right} are compared to {ctx.result_type()}",
            hint="LiteRT compares two tensors of one type to truth values",
        )
    if left == i1 and direction not in _EQUALITY:
        raise ConversionError(
            "booleans are compared by order", hint="LiteRT compares booleans with EQUAL and NOT_EQUAL only"
        )


def _check_scales(*elements: UniformQuantizedType | None) -> None:
    """Raise ConversionError for scales of 1 and more, whose multipliers LiteRT cannot hold."""
    for element in elements:
        if element is not None and element.scale >= 1:
            raise ConversionError(
                f"a value with a scale of 1 or more is compared, found {described(element)}",
                hint="LiteRT compares quantized values with scales below 1 only",
            )


@tflite_op("SELECT_V2")
def select(ctx: OpContext) -> SSAValue:
    """Choose between two values element by element; all operands broadcast."""
    return _chosen(ctx, *ctx.broadcast_together(*map(ctx.value, range(3))))


@tflite_op("SELECT")
def select_whole(ctx: OpContext) -> SSAValue:
    """Choose between two values of one shape; a condition of one dimension chooses slices of the first dimension."""
    condition, on_true, on_false = map(ctx.value, range(3))
    given, sizes = shape(condition), shape(on_true)
    if shape(on_false) != sizes or given not in ((), sizes[:1], sizes):
        listed = [list(shape(value)) for value in (condition, on_true, on_false)]
        raise ConversionError(f"condition and values have the shapes {listed}", hint="Use SELECT_V2, which broadcasts")
    if given == sizes[:1]:
        condition = ctx.reshape(condition, (*given, *(1 for _ in sizes[1:])))
    return _chosen(ctx, ctx.broadcast(condition, sizes), on_true, on_false)


def _chosen(ctx: OpContext, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
    """Emit the choice; LiteRT moves integers as they are, so that all values need one type."""
    kinds = [element_type(value) for value in (on_true, on_false)]
    if element_type(condition) != i1 or not kinds[0] == kinds[1] == ctx.result_type():
        listed = ", ".join(map(str, (element_type(condition), *kinds, ctx.result_type())))
        raise ConversionError(
            f"condition, values and result have the types {listed}", hint="LiteRT needs one type for all values"
        )
    return ctx.emit(stablehlo.SelectOp(condition, on_true, on_false))


_LOGIC: dict[str, type[stablehlo.BinaryOp]] = {"LOGICAL_AND": stablehlo.AndOp, "LOGICAL_OR": stablehlo.OrOp}


@tflite_op(*_LOGIC)
def logic(ctx: OpContext) -> SSAValue:
    """Combine truth values."""
    lhs, rhs = ctx.broadcast_together(ctx.value(0), ctx.value(1))
    _check_truth(lhs, rhs)
    return ctx.emit(_LOGIC[ctx.op.op_type](lhs, rhs))


@tflite_op("LOGICAL_NOT")
def logical_not(ctx: OpContext) -> SSAValue:
    """Invert truth values."""
    _check_truth(ctx.value())
    return ctx.emit(stablehlo.NotOp(ctx.value()))


def _check_truth(*values: SSAValue) -> None:
    for value in values:
        if element_type(value) != i1:
            raise ConversionError(f"truth values are needed, found {element_type(value)}")
