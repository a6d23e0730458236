"""Operators that compare and choose.

Source: ONNX Equal, Greater, Less-7 to -19, GreaterOrEqual, LessOrEqual-12 and -16, Where-9 and -16, ArgMax and
ArgMin-1 to -13.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.frontends.context import with_size
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.indexing import movable, named_axis
from qconvert.frontends.reduction import arg_extreme
from qconvert.ir import element_type, i1, i64, shape
from qconvert.support.errors import ConversionError

_DIRECTIONS = {
    "Equal": ComparisonDirection.EQ,
    "Greater": ComparisonDirection.GT,
    "GreaterOrEqual": ComparisonDirection.GE,
    "Less": ComparisonDirection.LT,
    "LessOrEqual": ComparisonDirection.LE,
}


@onnx_op("GreaterOrEqual", "LessOrEqual", since=12)
@onnx_op("Equal", "Greater", "Less", since=7)
def compare(ctx: NodeContext) -> SSAValue:
    """Compare two inputs element by element."""
    lhs, rhs = ctx.broadcast_together(ctx.input(0), ctx.input(1))
    if element_type(lhs) != element_type(rhs):
        raise ConversionError(f"inputs of types {element_type(lhs)} and {element_type(rhs)}")
    return ctx.emit(stablehlo.CompareOp(lhs, rhs, _DIRECTIONS[ctx.op_type]))


@onnx_op("Where", since=9)
def where(ctx: NodeContext) -> SSAValue:
    """Choose between two values, element by element; values of different quantized types become integers."""
    condition, on_true, on_false = ctx.input(0), movable(ctx, 1), movable(ctx, 2)
    if element_type(on_true) != element_type(on_false):
        on_true, on_false = ctx.input(1), ctx.input(2)
    if element_type(condition) != i1 or element_type(on_true) != element_type(on_false):
        types = [str(element_type(value)) for value in (condition, on_true, on_false)]
        raise ConversionError(f"a condition and two values of one type are needed, found {', '.join(types)}")
    return ctx.emit(stablehlo.SelectOp(*ctx.broadcast_together(condition, on_true, on_false)))


@onnx_op("ArgMax", "ArgMin")
def arg_max_or_min(ctx: NodeContext) -> SSAValue:
    """Return the index of the largest or smallest element along an axis, with ``select_last_index`` the last such."""
    better = ComparisonDirection.GT if ctx.op_type == "ArgMax" else ComparisonDirection.LT
    value = ctx.input(0)
    sizes = list(shape(value))
    axis = named_axis(ctx, value, 0)
    if not sizes[axis] or element_type(value) == i1:
        raise ConversionError(f"an extreme along axis {axis} of {sizes} of {element_type(value)} does not exist")
    earlier = ComparisonDirection.GT if ctx.integer("select_last_index", 0) else ComparisonDirection.LT
    indices = ctx.emit(stablehlo.IotaOp(TensorType(i64, sizes), axis))
    positions = arg_extreme(ctx.build, value, indices, axis, better, earlier)
    return ctx.reshape(positions, with_size(sizes, axis, 1)) if ctx.integer("keepdims", 1) else positions
