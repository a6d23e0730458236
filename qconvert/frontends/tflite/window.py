"""AVERAGE_POOL_2D and MAX_POOL_2D."""

from __future__ import annotations

from math import prod

import numpy as np
import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.stablehlo.window import Window
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.fused import activated
from qconvert.frontends.tflite.padding import same_padding
from qconvert.frontends.tflite.sums import sum_regions
from qconvert.ir.arithmetic import ArithmeticAttr, RescaleRounding
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, is_float, numpy_dtype, shape
from qconvert.support.errors import ConversionError


def _window(ctx: OpContext, options: tflite.Pool2DOptions) -> Window:
    """The pool's window over all four dimensions."""
    kernel, strides = (options.FilterHeight(), options.FilterWidth()), (options.StrideH(), options.StrideW())
    if min(kernel) < 1:
        raise ConversionError(f"a window of {list(kernel)} has no elements")
    padding = same_padding(shape(ctx.value())[1:3], kernel, strides, (1, 1), options.Padding())
    return Window.of((1, *kernel, 1), strides=(1, *strides, 1), padding=((0, 0), *padding, (0, 0)))


def _pooled(ctx: OpContext) -> Attribute:
    """The elements of a pool; raises ConversionError for integers that stand for no reals, of which LiteRT has none."""
    element = element_type(ctx.value())
    if not is_float(element) and not isinstance(element, UniformQuantizedType):
        raise ConversionError(f"a pool of {element} is not read", hint="Quantize it, or use floats")
    return element


@tflite_op("MAX_POOL_2D")
def max_pool_2d(ctx: OpContext) -> SSAValue:
    """The largest element; integers are compared as they are."""
    options = ctx.options(tflite.Pool2DOptions)
    value, element = ctx.value(), _pooled(ctx)
    if ctx.result_type() != element:
        raise ConversionError(f"a maximum of {element} as {ctx.result_type()}", hint="TFLite's maxima keep their type")
    least = element.storage.minimum if isinstance(element, UniformQuantizedType) else -np.inf
    start = ctx.build.constant(np.asarray(least, numpy_dtype(element)), element)
    body = stablehlo.binary_body(stablehlo.MaximumOp, element)
    made = ctx.emit(stablehlo.ReduceWindowOp(value, start, _window(ctx, options), [body]))
    return activated(ctx, made, options.FusedActivationFunction())


@tflite_op("AVERAGE_POOL_2D")
def average_pool_2d(ctx: OpContext) -> SSAValue:
    """The sum of the window's elements divided by their number, halves away from zero."""
    options = ctx.options(tflite.Pool2DOptions)
    window, element = _window(ctx, options), _pooled(ctx)
    if any(any(pair) for pair in window.padding):
        made = _average_at_edges(ctx, window)
    elif isinstance(element, UniformQuantizedType):
        made = _quantized_average(ctx, window, element)
    else:
        zero = ctx.build.filled(0, element)
        summed = stablehlo.ReduceWindowOp(ctx.value(), zero, window, [stablehlo.binary_body(stablehlo.AddOp, element)])
        total = ctx.emit(summed)
        made = ctx.emit(stablehlo.DivideOp(total, ctx.build.filled_like(prod(window.size), total)))
    return activated(ctx, made, options.FusedActivationFunction())


def _average_at_edges(ctx: OpContext, window: Window) -> SSAValue:
    """Windows reach over the edge, where fewer elements count."""
    element = element_type(ctx.value())
    if ctx.result_type() != element:
        raise ConversionError(
            f"an average of {element} as {ctx.result_type()}", hint="TFLite's averages keep their type"
        )
    return ctx.emit(composite.AveragePoolOp(ctx.value(), window), averaging(element))


def averaging(element: Attribute) -> ArithmeticAttr:
    """LiteRT's averages of the stored integers: halves away from zero, which of unsigned ones is up."""
    is_unsigned = isinstance(element, UniformQuantizedType) and not element.storage.signed
    return litert(RescaleRounding.SINGLE if is_unsigned else RescaleRounding.DOUBLE)


def _quantized_average(ctx: OpContext, window: Window, element: UniformQuantizedType) -> SSAValue:
    """One reduction with its conversions: to i32, and from there at the scale divided by the number of elements."""
    result = ctx.result_type()
    if result != element:
        raise ConversionError(f"an average of {element} as {result}", hint="TFLite's averages keep their type")
    parts = sum_regions(element, element, prod(window.size))
    start = ctx.build.constant(np.asarray(element.zero_point, numpy_dtype(element)), element)
    return ctx.emit(stablehlo.ReduceWindowOp(ctx.value(), start, window, parts), averaging(element))
