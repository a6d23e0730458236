"""CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED: a sum with its bias, one requantize, the activation.

8-bit activations have 32-bit accumulators; one op sums 16-bit activations in 64 bits. LiteRT quantizes float
activations with 8-bit weights at run time: then the op has LiteRT's arithmetic; an op without it is weight-only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.frontends.tflite.context import OpContext, element_of, litert, tflite_op
from qconvert.frontends.tflite.fused import activated
from qconvert.frontends.tflite.padding import spatial_padding
from qconvert.frontends.tflite.reach import check_products
from qconvert.ir import (
    Held,
    Storage,
    UniformQuantizedType,
    converted,
    element_type,
    flipped,
    i64,
    named,
    quantized,
    reshaped,
    shape,
    transposed,
)
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError

_WIDE = 16
_BYTE = Storage.full(8, signed=True)
_NHWC = stablehlo.ConvDimensionNumbers(0, 3, (1, 2), 2, 3, (0, 1), 0, 3, (1, 2))
ROWS_BY_COLUMNS = stablehlo.DotDimensionNumbers(lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(0,))


class WeightsInput(NamedTuple):
    """Weights laid out for StableHLO, outputs last: the elements of a constant, or a computed value."""

    data: Held | SSAValue
    element: Attribute
    name: str = ""

    @classmethod
    def of(
        cls, ctx: OpContext, index: int, permutation: Sequence[int], reversed_axes: Sequence[int] = ()
    ) -> WeightsInput:
        """Return an input with the dimensions ``reversed_axes`` reversed, then all dimensions permuted.

        Per-axis scales move with the outputs' dimension.
        """
        if not ctx.is_constant(index):
            value = ctx.value(index)
            value = ctx.emit(stablehlo.ReverseOp(value, reversed_axes)) if reversed_axes else value
            value = ctx.build.transpose(value, permutation)
            return cls(value, element_type(value))
        elements = ctx.held(index, "the weights")
        array = transposed(flipped(elements, reversed_axes) if reversed_axes else elements, permutation)
        element = element_of(ctx.tensor(index))
        if isinstance(element, UniformQuantizedType) and element.is_per_axis:
            if len(element.data.scales) != array.shape[-1]:
                raise ConversionError(f"{len(element.data.scales)} scales for {array.shape[-1]} outputs")
            element = element.with_axis(array.ndim - 1)
        return cls(array, element, ctx.tensor(index).name)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the sizes of the laid-out weights."""
        return shape(self.data) if isinstance(self.data, SSAValue) else self.data.shape

    def value(self, ctx: OpContext) -> SSAValue:
        """Return the weights as an operand."""
        if isinstance(self.data, SSAValue):
            return self.data
        return ctx.build.constant(self.data, self.element, named(self.name))

    def as_kernel(self) -> WeightsInput:
        """Return a matrix as the kernel of a 1x1 convolution; raises ConversionError if it is computed at run time."""
        if isinstance(self.data, SSAValue):
            raise ConversionError("weights of 16-bit activations that are computed at run time are not supported")
        kernel = reshaped(self.data, (1, 1, *self.shape))
        return WeightsInput(kernel, _with_last_axis(self.element, 3), self.name)

    def as_bytes(self) -> WeightsInput:
        """Return constants of 4 bits as the same integers of 8 bits, by which LiteRT multiplies 16-bit activations."""
        if isinstance(self.data, SSAValue) or not isinstance(self.element, UniformQuantizedType):
            return self
        if self.element.storage.width >= _BYTE.width:
            return self
        return WeightsInput(converted(self.data, np.dtype(np.int8)), self.element.with_storage(_BYTE), self.name)


@tflite_op("CONV_2D")
def conv_2d(ctx: OpContext) -> SSAValue:
    """Convolve with weights (outputs, height, width, inputs); fewer inputs than the image's features mean groups."""
    options = ctx.options(tflite.Conv2DOptions)
    weights = WeightsInput.of(ctx, 1, (1, 2, 3, 0))
    groups = shape(ctx.value(0))[3] // weights.shape[2]
    return _convolution(ctx, options, weights, groups)


@tflite_op("DEPTHWISE_CONV_2D")
def depthwise_conv_2d(ctx: OpContext) -> SSAValue:
    """Convolve each feature with weights (1, height, width, features * multiplier)."""
    options = ctx.options(tflite.DepthwiseConv2DOptions)
    weights = WeightsInput.of(ctx, 1, (1, 2, 0, 3))
    return _convolution(ctx, options, weights, shape(ctx.value(0))[3])


def _convolution(ctx: OpContext, options: Any, weights: WeightsInput, groups: int) -> SSAValue:
    strides = (options.StrideH(), options.StrideW())
    dilations = (max(1, options.DilationHFactor()), max(1, options.DilationWFactor()))
    sizes, kernel = shape(ctx.value(0))[1:3], weights.shape[:2]
    padding = spatial_padding(sizes, kernel, strides, dilations, options.Padding())
    window = stablehlo.ConvolutionWindow.of(2, strides=strides, padding=padding, rhs_dilation=dilations)
    result = contracted(ctx, ctx.value(0), weights, Sliding(window, groups), 2)
    return activated(ctx, result, options.FusedActivationFunction())


@tflite_op("TRANSPOSE_CONV")
def transpose_conv(ctx: OpContext) -> SSAValue:
    """Convolve the dilated image with the reversed kernel. Inputs: output shape, weights, image, bias.

    If the first input is computed at run time, the output has the shape in the file.
    """
    options, target = ctx.options(tflite.TransposeConvOptions), _transposed_shape(ctx)
    weights = WeightsInput.of(ctx, 1, (1, 2, 3, 0), reversed_axes=(1, 2))
    strides, kernel = (options.StrideH(), options.StrideW()), weights.shape[:2]
    image, sizes = ctx.value(2), target[1:3]
    forward = spatial_padding(sizes, kernel, strides, (1, 1), options.Padding())
    padding = []
    for extent, size, step, (before, _), taps in zip(shape(image)[1:3], sizes, strides, forward, kernel, strict=True):
        low = taps - 1 - before
        padding.append((low, size + taps - 2 - (extent - 1) * step - low))
    window = stablehlo.ConvolutionWindow.of(2, padding=padding, lhs_dilation=strides)
    result = contracted(ctx, image, weights, Sliding(window, 1), 3)
    return activated(ctx, result, options.FusedActivationFunction())


def _transposed_shape(ctx: OpContext) -> list[int]:
    if ctx.is_constant(0):
        target = ctx.integers(0, "the output's shape")
    else:
        target = list(ctx.output().shape)
        ctx.implied[ctx.op.inputs[0]] = np.asarray(target, ctx.tensor(0).dtype)
    if len(target) != 4:
        raise ConversionError(f"its output has the shape {target}, 4 dimensions are needed")
    return target


@tflite_op("FULLY_CONNECTED")
def fully_connected(ctx: OpContext) -> SSAValue:
    """Multiply by weights (outputs, depth). The input's leading dimensions are rows, kept with ``keep_num_dims``."""
    options = ctx.options(tflite.FullyConnectedOptions)
    if options.WeightsFormat() != tflite.FullyConnectedOptionsWeightsFormat.DEFAULT:
        raise ConversionError("shuffled weights are not supported", hint="Convert the model again without them")
    weights = WeightsInput.of(ctx, 1, (1, 0))
    depth, _ = weights.shape
    rows = ctx.reshape(ctx.value(0), (prod(shape(ctx.value(0))) // depth, depth))
    result = contracted(ctx, rows, weights, None, 2)
    result = activated(ctx, result, options.FusedActivationFunction())
    kept = shape(ctx.value(0)) if options.KeepNumDims() else shape(result)
    return ctx.shaped(result, lambda: (*kept[:-1], shape(result)[-1]))


class Sliding(NamedTuple):
    """The window and groups of a convolution."""

    window: stablehlo.ConvolutionWindow
    groups: int


def contracted(ctx: OpContext, lhs: SSAValue, weights: WeightsInput, sliding: Sliding | None, bias: int) -> SSAValue:
    """Emit a convolution, or without ``sliding`` a matrix product, with its bias (an input's index), requantized once.

    LiteRT multiplies the two scales of unsigned convolutions in f32, all others in f64. Raises ConversionError for
    widths without a LiteRT kernel.
    """
    source = quantized(lhs)
    if source is None:
        return _with_float_bias(ctx, _product(ctx, lhs, weights, sliding, element_type(lhs)), bias)
    weights = weights.as_bytes() if source.storage.width == _WIDE else weights
    if not isinstance(weights.element, UniformQuantizedType) or source.storage.width not in (8, _WIDE):
        raise ConversionError(f"products of {source} by {weights.element} are not supported")
    _check_widths(ctx, source, bias)
    is_wide = source.storage.width == _WIDE and not (sliding is not None and _is_narrow(ctx, bias))
    _check_sums(ctx, (source, weights.element), weights, bias, is_wide=is_wide)
    if is_wide:
        return _wide(ctx, lhs, weights, sliding, bias)
    floats = 64 if sliding is None or source.storage.signed else 32
    accumulator = accumulator_type(source, weights.element, len(shape(lhs)) - 1, floats=floats)
    value = _product(ctx, lhs, weights, sliding, accumulator)
    if ctx.has(bias):
        value = with_bias(ctx, value, accumulator, bias)
    rounding = Rounding.SINGLE_ROUND if sliding is None else Rounding.DOUBLE_ROUND
    return ctx.emit(stablehlo.UniformQuantizeOp(value, ctx.result_type()), litert(rounding))


def _check_sums(
    ctx: OpContext,
    operands: tuple[UniformQuantizedType, UniformQuantizedType],
    weights: WeightsInput,
    bias: int,
    *,
    is_wide: bool,
) -> None:
    result = ctx.result_type()
    if isinstance(result, UniformQuantizedType):
        added = ctx.constant(bias, "the bias") if ctx.has(bias) else None
        sizes_or_elements = weights.shape if isinstance(weights.data, SSAValue) else weights.data
        check_products(operands, sizes_or_elements, result, added, is_wide=is_wide)


_BIAS_TYPED: dict[str, Callable[[], Any]] = {
    "CONV_2D": tflite.Conv2DOptions,
    "TRANSPOSE_CONV": tflite.TransposeConvOptions,
}
"""Operators of 16-bit activations whose option tells LiteRT that the bias has 32 bits."""


def _check_widths(ctx: OpContext, source: UniformQuantizedType, bias: int) -> None:
    """Raise ConversionError for widths of result and bias for which LiteRT returns numbers that mean nothing."""
    result, width = ctx.result_type(), source.storage.width
    if isinstance(result, UniformQuantizedType) and result.storage.width != width:
        raise ConversionError(
            f"products of {width}-bit activations are stored in {result.storage.width} bits",
            hint="LiteRT has no kernel for it and returns garbage; give the result the activations' width",
        )
    if ctx.op.op_type == "FULLY_CONNECTED" and ctx.tensor(1).dtype == np.int16:
        raise ConversionError(
            "products of 16-bit activations by weights of 16 bits are not supported",
            hint="Quantize the weights to int8",
        )
    kind = _BIAS_TYPED.get(ctx.op.op_type)
    if kind is None or width != _WIDE or not _is_narrow(ctx, bias):
        return
    if ctx.options(kind).QuantizedBiasType() != tflite.TensorType.INT32:
        raise ConversionError(
            "16-bit activations have a bias of 32 bits without the option quantized_bias_type",
            hint="LiteRT returns garbage for it; use a bias of 64 bits, or set the option to INT32",
        )


def _is_narrow(ctx: OpContext, bias: int) -> bool:
    """Return True for a bias of 32 bits, with which LiteRT adds up convolutions of 16-bit activations in 32 bits."""
    return ctx.has(bias) and ctx.constant(bias, "the bias").dtype == np.int32


def _product(
    ctx: OpContext, lhs: SSAValue, weights: WeightsInput, sliding: Sliding | None, element: Attribute
) -> SSAValue:
    """Emit the convolution or matrix product; floats by integers get LiteRT's quantization at run time."""
    rhs, arithmetic = weights.value(ctx), None
    if quantized(lhs) is None and (found := quantized(rhs)) is not None:
        asymmetric = found.is_per_axis if sliding is not None else _is_asymmetric(ctx)
        arithmetic = litert(asymmetric=asymmetric)
    if sliding is None:
        return ctx.emit(stablehlo.DotGeneralOp(lhs, rhs, ROWS_BY_COLUMNS, element=element), arithmetic)
    op = stablehlo.ConvolutionOp(lhs, rhs, _NHWC, sliding.window, feature_group_count=sliding.groups, element=element)
    return ctx.emit(op, arithmetic)


def _is_asymmetric(ctx: OpContext) -> bool:
    return bool(ctx.options(tflite.FullyConnectedOptions).AsymmetricQuantizeInputs())


def _wide(ctx: OpContext, lhs: SSAValue, weights: WeightsInput, sliding: Sliding | None, bias: int) -> SSAValue:
    """Emit one op for 16-bit activations; a matrix product becomes a 1x1 convolution.

    LiteRT rescales the sums of convolutions with a 16-bit multiplier, those of matrix products with a 32-bit one.
    """
    rows, width = lhs, 16 if sliding is not None else 32
    if sliding is None:
        sliding = Sliding(stablehlo.ConvolutionWindow.of(2), 1)
        rows = ctx.reshape(lhs, (1, 1, *shape(lhs)))
        weights = weights.as_kernel()
    outputs = weights.shape[-1]
    integers = ctx.constant(bias, "the bias") if ctx.has(bias) else np.zeros(outputs, np.int64)
    if integers.dtype != np.int64:
        raise ConversionError(f"a bias of {integers.dtype} for 16-bit activations is not supported; int64 is needed")
    _check_bias(integers.size, outputs)
    operands = (
        rows,
        weights.value(ctx),
        ctx.build.constant(integers.reshape(outputs), i64),
    )
    op = composite.WideConvolutionOp(
        operands, _NHWC, sliding.window, ctx.result_type(), feature_group_count=sliding.groups
    )
    sums = ctx.emit(op, litert(Rounding.SINGLE_ROUND, width=width))
    return ctx.reshape(sums, (*shape(lhs)[:-1], outputs)) if rows is not lhs else sums


def _with_last_axis(element: Attribute, axis: int) -> Attribute:
    return element.with_axis(axis) if isinstance(element, UniformQuantizedType) and element.is_per_axis else element


def accumulator_type(
    lhs: UniformQuantizedType, rhs: UniformQuantizedType, axis: int, *, floats: int = 64
) -> UniformQuantizedType:
    """Return the i32 type at scale ``s_x * s_w``, in f64 or rounded to ``floats`` bits; per axis if the weights are."""
    scales = lhs.product_scales(rhs)
    if floats == 32:
        scales = scales.astype(np.float32).astype(np.float64)
    return UniformQuantizedType.accumulator(scales, axis if rhs.is_per_axis else None)


def with_bias(ctx: OpContext, value: SSAValue, accumulator: UniformQuantizedType, bias: int) -> SSAValue:
    """Add the bias; as in LiteRT its integers are added unchanged and its own scale is ignored."""
    element = accumulator.with_axis(0) if accumulator.is_per_axis else accumulator
    integers = ctx.constant(bias, "the bias").reshape(-1)
    if integers.dtype != np.int32:
        raise ConversionError(f"a bias of {integers.dtype} for sums of 32 bits is not supported; int32 is needed")
    sizes = shape(value)
    _check_bias(integers.size, sizes[-1])
    spread = stablehlo.BroadcastInDimOp(ctx.build.constant(integers, element), sizes, [len(sizes) - 1])
    return ctx.emit(stablehlo.AddOp(value, ctx.emit(spread)))


def _with_float_bias(ctx: OpContext, value: SSAValue, bias: int) -> SSAValue:
    if not ctx.has(bias):
        return value
    _check_bias(math.prod(shape(ctx.value(bias))), shape(value)[-1])
    return ctx.emit(stablehlo.AddOp(value, ctx.build.broadcast(ctx.value(bias), shape(value))))


def _check_bias(count: int, outputs: int) -> None:
    if count != outputs:
        raise ConversionError(f"a bias of {count} numbers for {outputs} outputs is not possible")
