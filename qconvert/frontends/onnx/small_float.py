"""Floats of 4 and 8 bits: rounding to them, and their quantization with a scale.

They are plain elements of the IR, ``f8E4M3FN`` and others: MLIR's quantized types hold integers only.
Source: ONNX QuantizeLinear-19 to -25, DequantizeLinear-19 to -25 and Cast-19 to -25: tables of float8, and of float4.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import Float4E2M1FNType, Float8E8M0FNUType
from xdsl.ir import Attribute, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.frontends.onnx.context import NodeContext
from qconvert.ir import element_type, f32, numpy_dtype, shape
from qconvert.support.errors import ConversionError


def converted(ctx: NodeContext, value: SSAValue, element: Attribute) -> SSAValue:
    """Return a value in another element type; a value that has the type already is returned unchanged."""
    return value if element_type(value) == element else ctx.emit(stablehlo.ConvertOp(value, element))


def to_small_float(ctx: NodeContext, value: SSAValue, element: Attribute, *, saturates: bool) -> SSAValue:
    """Return numbers rounded to floats of 4 or 8 bits.

    With ``saturates``, and always for 4 bits, numbers beyond the range become the largest finite float.
    """
    if isinstance(element, Float8E8M0FNUType):
        raise ConversionError(f"a conversion to {element} is not supported", hint="Use a float8 type with a sign")
    value = converted(ctx, value, f32)
    if saturates or isinstance(element, Float4E2M1FNType):
        largest = numerics.largest_finite(numpy_dtype(element))
        low, high = (ctx.constant(np.float32(bound)) for bound in (-largest, largest))
        value = ctx.emit(stablehlo.ClampOp(low, value, high))
    return ctx.emit(stablehlo.ConvertOp(value, element))


def quantized_to_small_float(ctx: NodeContext, value: SSAValue, element: Attribute, *, saturates: bool) -> SSAValue:
    """Return floats divided by their scales and rounded to floats of 4 or 8 bits."""
    quotient = ctx.emit(stablehlo.DivideOp(value, _scales(ctx, value, element_type(value))))
    return to_small_float(ctx, quotient, element, saturates=saturates)


def dequantized_small_float(ctx: NodeContext, value: SSAValue, expressed: Attribute) -> SSAValue:
    """Return small floats times their scales, in the type ``expressed``."""
    real = converted(ctx, value, expressed)
    return ctx.emit(stablehlo.MultiplyOp(real, _scales(ctx, value, expressed)))


def _scales(ctx: NodeContext, value: SSAValue, element: Attribute) -> SSAValue:
    """Return the scales in the shape of a value.

    Raises ConversionError for a zero point other than 0, and if the scales do not fit the value's shape.
    """
    if ctx.has(2) and np.any(ctx.constant_value(2, "the zero point").astype(np.float32)):
        raise ConversionError("a zero point of small floats is not supported", hint="Leave the zero point out")
    scale, sizes = ctx.constant_value(1, "the scale"), shape(value)
    axis, block_size = ctx.integer("axis", 1), ctx.integer("block_size", 0)
    if block_size:
        scale = np.repeat(scale, block_size, ctx.axis(axis, len(sizes)))
    elif scale.size == 1:
        scale = scale.reshape(())
    else:
        place = ctx.axis(axis, len(sizes))
        scale = scale.reshape([-1 if i == place else 1 for i in range(len(sizes))])
    if any(size not in (1, whole) for size, whole in zip(scale.shape, sizes, strict=False)):
        raise ConversionError(f"scales of shape {list(scale.shape)} for a tensor of shape {list(sizes)}")
    scales = ctx.constant(scale)
    return ctx.broadcast(converted(ctx, scales, element), sizes)
