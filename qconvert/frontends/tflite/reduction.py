"""MEAN, SUM, REDUCE_MAX, REDUCE_MIN, ARG_MAX and ARG_MIN."""

from __future__ import annotations

from math import prod

import numpy as np
import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.frontends import reduction
from qconvert.frontends.context import with_size
from qconvert.frontends.reduction import reduced, with_kept
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.reach import check_total
from qconvert.frontends.tflite.sums import sum_regions
from qconvert.ir import UniformQuantizedType, element_type, f32, is_float, numpy_dtype, quantized, shape
from qconvert.support.errors import ConversionError


def _axes(ctx: OpContext) -> list[int]:
    """Return the reduced dimensions, each once, in order."""
    rank = len(shape(ctx.value()))
    return sorted({ctx.axis(found, rank) for found in ctx.integers(1, "the axes")})


def _placed(ctx: OpContext, value: SSAValue, axes: list[int]) -> SSAValue:
    """Return a reduction's result; with the option ``keep_dims`` it keeps dimensions of size 1."""
    return with_kept(ctx, value, ctx.value(), axes, keep=ctx.options(tflite.ReducerOptions).KeepDims())


@tflite_op("MEAN", "SUM")
def total(ctx: OpContext) -> SSAValue:
    """Return the sum along some dimensions; for MEAN it is divided by the number of elements."""
    axes, value = _axes(ctx), ctx.value()
    element, is_mean = element_type(value), ctx.op.op_type == "MEAN"
    count = prod(shape(value)[i] for i in axes)
    if isinstance(element, UniformQuantizedType):
        return _placed(ctx, _quantized_total(ctx, element, axes, count if is_mean else None), axes)
    if is_mean and not (is_float(element) and count):
        raise ConversionError(f"a mean of {count} elements of {element} is not supported")
    result = reduced(ctx, stablehlo.AddOp, value, axes)
    if is_mean:
        result = ctx.emit(stablehlo.DivideOp(result, ctx.build.filled_like(count, result)))
    return _placed(ctx, result, axes)


def _quantized_total(ctx: OpContext, element: UniformQuantizedType, axes: list[int], count: int | None) -> SSAValue:
    """Emit one reduction with its conversions: to i32, then from the scale divided by ``count`` to the result's scale.

    Signed integers are summed as the reference kernel sums unsigned ones; it reads signed ones as unsigned.
    """
    result = ctx.result_type()
    if not isinstance(result, UniformQuantizedType) or count == 0:
        raise ConversionError(f"a reduction of {element} to {result} is not supported")
    added = prod(shape(ctx.value())[i] for i in axes)
    check_total(added, element, element.scale / (count or 1) / result.scale)
    parts = sum_regions(element, result, count)
    start = ctx.build.filled(element.zero_point, element)
    return ctx.emit(stablehlo.ReduceOp(ctx.value(), start, axes, parts), litert())


_EXTREMES: dict[str, type[stablehlo.BinaryOp]] = {
    "REDUCE_MAX": stablehlo.MaximumOp,
    "REDUCE_MIN": stablehlo.MinimumOp,
}


@tflite_op(*_EXTREMES)
def extreme(ctx: OpContext) -> SSAValue:
    """Return the largest or smallest element; integers are compared as they are."""
    axes, element = _axes(ctx), element_type(ctx.value())
    if ctx.result_type() != element:
        raise ConversionError(
            f"an extreme of {element} as {ctx.result_type()}", hint="TFLite's extremes keep their type"
        )
    return _placed(ctx, reduced(ctx, _EXTREMES[ctx.op.op_type], ctx.value(), axes), axes)


_BETTER = {"ARG_MAX": ComparisonDirection.GT, "ARG_MIN": ComparisonDirection.LT}


@tflite_op(*_BETTER)
def arg_extreme(ctx: OpContext) -> SSAValue:
    """Return the index of the first largest or smallest element."""
    value, index = ctx.value(), ctx.result_type()
    sizes = shape(value)
    axis = ctx.given_axis(1, len(sizes))
    if not sizes or not sizes[axis]:
        raise ConversionError(f"an extreme along axis {axis} of {list(sizes)} does not exist")
    if quantized(value) is not None:
        value = ctx.emit(stablehlo.UniformDequantizeOp(value, f32))
    count = np.arange(sizes[axis], dtype=numpy_dtype(index)).reshape(with_size([1] * len(sizes), axis, -1))
    counted = ctx.build.broadcast(ctx.build.constant(count, index), sizes)
    return reduction.arg_extreme(ctx.build, value, counted, axis, _BETTER[ctx.op.op_type])
