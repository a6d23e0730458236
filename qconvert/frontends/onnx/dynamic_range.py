"""DynamicQuantizeLinear and the integer contractions that take its result.

Source: ONNX DynamicQuantizeLinear-11, MatMulInteger-10, ConvInteger-10; onnxruntime's DynamicQuantizeMatMul-1 and
MatMulIntegerToFloat-1. Weights are laid out as for MatMul and Conv.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.composite import DynamicRangeConvolutionOp, DynamicRangeDotGeneralOp, DynamicRangeQuantizeOp
from qconvert.dialects.stablehlo import DotDimensionNumbers
from qconvert.frontends.onnx.context import NodeContext, fits, onnx_op
from qconvert.frontends.onnx.contraction import (
    channels_first_numbers,
    conv_window,
    feature_first,
    kernel_features_last,
    matrix_product,
)
from qconvert.frontends.onnx.quantization import MICROSOFT
from qconvert.ir import element_type, f32, shape, tensor
from qconvert.support.errors import ConversionError


@onnx_op("DynamicQuantizeLinear", since=11)
def dynamic_quantize_linear(ctx: NodeContext) -> Sequence[SSAValue]:
    """Quantize a float32 tensor to uint8 over its own range; return it with its scale and zero point."""
    return _quantized(ctx)


def _quantized(ctx: NodeContext) -> Sequence[SSAValue]:
    value = ctx.input(0)
    if element_type(value) != f32:
        raise ConversionError(f"a float32 tensor is needed, found {tensor(value)}")
    op = DynamicRangeQuantizeOp(value)
    ctx.build.add(op)
    return op.results


@onnx_op("MatMulInteger", since=10)
def matmul_integer(ctx: NodeContext) -> SSAValue:
    """Multiply matrices of 8-bit integers less their zero points.

    A zero point is a scalar, or has one element for each row of A or each column of B.
    """
    lhs, rhs = _integers(ctx, 0), _integers(ctx, 1)
    return _product(ctx, lhs, rhs, (_zero_point(ctx, 2, lhs), _zero_point(ctx, 3, rhs)))


@onnx_op("MatMulIntegerToFloat", domain=MICROSOFT)
def matmul_integer_to_float(ctx: NodeContext) -> SSAValue:
    """Multiply matrices of 8-bit integers less their zero points, then by both scales, and add a bias."""
    lhs, rhs = _integers(ctx, 0), _integers(ctx, 1)
    sums = _product(ctx, lhs, rhs, (_zero_point(ctx, 4, lhs), _zero_point(ctx, 5, rhs)))
    return _biased(ctx, scaled(ctx, sums, _scale(ctx, 2), _scale(ctx, 3)), 6)


@onnx_op("DynamicQuantizeMatMul", domain=MICROSOFT)
def dynamic_quantize_matmul(ctx: NodeContext) -> SSAValue:
    """Multiply floats, quantized over their own range, by integer weights; then multiply by both scales, add a bias."""
    lhs, scale, point = _quantized(ctx)
    rhs = _integers(ctx, 1)
    sums = _product(ctx, lhs, rhs, (point, _zero_point(ctx, 3, rhs)))
    return _biased(ctx, scaled(ctx, sums, scale, _scale(ctx, 2)), 4)


def scaled(ctx: NodeContext, sums: SSAValue, scale: SSAValue, scales: SSAValue) -> SSAValue:
    """Return integer sums as floats times a scale of the activations and one scale, or one a column, of the weights."""
    real = ctx.emit(stablehlo.ConvertOp(sums, f32))
    factor = ctx.emit(stablehlo.MultiplyOp(ctx.broadcast(scale, shape(scales)), scales))
    return ctx.emit(stablehlo.MultiplyOp(real, ctx.broadcast(factor, shape(real))))


def _scale(ctx: NodeContext, index: int) -> SSAValue:
    """Return the scale at an input: a scalar if it has one element."""
    value = ctx.input(index)
    return ctx.reshape(value, ()) if tensor(value).element_count() == 1 else value


def _biased(ctx: NodeContext, value: SSAValue, index: int) -> SSAValue:
    """Return the sum with the bias of each column at an input, if there is one."""
    return ctx.emit(stablehlo.AddOp(value, ctx.broadcast(ctx.input(index), shape(value)))) if ctx.has(index) else value


def _product(ctx: NodeContext, lhs: SSAValue, rhs: SSAValue, zero_points: tuple[SSAValue, SSAValue]) -> SSAValue:
    """Return the matrix product of integers less their zero points in i32."""
    rows, columns = zero_points
    if len(shape(rows)) == 1:
        rows = ctx.reshape(rows, (*shape(rows), 1))

    def product(lhs: SSAValue, rhs: SSAValue, numbers: DotDimensionNumbers) -> Operation:
        _check_zero_points((rows, lhs), (columns, rhs))
        return DynamicRangeDotGeneralOp(lhs, rhs, (rows, columns), numbers)

    return matrix_product(ctx, lhs, rhs, product)


@onnx_op("ConvInteger", since=10)
def conv_integer(ctx: NodeContext) -> SSAValue:
    """Convolve 8-bit integers less their zero points.

    A zero point is a scalar; that of W may have one element for each output feature.
    """
    data, weight = _integers(ctx, 0), _integers(ctx, 1)
    window = conv_window(ctx, data, weight)
    kernel = kernel_features_last(ctx, weight)
    zero_points = _zero_point(ctx, 2, data), _zero_point(ctx, 3, weight)
    if shape(zero_points[0]):
        raise ConversionError(f"x_zero_point has {shape(zero_points[0])[0]} elements, one is needed")
    _check_zero_points((zero_points[1], kernel))
    numbers = channels_first_numbers(len(shape(data)) - 2)
    groups = ctx.integer("group", 1)
    op = DynamicRangeConvolutionOp(data, kernel, zero_points, numbers, window, feature_group_count=groups)
    return feature_first(ctx, ctx.emit(op))


def _integers(ctx: NodeContext, index: int) -> SSAValue:
    """Return an input; raises ConversionError if it is not a tensor of 8-bit integers."""
    value = ctx.input(index)
    element = element_type(value)
    if not isinstance(element, IntegerType) or element.width.data != 8:
        raise ConversionError(f"8-bit integers are needed, found {tensor(value)}")
    return value


def _zero_point(ctx: NodeContext, index: int, value: SSAValue) -> SSAValue:
    """Return the zero point of an input: 0 if it is absent, a scalar if it has one element."""
    if not ctx.has(index):
        return ctx.build.filled(0, element_type(value))
    zero_point = ctx.input(index)
    if element_type(zero_point) != element_type(value):
        raise ConversionError(f"a zero point of {tensor(zero_point)} for {tensor(value)}")
    return ctx.reshape(zero_point, ()) if tensor(zero_point).element_count() == 1 else zero_point


def _check_zero_points(*pairs: tuple[SSAValue, SSAValue]) -> None:
    for zero_point, value in pairs:
        if not fits(zero_point, value):
            sizes = list(shape(zero_point)), list(shape(value))
            raise ConversionError(f"zero points of shape {sizes[0]} do not fit integers of shape {sizes[1]}")
