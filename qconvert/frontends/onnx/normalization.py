"""Softmax and the normalizations.

Source: ONNX Softmax-1 to -13, LogSoftmax-1 to -13, LayerNormalization-17, BatchNormalization-7 to -15,
InstanceNormalization-6, GroupNormalization-21, RMSNormalization-23, LpNormalization-1 to -22, LRN-1 to -13;
SimplifiedLayerNormalization of onnxruntime, which is RMSNormalization.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.ir import SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.composite import (
    InstanceNormalizationOp,
    L2NormalizationOp,
    LayerNormalizationOp,
    LogSoftmaxOp,
    RmsNormalizationOp,
    SoftmaxOp,
)
from qconvert.frontends.onnx.context import NodeContext, fits, onnx_op
from qconvert.frontends.reduction import pooled, reduced
from qconvert.ir import element_type, numpy_dtype, shape, tensor
from qconvert.numerics import largest_finite
from qconvert.support.errors import ConversionError

_EPSILON = 1e-5
"""ONNX's default for what is added to a variance."""


def _softmax(kind: Callable[[SSAValue, int], composite.AxisOp]) -> Callable[[NodeContext], SSAValue]:
    def run(ctx: NodeContext) -> SSAValue:
        value = ctx.require_float(ctx.input(0))
        return ctx.emit(kind(value, ctx.axis(ctx.integer("axis", -1), len(shape(value)))))

    return run


def _flat_softmax(kind: Callable[[SSAValue, int], composite.AxisOp]) -> Callable[[NodeContext], SSAValue]:
    """Return the importer before opset 13, where all dimensions from the axis on count as one.

    No reshape is emitted if only one of these dimensions is above 1.
    """

    def run(ctx: NodeContext) -> SSAValue:
        value = ctx.require_float(ctx.input(0))
        sizes = shape(value)
        axis = ctx.axis(ctx.integer("axis", 1), len(sizes))
        large = [i for i in range(axis, len(sizes)) if sizes[i] != 1]
        if len(large) <= 1:
            return ctx.emit(kind(value, large[0] if large else axis))
        matrix = ctx.reshape(value, (prod(sizes[:axis]), prod(sizes[axis:])))
        return ctx.reshape(ctx.emit(kind(matrix, 1)), sizes)

    return run


flat_softmax, softmax = _flat_softmax(SoftmaxOp), _softmax(SoftmaxOp)
onnx_op("Softmax")(flat_softmax)
onnx_op("Softmax", since=13)(softmax)
onnx_op("LogSoftmax")(_flat_softmax(LogSoftmaxOp))
onnx_op("LogSoftmax", since=13)(_softmax(LogSoftmaxOp))


def _parameter(ctx: NodeContext, index: int, value: SSAValue) -> SSAValue:
    """Return a scale or bias; raises ConversionError if it does not broadcast to ``value``."""
    parameter = ctx.input(index)
    if not fits(parameter, value) or element_type(parameter) != element_type(value):
        raise ConversionError(f"input {index} of type {tensor(parameter)} for an input of type {tensor(value)}")
    return parameter


@onnx_op("LayerNormalization", since=17)
def layer_normalization(ctx: NodeContext) -> SSAValue:
    """Normalize over the dimensions from ``axis`` on; the outputs Mean and InvStdDev are not supported."""
    ctx.ignore("stash_type")  # our sums are wider
    value = ctx.require_float(ctx.input(0))
    axis = ctx.axis(ctx.integer("axis", -1), len(shape(value)))
    scale = _parameter(ctx, 1, value)
    bias = _parameter(ctx, 2, value) if ctx.has(2) else None
    return ctx.emit(LayerNormalizationOp(value, scale, bias, axis=axis, epsilon=ctx.number("epsilon", _EPSILON)))


@onnx_op("SimplifiedLayerNormalization")
@onnx_op("RMSNormalization", since=23)
def rms_normalization(ctx: NodeContext) -> SSAValue:
    """Divide by the root mean square over the dimensions from ``axis`` on."""
    ctx.ignore("stash_type")
    value = ctx.require_float(ctx.input(0))
    axis = ctx.axis(ctx.integer("axis", -1), len(shape(value)))
    scale = _parameter(ctx, 1, value)
    return ctx.emit(RmsNormalizationOp(value, scale, axis=axis, epsilon=ctx.number("epsilon", _EPSILON)))


@onnx_op("LpNormalization")
def lp_normalization(ctx: NodeContext) -> SSAValue:
    """Divide by the sum of magnitudes or the root of the sum of squares along an axis; a sum of 0 gives 0."""
    power, value = ctx.integer("p", 2), ctx.require_float(ctx.input(0))
    axis = ctx.axis(ctx.integer("axis", -1), len(shape(value)))
    floor = 4 / largest_finite(numpy_dtype(element_type(value)))  # the smallest number with all its bits
    if power == 2:
        return ctx.emit(L2NormalizationOp(value, axis, floor))
    if power != 1:
        raise ConversionError(f"LpNormalization with p = {power}, ONNX defines 1 and 2")
    total = reduced(ctx, stablehlo.AddOp, ctx.emit(stablehlo.AbsOp(value)), [axis])
    total = ctx.emit(stablehlo.MaximumOp(total, ctx.scalar_like(floor, total)))
    other_axes = [i for i in range(len(shape(value))) if i != axis]
    return ctx.emit(stablehlo.DivideOp(value, ctx.emit(stablehlo.BroadcastInDimOp(total, shape(value), other_axes))))


def _per_feature(ctx: NodeContext, index: int, value: SSAValue) -> SSAValue:
    """Return an input with one number for each element of dimension 1; raises ConversionError for another shape."""
    parameter = ctx.input(index)
    if element_type(parameter) != element_type(value):
        raise ConversionError(f"input {index} of type {tensor(parameter)} for an input of type {tensor(value)}")
    if len(shape(value)) < 2 or shape(parameter) != shape(value)[1:2]:
        problem = f"input {index} has shape {list(shape(parameter))}"
        raise ConversionError(f"{problem}, one number for each of dimension 1 of {list(shape(value))} is needed")
    return parameter


def _scale_and_shift(ctx: NodeContext, value: SSAValue, scale: SSAValue, bias: SSAValue) -> SSAValue:
    scale, bias = (ctx.emit(stablehlo.BroadcastInDimOp(each, shape(value), [1])) for each in (scale, bias))
    return ctx.emit(stablehlo.AddOp(ctx.emit(stablehlo.MultiplyOp(value, scale)), bias))


@onnx_op("BatchNormalization", since=7)
def batch_normalization(ctx: NodeContext) -> SSAValue:
    """Return ``x * k + (bias - mean * k)`` with ``k = scale / sqrt(variance + epsilon)``, all in float32."""
    ctx.ignore("momentum")
    if ctx.integer("training_mode", 0):
        raise ConversionError("BatchNormalization in training mode", hint="Export the model for inference")
    if not ctx.integer("spatial", 1):
        raise ConversionError("spatial is 0", hint="Statistics for each feature are supported, not for each element")
    value = ctx.require_float(ctx.input(0))
    scale, bias, mean, variance = (_per_feature(ctx, i, value) for i in range(1, 5))
    epsilon = ctx.scalar_like(ctx.number("epsilon", _EPSILON), variance)
    deviation = ctx.emit(stablehlo.SqrtOp(ctx.emit(stablehlo.AddOp(variance, epsilon))))
    inverse = ctx.emit(stablehlo.DivideOp(ctx.scalar_like(1.0, deviation), deviation))
    factor = ctx.emit(stablehlo.MultiplyOp(inverse, scale))
    shift = ctx.emit(stablehlo.SubtractOp(bias, ctx.emit(stablehlo.MultiplyOp(mean, factor))))
    return _scale_and_shift(ctx, value, factor, shift)


@onnx_op("InstanceNormalization", since=6)
def instance_normalization(ctx: NodeContext) -> SSAValue:
    """Normalize each feature of each sample over its spatial dimensions."""
    value = ctx.require_float(ctx.input(0))
    if len(shape(value)) < 3:
        raise ConversionError(f"InstanceNormalization of an input of rank {len(shape(value))}")
    scale, bias = (_per_feature(ctx, i, value) for i in (1, 2))
    return ctx.emit(InstanceNormalizationOp(value, scale, bias, ctx.number("epsilon", _EPSILON)))


@onnx_op("GroupNormalization", since=21)
def group_normalization(ctx: NodeContext) -> SSAValue:
    """Normalize each group of features of each sample, then scale and shift each feature."""
    ctx.ignore("stash_type")
    value = ctx.require_float(ctx.input(0))
    scale, bias = (_per_feature(ctx, i, value) for i in (1, 2))
    groups, sizes = ctx.integer("num_groups", 0), shape(value)
    if groups < 1 or sizes[1] % groups:
        raise ConversionError(f"{sizes[1]} features in {groups} groups")
    features = groups, sizes[1] // groups
    scale, bias = (ctx.reshape(each, (*features, 1)) for each in (scale, bias))
    grouped = ctx.reshape(value, (sizes[0], *features, prod(sizes[2:])))
    normal = LayerNormalizationOp(grouped, scale, bias, axis=2, epsilon=ctx.number("epsilon", _EPSILON))
    return ctx.reshape(ctx.emit(normal), sizes)


@onnx_op("LRN")
def local_response_normalization(ctx: NodeContext) -> SSAValue:
    """Return ``x * (bias + alpha / size * total) ** -beta``; ``total`` sums the squares of neighbouring features."""
    value, size = ctx.require_float(ctx.input(0)), ctx.integer("size", 0)
    sizes = shape(value)
    if size < 1 or len(sizes) < 2:
        raise ConversionError(f"LRN over {size} features of an input of shape {list(sizes)}")
    square = ctx.reshape(ctx.emit(stablehlo.MultiplyOp(value, value)), (sizes[0], 1, sizes[1], prod(sizes[2:])))
    padding = ((0, 0), (0, 0), ((size - 1) // 2, size // 2), (0, 0))
    total = pooled(ctx, stablehlo.AddOp, square, stablehlo.Window.of((1, 1, size, 1), padding=padding))
    share = ctx.scalar_like(ctx.number("alpha", 1e-4) / size, total)
    scaled = ctx.emit(stablehlo.MultiplyOp(total, share))
    base = ctx.reshape(ctx.emit(stablehlo.AddOp(scaled, ctx.scalar_like(ctx.number("bias", 1.0), total))), sizes)
    power = ctx.emit(stablehlo.PowerOp(base, ctx.scalar_like(-ctx.number("beta", 0.75), base)))
    return ctx.emit(stablehlo.MultiplyOp(value, power))
