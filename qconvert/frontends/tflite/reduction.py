"""MEAN, SUM, REDUCE_MAX, REDUCE_MIN, ARG_MAX and ARG_MIN."""

from __future__ import annotations

from math import prod

import numpy as np
import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.dialects.stablehlo.base import integers
from qconvert.frontends.arg_extreme import better_pair
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.sums import sum_regions
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, f32, is_float, numpy_dtype, quantized, shape, tensor_type
from qconvert.support.errors import ConversionError


def _axes(ctx: OpContext) -> list[int]:
    """The reduced dimensions, each once, in order."""
    rank = len(shape(ctx.value()))
    return sorted({ctx.axis(found, rank) for found in ctx.integers(1, "the axes")})


def _reduced(ctx: OpContext, kind: type[stablehlo.BinaryOp], start: float, axes: list[int]) -> SSAValue:
    element = element_type(ctx.value())
    initial = ctx.build.constant(np.asarray(start).astype(numpy_dtype(element)), element)
    return ctx.emit(stablehlo.ReduceOp(ctx.value(), initial, axes, [stablehlo.binary_body(kind, element)]))


def _placed(ctx: OpContext, value: SSAValue, axes: list[int]) -> SSAValue:
    """A reduction's result, with dimensions of size 1 where the file keeps those."""
    if not ctx.options(tflite.ReducerOptions).KeepDims():
        return value
    return ctx.reshape(value, [1 if i in axes else size for i, size in enumerate(shape(ctx.value()))])


@tflite_op("MEAN", "SUM")
def total(ctx: OpContext) -> SSAValue:
    """The sum along some dimensions, of a mean divided by the number of elements."""
    axes, value = _axes(ctx), ctx.value()
    element, is_mean = element_type(value), ctx.op.op_type == "MEAN"
    count = prod(shape(value)[i] for i in axes)
    if isinstance(element, UniformQuantizedType):
        return _placed(ctx, _quantized_total(ctx, element, axes, count if is_mean else None), axes)
    if is_mean and not (is_float(element) and count):
        raise ConversionError(f"a mean of {count} elements of {element} is not read")
    made = _reduced(ctx, stablehlo.AddOp, 0, axes)
    if is_mean:
        made = ctx.emit(stablehlo.DivideOp(made, ctx.build.filled_like(count, made)))
    return _placed(ctx, made, axes)


def _quantized_total(ctx: OpContext, element: UniformQuantizedType, axes: list[int], count: int | None) -> SSAValue:
    """One reduction with its conversions: to i32, and from there at the scale, divided by ``count``, to the result's.

    A sum of signed integers is that of LiteRT's default kernel: the reference one reads them as unsigned ones.
    """
    result = ctx.result_type()
    if not isinstance(result, UniformQuantizedType) or count == 0:
        raise ConversionError(f"a reduction of {element} to {result} is not read")
    parts = sum_regions(element, result, count)
    start = ctx.build.constant(np.asarray(element.zero_point, numpy_dtype(element)), element)
    return ctx.emit(stablehlo.ReduceOp(ctx.value(), start, axes, parts), litert())


_EXTREMES: dict[str, type[stablehlo.BinaryOp]] = {
    "REDUCE_MAX": stablehlo.MaximumOp,
    "REDUCE_MIN": stablehlo.MinimumOp,
}


@tflite_op(*_EXTREMES)
def extreme(ctx: OpContext) -> SSAValue:
    """The largest or smallest element; integers are compared as they are."""
    axes, element, kind = _axes(ctx), element_type(ctx.value()), _EXTREMES[ctx.op.op_type]
    if ctx.result_type() != element:
        raise ConversionError(
            f"an extreme of {element} as {ctx.result_type()}", hint="TFLite's extremes keep their type"
        )
    return _placed(ctx, _reduced(ctx, kind, _worst(element, largest=kind is stablehlo.MaximumOp), axes), axes)


def _worst(element: Attribute, *, largest: bool) -> float:
    """What every value of the type is at least, or at most."""
    if is_float(element):
        return -np.inf if largest else np.inf
    if isinstance(element, UniformQuantizedType):
        return element.storage.minimum if largest else element.storage.maximum
    limits = np.iinfo(numpy_dtype(element).name)
    return int(limits.min if largest else limits.max)


_BETTER = {"ARG_MAX": ComparisonDirection.GT, "ARG_MIN": ComparisonDirection.LT}


@tflite_op(*_BETTER)
def arg_extreme(ctx: OpContext) -> SSAValue:
    """The index of the first largest or smallest element: a reduction of pairs of value and index."""
    value, better, index = ctx.value(), _BETTER[ctx.op.op_type], ctx.result_type()
    sizes = shape(value)
    axis = ctx.given_axis(1, len(sizes))
    if not sizes or not sizes[axis]:
        raise ConversionError(f"an extreme along axis {axis} of {list(sizes)} does not exist")
    if quantized(value) is not None:
        value = ctx.emit(stablehlo.UniformDequantizeOp(value, f32))
    element, kept = element_type(value), [size for i, size in enumerate(sizes) if i != axis]
    count = np.arange(sizes[axis], dtype=numpy_dtype(index)).reshape(
        [-1 if i == axis else 1 for i in range(len(sizes))]
    )
    counted = ctx.build.broadcast(ctx.build.constant(count, index), sizes)
    worst = ctx.build.filled(_worst(element, largest=better is ComparisonDirection.GT), element)
    op = stablehlo.ReduceOp.create(
        operands=[value, counted, worst, ctx.build.filled(0, index)],
        properties={"dimensions": integers([axis])},
        result_types=[tensor_type(element, kept), tensor_type(index, kept)],
        regions=[better_pair(element, index, better, ComparisonDirection.LT)],
    )
    ctx.build.add(op)
    return op.results[1]
