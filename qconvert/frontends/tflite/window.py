"""AVERAGE_POOL_2D and MAX_POOL_2D."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.frontends.reduction import pooled
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.fused import activated
from qconvert.frontends.tflite.padding import spatial_padding
from qconvert.frontends.tflite.reach import check_total
from qconvert.frontends.tflite.sums import sum_regions
from qconvert.ir import ArithmeticAttr, UniformQuantizedType, element_type, is_float, shape
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError


def _window(ctx: OpContext, options: tflite.Pool2DOptions) -> stablehlo.Window:
    """Return the pool's window over all four dimensions."""
    kernel, strides = (options.FilterHeight(), options.FilterWidth()), (options.StrideH(), options.StrideW())
    if min(kernel) < 1:
        raise ConversionError(f"a window of {list(kernel)} has no elements")
    padding = spatial_padding(shape(ctx.value())[1:3], kernel, strides, (1, 1), options.Padding())
    return stablehlo.Window.of((1, *kernel, 1), strides=(1, *strides, 1), padding=((0, 0), *padding, (0, 0)))


_COMPARED = ("int8", "uint8", "int16")
"""The plain integers that LiteRT's MAX_POOL_2D takes."""


def _element(ctx: OpContext, plain: Sequence[str] = ()) -> Attribute:
    """Return a pool's element type.

    Raises ConversionError for plain integers other than ``plain`` and for a result of another type.
    """
    element = element_type(ctx.value())
    is_known = is_float(element) or isinstance(element, UniformQuantizedType)
    if not is_known and ctx.tensor().dtype.name not in plain:
        raise ConversionError(f"a pool of {element} is not supported", hint="Quantize it, or use floats")
    if ctx.result_type() != element:
        raise ConversionError(f"a pool of {element} as {ctx.result_type()}", hint="TFLite's pools keep their type")
    return element


@tflite_op("MAX_POOL_2D")
def max_pool_2d(ctx: OpContext) -> SSAValue:
    """Return the largest element of each window; integers are compared as they are."""
    options = ctx.options(tflite.Pool2DOptions)
    _element(ctx, _COMPARED)
    largest = pooled(ctx, stablehlo.MaximumOp, ctx.value(), _window(ctx, options))
    return activated(ctx, largest, options.FusedActivationFunction())


@tflite_op("AVERAGE_POOL_2D")
def average_pool_2d(ctx: OpContext) -> SSAValue:
    """Return the sum of each window's elements divided by their number, halves away from zero."""
    options = ctx.options(tflite.Pool2DOptions)
    window, element = _window(ctx, options), _element(ctx)
    if isinstance(element, UniformQuantizedType):
        check_total(prod(window.size), element)
    if any(any(pair) for pair in window.padding):  # windows at the edge have fewer elements
        average = ctx.emit(composite.AveragePoolOp(ctx.value(), window), _averaging(element))
    elif isinstance(element, UniformQuantizedType):
        average = _quantized_average(ctx, window, element)
    else:
        total = pooled(ctx, stablehlo.AddOp, ctx.value(), window)
        average = ctx.emit(stablehlo.DivideOp(total, ctx.build.filled_like(prod(window.size), total)))
    return activated(ctx, average, options.FusedActivationFunction())


def _averaging(element: Attribute) -> ArithmeticAttr:
    """Return LiteRT's arithmetic for averages: halves away from zero, which for unsigned integers is up."""
    is_unsigned = isinstance(element, UniformQuantizedType) and not element.storage.signed
    return litert(Rounding.SINGLE_ROUND if is_unsigned else Rounding.DOUBLE_ROUND)


def _quantized_average(ctx: OpContext, window: stablehlo.Window, element: UniformQuantizedType) -> SSAValue:
    """Emit one reduction with its conversions: to i32, then from the scale divided by the number of elements."""
    parts = sum_regions(element, element, prod(window.size))
    start = ctx.build.filled(element.zero_point, element)
    return ctx.emit(stablehlo.ReduceWindowOp(ctx.value(), start, window, parts), _averaging(element))
