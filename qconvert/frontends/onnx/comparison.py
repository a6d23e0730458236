"""Operators that compare and choose.

Source: ONNX Equal, Greater, Less-7 to -19, GreaterOrEqual, LessOrEqual-12 and -16, Where-9 and -16, ArgMax and
ArgMin-1 to -13.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.dialects.stablehlo.base import integers
from qconvert.frontends.arg_extreme import better_pair
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.indexing import movable, named_axis, with_size
from qconvert.ir.types import element_type, i1, i64, is_float, numpy_dtype, shape
from qconvert.support.errors import ConversionError

_COMPARISONS: dict[tuple[str, int], ComparisonDirection] = {
    ("Equal", 7): ComparisonDirection.EQ,
    ("Greater", 7): ComparisonDirection.GT,
    ("GreaterOrEqual", 12): ComparisonDirection.GE,
    ("Less", 7): ComparisonDirection.LT,
    ("LessOrEqual", 12): ComparisonDirection.LE,
}


def _comparison(direction: ComparisonDirection) -> Callable[[NodeContext], SSAValue]:
    def run(ctx: NodeContext) -> SSAValue:
        lhs, rhs = ctx.broadcast_together(ctx.input(0), ctx.input(1))
        if element_type(lhs) != element_type(rhs):
            raise ConversionError(f"inputs of types {element_type(lhs)} and {element_type(rhs)}")
        return ctx.emit(stablehlo.CompareOp(lhs, rhs, direction))

    return run


for (_name, _since), _direction in _COMPARISONS.items():
    onnx_op(_name, since=_since)(_comparison(_direction))


@onnx_op("Where", since=9)
def where(ctx: NodeContext) -> SSAValue:
    """One of two values, element by element; as integers where their quantized types differ."""
    condition, on_true, on_false = ctx.input(0), movable(ctx, 1), movable(ctx, 2)
    if element_type(on_true) != element_type(on_false):
        on_true, on_false = ctx.input(1), ctx.input(2)
    if element_type(condition) != i1 or element_type(on_true) != element_type(on_false):
        types = [str(element_type(value)) for value in (condition, on_true, on_false)]
        raise ConversionError(f"a condition and two values of one type are needed, found {', '.join(types)}")
    return ctx.emit(stablehlo.SelectOp(*ctx.broadcast_together(condition, on_true, on_false)))


@onnx_op("ArgMax")
def arg_max(ctx: NodeContext) -> SSAValue:
    """The index of the largest element along an axis."""
    return _arg_extreme(ctx, ComparisonDirection.GT)


@onnx_op("ArgMin")
def arg_min(ctx: NodeContext) -> SSAValue:
    """The index of the smallest element along an axis."""
    return _arg_extreme(ctx, ComparisonDirection.LT)


def _arg_extreme(ctx: NodeContext, better: ComparisonDirection) -> SSAValue:
    """A reduction of pairs of value and index; of equal values the first wins, or the last with select_last_index."""
    value = ctx.input(0)
    sizes = list(shape(value))
    axis = named_axis(ctx, value, 0)
    if not sizes[axis] or element_type(value) == i1:
        raise ConversionError(f"an extreme along axis {axis} of {sizes} of {element_type(value)} does not exist")
    earlier = ComparisonDirection.GT if ctx.integer("select_last_index", 0) else ComparisonDirection.LT
    element = element_type(value)
    indices = ctx.emit(stablehlo.IotaOp(TensorType(i64, sizes), axis))
    worst = ctx.build.filled(_worst(element, better), element)
    kept = sizes[:axis] + sizes[axis + 1 :]
    op = stablehlo.ReduceOp.create(
        operands=[value, indices, worst, ctx.build.filled(0, i64)],
        properties={"dimensions": integers([axis])},
        result_types=[TensorType(element, kept), TensorType(i64, kept)],
        regions=[better_pair(element, i64, better, earlier)],
    )
    ctx.build.add(op)
    found = op.results[1]
    return ctx.reshape(found, with_size(sizes, axis, 1)) if ctx.integer("keepdims", 1) else found


def _worst(element: Attribute, better: ComparisonDirection) -> float | int:
    """The value that every other one is at least as good as."""
    if is_float(element):
        return -np.inf if better is ComparisonDirection.GT else np.inf
    limits = np.iinfo(numpy_dtype(element).name)
    return int(limits.min if better is ComparisonDirection.GT else limits.max)
