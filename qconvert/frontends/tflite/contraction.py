"""CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED: accumulators with their bias, one requantization, the activation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import tflite
from numpy.typing import NDArray
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.attributes import RescaleRounding
from qconvert.dialects.quant import Storage, UniformQuantizedType
from qconvert.dialects.stablehlo.convolution_window import ConvolutionWindow
from qconvert.dialects.stablehlo.dimension_numbers import ConvDimensionNumbers, DotDimensionNumbers
from qconvert.dialects.types import element_type, is_float, quantized, shape
from qconvert.errors import ConversionError
from qconvert.frontends.tflite.context import OpContext, element_of, litert, tflite_op
from qconvert.frontends.tflite.fused import activated
from qconvert.frontends.tflite.padding import same_padding

ACCUMULATOR = Storage.full(32, signed=True)
_NHWC = ConvDimensionNumbers(0, 3, (1, 2), 2, 3, (0, 1), 0, 3, (1, 2))
_Contract: TypeAlias = "Callable[[SSAValue, SSAValue, Attribute], SSAValue]"


@dataclass(frozen=True)
class Weights:
    """Weights laid out for StableHLO, outputs last."""

    array: NDArray[Any]
    element: Attribute

    @classmethod
    def of(cls, ctx: OpContext, index: int, layout: Callable[[NDArray[Any]], NDArray[Any]]) -> Weights:
        """A constant input laid out; scales for each output stay with the outputs."""
        array = np.ascontiguousarray(layout(ctx.constant(index, "the weights")))
        element = element_of(ctx.tensor(index))
        if isinstance(element, UniformQuantizedType) and element.is_per_axis:
            if len(element.data.scales) != array.shape[-1]:
                raise ConversionError(f"{len(element.data.scales)} scales for {array.shape[-1]} outputs")
            element = element.with_axis(array.ndim - 1)
        return cls(array, element)


@tflite_op("CONV_2D")
def conv_2d(ctx: OpContext) -> SSAValue:
    """Weights (outputs, height, width, inputs); fewer inputs than the image has features mean groups."""
    options = ctx.options(tflite.Conv2DOptions)
    weights = Weights.of(ctx, 1, lambda array: array.transpose(1, 2, 3, 0))
    groups = shape(ctx.value(0))[3] // weights.array.shape[2]
    return _convolution(ctx, options, weights, groups)


@tflite_op("DEPTHWISE_CONV_2D")
def depthwise_conv_2d(ctx: OpContext) -> SSAValue:
    """Weights (1, height, width, features * multiplier)."""
    options = ctx.options(tflite.DepthwiseConv2DOptions)
    weights = Weights.of(ctx, 1, lambda array: array.transpose(1, 2, 0, 3))
    return _convolution(ctx, options, weights, shape(ctx.value(0))[3])


def _convolution(ctx: OpContext, options: Any, weights: Weights, groups: int) -> SSAValue:
    image = ctx.value(0)
    strides = (options.StrideH(), options.StrideW())
    dilations = (max(1, options.DilationHFactor()), max(1, options.DilationWFactor()))
    kernel = weights.array.shape[:2]
    padding = same_padding(shape(image)[1:3], kernel, strides, dilations, options.Padding())
    window = ConvolutionWindow.of(2, strides=strides, padding=padding, rhs_dilation=dilations)

    def contract(lhs: SSAValue, rhs: SSAValue, element: Attribute) -> SSAValue:
        op = stablehlo.ConvolutionOp(lhs, rhs, _NHWC, window, feature_group_count=groups, element=element)
        return ctx.emit(op)

    made = contracted(ctx, image, weights, contract, RescaleRounding.DOUBLE)
    return activated(ctx, made, options.FusedActivationFunction())


@tflite_op("FULLY_CONNECTED")
def fully_connected(ctx: OpContext) -> SSAValue:
    """Weights (outputs, depth); the input's leading dimensions are rows, kept where ``keep_num_dims`` says so."""
    options = ctx.options(tflite.FullyConnectedOptions)
    if options.WeightsFormat() != tflite.FullyConnectedOptionsWeightsFormat.DEFAULT:
        raise ConversionError("shuffled weights are not read", hint="Convert the model again without them")
    weights = Weights.of(ctx, 1, lambda array: array.T)
    depth, _ = weights.array.shape
    rows = ctx.reshape(ctx.value(0), (int(np.prod(shape(ctx.value(0)))) // depth, depth))

    def contract(lhs: SSAValue, rhs: SSAValue, element: Attribute) -> SSAValue:
        numbers = DotDimensionNumbers(lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(0,))
        return ctx.emit(stablehlo.DotGeneralOp(lhs, rhs, numbers, element=element))

    made = contracted(ctx, rows, weights, contract, RescaleRounding.SINGLE)
    made = activated(ctx, made, options.FusedActivationFunction())
    return ctx.reshape(made, ctx.output().shape)


def contracted(
    ctx: OpContext, lhs: SSAValue, weights: Weights, contract: _Contract, rounding: RescaleRounding
) -> SSAValue:
    """The sum of products with its bias, in the output's type.

    Raises ConversionError where only one side is quantized: LiteRT then quantizes at run time.
    """
    source, result = quantized(lhs), ctx.result_type()
    rhs = ctx.build.constant(weights.array, weights.element)
    if source is None and is_float(weights.element):
        return _with_float_bias(ctx, contract(lhs, rhs, element_type(lhs)))
    if source is None or not isinstance(weights.element, UniformQuantizedType):
        raise ConversionError("only one of input and weights is quantized")
    if source.storage.width != 8:
        raise ConversionError(f"contractions of {source.storage} are not read")
    accumulator = _accumulator_type(source, weights.element, len(shape(lhs)) - 1)
    value = contract(lhs, rhs, accumulator)
    if ctx.has(2):
        value = _with_bias(ctx, value, accumulator)
    return ctx.emit(stablehlo.UniformQuantizeOp(value, result), litert(rounding))


def _accumulator_type(lhs: UniformQuantizedType, rhs: UniformQuantizedType, axis: int) -> UniformQuantizedType:
    """i32 at ``s_x * s_w``, exact in f64, for each output where the weights have scales for each."""
    scales = lhs.scale * rhs.scales
    if rhs.is_per_axis:
        return UniformQuantizedType.per_axis(ACCUMULATOR, tuple(scales), (0,) * scales.size, axis)
    return UniformQuantizedType.per_tensor(ACCUMULATOR, float(scales[0]), 0)


def _with_bias(ctx: OpContext, value: SSAValue, accumulator: UniformQuantizedType) -> SSAValue:
    """LiteRT adds the bias's integers as they are, whatever its own scale says."""
    array = ctx.constant(2, "the bias")
    element = accumulator.with_axis(0) if accumulator.is_per_axis else accumulator
    integers = np.ascontiguousarray(array.reshape(-1).astype(np.int32))
    sizes = shape(value)
    spread = stablehlo.BroadcastInDimOp(ctx.build.constant(integers, element), sizes, [len(sizes) - 1])
    return ctx.emit(stablehlo.AddOp(value, ctx.emit(spread)))


def _with_float_bias(ctx: OpContext, value: SSAValue) -> SSAValue:
    if not ctx.has(2):
        return value
    return ctx.emit(stablehlo.AddOp(value, ctx.build.broadcast(ctx.value(2), shape(value))))
