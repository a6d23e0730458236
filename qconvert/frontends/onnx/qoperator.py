"""QOperator: operators that take and return integers with their scales.

``QLinearConv`` becomes dequantize, Conv and quantize under one name; fusion then makes one quantized op of them.

Source: ONNX QLinearConv-10, QLinearMatMul-10 and -21; onnxruntime's contrib operators (domain ``com.microsoft``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.composite import LeakyReluOp
from qconvert.frontends.onnx.comparison import where
from qconvert.frontends.onnx.context import Importer, NodeContext, Results, onnx_op
from qconvert.frontends.onnx.contraction import conv, gemm, matmul
from qconvert.frontends.onnx.movement import concat
from qconvert.frontends.onnx.normalization import flat_softmax, softmax
from qconvert.frontends.onnx.quantization import MICROSOFT, as_quantized, quantized_as, quantized_type, storage_of
from qconvert.frontends.onnx.reduction import reduced_mean
from qconvert.frontends.onnx.window import averaged, global_average_pool
from qconvert.ir import (
    ACCUMULATOR,
    TENSOR,
    UniformQuantizedType,
    element_type,
    quantized,
    shape,
    storage_element,
)
from qconvert.support.errors import ConversionError


def _port(ctx: NodeContext, scale: int, value: SSAValue, axis: int = 0) -> UniformQuantizedType:
    """Return the quantized type given by the scale at input ``scale`` and the zero point at the next input.

    Several scales belong to dimension ``axis``. The zero point may be absent, and one may serve several scales.
    """
    ctx.constant_value(scale, "the scale")  # or an error that names the input by its place in this operator
    zero_point = ctx.carried(scale + 1) if ctx.has(scale + 1) else None
    if zero_point is not None and (one := ctx.constant_value(scale + 1, "the zero point")).size == 1:
        zero_point = ctx.constant(np.broadcast_to(one.reshape(()), shape(ctx.carried(scale))), element_type(zero_point))
    of_port = replace(ctx, inputs=[value, ctx.carried(scale), zero_point])
    storage = storage_of(element_type(value if zero_point is None else zero_point))
    return quantized_type(of_port, value, storage, axis=axis, block_size=0)


def _real(ctx: NodeContext, index: int, axis: int = 0) -> SSAValue:
    """Dequantize the integers at an input with the scale and zero point at the next two inputs."""
    value = ctx.carried(index)
    type, found = _port(ctx, index + 1, value, axis), storage_element(element_type(value))
    if found != type.storage_type:
        raise ConversionError(f"integers of type {found} with a zero point of type {type.storage_type}")
    return ctx.build.add(stablehlo.UniformDequantizeOp(as_quantized(ctx, value, type), type.expressed_type))


def _stored(ctx: NodeContext, value: Results, scale: int) -> SSAValue:
    """Quantize a float result with the scale at input ``scale`` and the zero point at the next input."""
    assert isinstance(value, SSAValue)
    if not ctx.has(scale + 1):
        raise ConversionError("the result has no zero point", hint="Give one, whose type is the result's")
    return quantized_as(ctx, value, _port(ctx, scale, value))


def _bias(ctx: NodeContext, index: int, operands: Sequence[SSAValue]) -> SSAValue:
    """Dequantize the int32 bias of a contraction; its scale is the product of the operands' scales."""
    bias, (lhs, rhs) = ctx.carried(index), (_type_of(operand) for operand in operands)
    if not lhs.is_per_tensor:
        raise ConversionError(f"{len(lhs.scales)} scales of activations and a bias", hint="Give them one")
    if storage_of(element_type(bias)) != ACCUMULATOR:
        raise ConversionError(f"a bias of type {bias.type}", hint="The bias of a QOperator is int32")
    with np.errstate(over="ignore"):  # refused below
        scales = np.float32(lhs.scale) * rhs.scales.astype(np.float32)
    if not (np.isfinite(scales) & (scales > 0)).all():
        raise ConversionError(f"the scale {lhs.scale:g} times the weights' scales is not a float32 above 0")
    if not rhs.is_per_tensor and shape(bias)[-1:] != scales.shape:
        raise ConversionError(f"the bias has shape {list(shape(bias))}, there are {scales.size} scales of weights")
    type = UniformQuantizedType.accumulator(scales, None if rhs.is_per_tensor else len(shape(bias)) - 1)
    return ctx.build.add(stablehlo.UniformDequantizeOp(as_quantized(ctx, bias, type), type.expressed_type))


def _floats(ctx: NodeContext, operands: Sequence[SSAValue], bias: int) -> NodeContext:
    """Return the node with the inputs of the float operator: two operands and, if given, the bias at input ``bias``."""
    return replace(ctx, inputs=[*operands, *([_bias(ctx, bias, operands)] if ctx.has(bias) else [])])


def _type_of(real: SSAValue) -> UniformQuantizedType:
    """Return the quantized type that a value was dequantized from."""
    assert isinstance(real.owner, stablehlo.UniformDequantizeOp)
    type = quantized(real.owner.operand)
    assert type is not None
    return type


@onnx_op("QLinearConv", since=10)
def qlinear_conv(ctx: NodeContext) -> SSAValue:
    """Convolve integers; the weights may have a scale for each output feature."""
    return _stored(ctx, conv(_floats(ctx, [_real(ctx, 0), _real(ctx, 3)], 8)), 6)


@onnx_op("QLinearMatMul", since=10)
def qlinear_matmul(ctx: NodeContext) -> SSAValue:
    """Multiply matrices of integers; A may have a scale for each row, B for each column."""
    return _stored(ctx, matmul(replace(ctx, inputs=[_real(ctx, 0, -2), _real(ctx, 3, -1)])), 6)


@onnx_op("QGemm", domain=MICROSOFT)
def qgemm(ctx: NodeContext) -> Results:
    """Import Gemm of integers; B may have a scale for each column. Without a result scale the result is float."""
    operands = [_real(ctx, 0), _real(ctx, 3, 0 if ctx.integer("transB", 0) else 1)]
    if ctx.has(6) and ctx.number("alpha", 1.0) != 1.0:
        raise ConversionError(f"alpha is {ctx.number('alpha', 1.0)} with a bias", hint="Put alpha into a_scale")
    result = gemm(_floats(ctx, operands, 6))
    return _stored(ctx, result, 7) if ctx.has(7) else result


def _binary(make: type[stablehlo.BinaryOp]) -> Importer:
    """Return the importer of an op on two quantized tensors that broadcast together."""

    def run(ctx: NodeContext) -> SSAValue:
        lhs, rhs = ctx.broadcast_together(_real(ctx, 0), _real(ctx, 3))
        return _stored(ctx, ctx.emit(make(lhs, rhs)), 6)

    return run


def _unary(float_importer: Importer) -> Importer:
    """Return the importer of an op on one quantized tensor, given the float operator's importer."""
    return lambda ctx: _stored(ctx, float_importer(replace(ctx, inputs=[_real(ctx, 0)])), 3)


def _channels_first(float_importer: Importer) -> Importer:
    """Return an importer whose operand and result may have their channels last."""

    def run(ctx: NodeContext) -> Results:
        if not ctx.integer("channels_last", 0):
            return float_importer(ctx)
        (value,) = ctx.inputs
        assert value is not None
        last = len(shape(value)) - 1
        first = ctx.transpose(value, (0, last, *range(1, last)))
        result = float_importer(replace(ctx, inputs=[first]))
        assert isinstance(result, SSAValue)
        return ctx.transpose(result, (0, *range(2, last + 1), 1))

    return run


def _average_pool(ctx: NodeContext) -> SSAValue:
    """Import AveragePool; onnxruntime's kernel divides by the whole kernel's size if it counts the padding."""
    return averaged(ctx, counts_beyond=True)


def _leaky_relu(ctx: NodeContext) -> SSAValue:
    return ctx.emit(LeakyReluOp(ctx.input(0), alpha=ctx.number("alpha", 0.01)))


def _softmax(ctx: NodeContext) -> SSAValue:
    """Import Softmax in the version of the opset that the node's attribute names."""
    return softmax(ctx) if ctx.integer("opset", 1) >= 13 else flat_softmax(ctx)


def _quantized_softmax(ctx: NodeContext) -> SSAValue:
    """Quantize the probabilities as onnxruntime's kernel does: by the integer below 1 / scale, rounded half to even."""
    value = _softmax(replace(ctx, inputs=[_real(ctx, 0)]))
    assert isinstance(value, SSAValue)
    result = _stored(ctx, value, 3)
    type = quantized(result)
    assert type is not None
    levels = float(np.floor(np.float32(1) / np.float32(type.scale)))
    if levels < 1:
        raise ConversionError(f"the scale {type.scale:g} of probabilities is above 1", hint="Give one of 1 / 256")
    if levels * type.scale == 1:
        return result
    at_levels = UniformQuantizedType.per_tensor(type.storage, 1 / levels, type.zero_point, type.expressed_type)
    counted = quantized_as(ctx, value, at_levels).owner
    assert isinstance(counted, stablehlo.UniformQuantizeOp)
    read_back = stablehlo.BitcastConvertOp(counted.result, type)
    read_back.attributes[TENSOR] = counted.attributes.pop(TENSOR)
    return ctx.build.add(read_back)


def _mean(ctx: NodeContext) -> SSAValue:
    """Import ReduceMean; without ``axes`` it reduces all dimensions."""
    value, axes = ctx.input(0), ctx.integers("axes")
    rank = len(shape(value))
    reduced = list(range(rank)) if axes is None else ctx.axes(axes, rank)
    return reduced_mean(ctx, value, reduced, keep=bool(ctx.integer("keepdims", 1)))


def _sigmoid(ctx: NodeContext) -> SSAValue:
    return ctx.emit(stablehlo.LogisticOp(ctx.input(0)))


onnx_op("QLinearAdd", domain=MICROSOFT)(_binary(stablehlo.AddOp))
onnx_op("QLinearMul", domain=MICROSOFT)(_binary(stablehlo.MultiplyOp))
onnx_op("QLinearAveragePool", domain=MICROSOFT)(_unary(_channels_first(_average_pool)))
onnx_op("QLinearGlobalAveragePool", domain=MICROSOFT)(_unary(_channels_first(global_average_pool)))
onnx_op("QLinearLeakyRelu", domain=MICROSOFT)(_unary(_leaky_relu))
onnx_op("QLinearReduceMean", domain=MICROSOFT)(_unary(_mean))
onnx_op("QLinearSigmoid", domain=MICROSOFT)(_unary(_sigmoid))
onnx_op("QLinearSoftmax", domain=MICROSOFT)(_quantized_softmax)


@onnx_op("QLinearConcat", domain=MICROSOFT)
def qlinear_concat(ctx: NodeContext) -> SSAValue:
    """Concatenate quantized tensors, each with its own scale; the result's scale and zero point come first."""
    if len(ctx.inputs) < 5 or len(ctx.inputs) % 3 != 2:
        raise ConversionError(
            f"{len(ctx.inputs)} inputs, expected 2 and 3 for each tensor",
            hint="The result has two inputs, each tensor has three",
        )
    return _stored(ctx, concat(replace(ctx, inputs=[_real(ctx, i) for i in range(2, len(ctx.inputs), 3)])), 0)


@onnx_op("QLinearWhere", domain=MICROSOFT)
def qlinear_where(ctx: NodeContext) -> SSAValue:
    """Choose between two quantized tensors, element by element."""
    return _stored(ctx, where(replace(ctx, inputs=[ctx.carried(0), _real(ctx, 1), _real(ctx, 4)])), 7)
