"""RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR."""

from __future__ import annotations

import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import composite
from qconvert.dialects.composite import Coordinates
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.ir import element_type, quantized, shape
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget


def _sizes(ctx: OpContext) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return height and width before and after; raises ConversionError for empty images or a change of type."""
    value, target = ctx.value(), tuple(ctx.integers(1, "the sizes"))
    if len(shape(value)) != 4 or len(target) != 2 or min(*shape(value), *target) < 1:
        raise ConversionError(f"{list(shape(value))} cannot be resized to {list(target)}")
    # positions are computed at conversion
    budget().check("listed", max(target), f"a result of {target[0]} x {target[1]} pixels")
    if element_type(value) != ctx.result_type():
        raise ConversionError(f"{element_type(value)} resized to {ctx.result_type()}", hint="TFLite keeps the type")
    _, height, width, _ = shape(value)
    return (height, width), (target[0], target[1])


@tflite_op("RESIZE_BILINEAR")
def bilinear(ctx: OpContext) -> SSAValue:
    """Interpolate linearly along height and width."""
    options, value = ctx.options(tflite.ResizeBilinearOptions), ctx.value()
    before, after = _sizes(ctx)
    element = quantized(value)
    if element is not None and not element.storage.signed and element.storage.width != 8:
        raise ConversionError(f"interpolation of {element} is not supported", hint="Use int8, int16 or uint8")
    if options.AlignCorners() and options.HalfPixelCenters():
        raise ConversionError("aligned corners and half pixel centers exclude each other")
    coordinates = Coordinates.HALF_PIXEL if options.HalfPixelCenters() else Coordinates.ASYMMETRIC
    if options.AlignCorners():
        coordinates = Coordinates.ALIGN_CORNERS
    scales = [target / size for target, size in zip(after, before, strict=True)]
    sizes = (shape(value)[0], *after, shape(value)[3])
    op = composite.ResizeOp(value, sizes, (1, 2), scales, coordinates, element=element_type(value))
    in_floats = element is not None and not element.storage.signed
    return ctx.emit(op, litert(Rounding.SINGLE_ROUND if in_floats else Rounding.DOUBLE_ROUND))


@tflite_op("RESIZE_NEAREST_NEIGHBOR")
def nearest(ctx: OpContext) -> SSAValue:
    """Select the nearest elements along height and width."""
    options, value = ctx.options(tflite.ResizeNearestNeighborOptions), ctx.value()
    before, after = _sizes(ctx)
    aligned, centered = bool(options.AlignCorners()), bool(options.HalfPixelCenters())
    for axis, (size, target) in enumerate(zip(before, after, strict=True), 1):
        positions = composite.nearest_positions(size, target, align_corners=aligned, half_pixel_centers=centered)
        value = composite.picked(ctx.build, value, axis, positions)
    return value
