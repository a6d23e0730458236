"""Conv, Gemm and MatMul. Weights are transposed to HWIO and K x N here; a convolution's result is feature-last.

Source: ONNX Conv-1 to -22, Gemm-7 to -13, MatMul-1 to -13.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ConvDimensionNumbers, ConvolutionWindow, DotDimensionNumbers
from qconvert.frontends.context import common_shape
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.padding import convolved_kernel, explicit_padding, kernel_beyond, spatial_list
from qconvert.ir import element_type, shape
from qconvert.support.errors import ConversionError

Product: TypeAlias = Callable[[SSAValue, SSAValue, DotDimensionNumbers], Operation]


def channels_first_numbers(spatial: int) -> ConvDimensionNumbers:
    """Return the dimension numbers ``[b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]``: ONNX's input, a feature-last result."""
    inner = tuple(range(spatial))
    after_two, after_one = tuple(i + 2 for i in inner), tuple(i + 1 for i in inner)
    return ConvDimensionNumbers(0, 1, after_two, spatial, spatial + 1, inner, 0, spatial + 1, after_one)


def feature_first(ctx: NodeContext, value: SSAValue) -> SSAValue:
    """Transpose ``[b, 0, 1, f]`` to ``[b, f, 0, 1]``."""
    rank = len(shape(value))
    return ctx.transpose(value, (0, rank - 1, *range(1, rank - 1)))


def add_bias(ctx: NodeContext, value: SSAValue, index: int) -> SSAValue:
    """Add the optional input ``index``, one value for each element of the last dimension."""
    if not ctx.has(index):
        return value
    bias = ctx.input(index)
    if shape(bias) != shape(value)[-1:]:
        raise ConversionError(f"the bias has shape {list(shape(bias))}, {list(shape(value)[-1:])} is needed")
    return ctx.emit(stablehlo.AddOp(value, ctx.broadcast(bias, shape(value))))


def conv_window(ctx: NodeContext, data: SSAValue, weight: SSAValue) -> ConvolutionWindow:
    """Return the window from a convolution's attributes; raises ConversionError if they do not fit the shapes."""
    kernel = convolved_kernel(ctx, shape(data), shape(weight))
    spatial = len(kernel)
    strides, dilations = spatial_list(ctx, "strides", spatial), spatial_list(ctx, "dilations", spatial)
    padding = explicit_padding(ctx, shape(data)[2:], kernel, strides, dilations)
    for size, extent, dilation, pads in zip(shape(data)[2:], kernel, dilations, padding, strict=True):
        if (extent - 1) * dilation >= size + sum(pads):
            raise kernel_beyond(kernel, shape(data)[2:])
    return ConvolutionWindow.of(spatial, strides=strides, padding=padding, rhs_dilation=dilations)


def kernel_features_last(ctx: NodeContext, weight: SSAValue) -> SSAValue:
    """Transpose ``[o, i, 0, 1]`` to ``[0, 1, i, o]``, a view of constant weights (:func:`qconvert.ir.transposed`)."""
    return ctx.transpose(weight, (*range(2, len(shape(weight))), 1, 0))


@onnx_op("Conv")
def conv(ctx: NodeContext) -> SSAValue:
    """Convolve over 1, 2 or 3 spatial dimensions, with groups, dilations and auto_pad."""
    data, weight = ctx.require_float(ctx.input(0)), ctx.require_float(ctx.input(1))
    window = conv_window(ctx, data, weight)
    numbers = channels_first_numbers(len(shape(data)) - 2)
    kernel, groups = kernel_features_last(ctx, weight), ctx.integer("group", 1)
    result = ctx.emit(stablehlo.ConvolutionOp(data, kernel, numbers, window, feature_group_count=groups))
    return feature_first(ctx, add_bias(ctx, result, 2))


@onnx_op("Gemm", since=7)
def gemm(ctx: NodeContext) -> SSAValue:
    """Return ``alpha * A @ B + beta * C``."""
    lhs, rhs = ctx.require_float(ctx.input(0)), ctx.require_float(ctx.input(1))
    lhs = ctx.transpose(lhs, (1, 0)) if ctx.integer("transA", 0) else lhs
    rhs = ctx.transpose(rhs, (1, 0)) if ctx.integer("transB", 0) else rhs
    alpha, beta = ctx.number("alpha", 1.0), ctx.number("beta", 1.0)
    if len(shape(lhs)) != 2 or len(shape(rhs)) != 2:
        raise ConversionError(f"Gemm needs matrices, found {list(shape(lhs))} and {list(shape(rhs))}")
    result = ctx.emit(stablehlo.DotGeneralOp(lhs, rhs, DotDimensionNumbers((), (), (1,), (0,))))
    result = _scaled(ctx, result, alpha)
    if not ctx.has(2):
        return result
    bias = ctx.broadcast(_scaled(ctx, ctx.input(2), beta), shape(result))
    return ctx.emit(stablehlo.AddOp(result, bias))


def _scaled(ctx: NodeContext, value: SSAValue, factor: float) -> SSAValue:
    return value if factor == 1.0 else ctx.emit(stablehlo.MultiplyOp(value, ctx.scalar_like(factor, value)))


@onnx_op("MatMul")
def matmul(ctx: NodeContext) -> SSAValue:
    """Return the matrix product of floats, or of integers of 32 and 64 bits."""
    lhs, rhs = (value if _is_wide(value) else ctx.require_float(value) for value in (ctx.input(0), ctx.input(1)))
    return matrix_product(ctx, lhs, rhs, stablehlo.DotGeneralOp)


def _is_wide(value: SSAValue) -> bool:
    element = element_type(value)
    return isinstance(element, IntegerType) and element.width.data in (32, 64)


def matrix_product(ctx: NodeContext, lhs: SSAValue, rhs: SSAValue, product: Product) -> SSAValue:
    """Return the matrix product as numpy defines it: batches broadcast, and vectors are matrices for the product."""
    left, right = shape(lhs), shape(rhs)
    if not left or not right:
        raise ConversionError(f"{ctx.op_type} needs at least one dimension on both sides")
    lhs = ctx.reshape(lhs, (1, *left)) if len(left) == 1 else lhs
    rhs = ctx.reshape(rhs, (*right, 1)) if len(right) == 1 else rhs
    result = ctx.emit(_batched(ctx, lhs, rhs, product))
    sizes = list(shape(result))
    if len(right) == 1:
        sizes.pop(-1)
    if len(left) == 1:
        sizes.pop(-1 if len(right) == 1 else -2)
    return ctx.reshape(result, sizes)


def _batched(ctx: NodeContext, lhs: SSAValue, rhs: SSAValue, product: Product) -> Operation:
    """Build the product over broadcast batch dimensions; a rhs without batch is not broadcast."""
    if len(shape(rhs)) == 2:
        rank = len(shape(lhs))
        return product(lhs, rhs, DotDimensionNumbers((), (), (rank - 1,), (0,)))
    batch = common_shape("batch dimensions", shape(lhs)[:-2], shape(rhs)[:-2])
    lhs = ctx.broadcast(lhs, (*batch, *shape(lhs)[-2:]))
    rhs = ctx.broadcast(rhs, (*batch, *shape(rhs)[-2:]))
    rank, batches = len(batch) + 2, tuple(range(len(batch)))
    return product(lhs, rhs, DotDimensionNumbers(batches, batches, (rank - 1,), (rank - 2,)))
