"""RELU and its variants, LEAKY_RELU, HARD_SWISH, ELU and PRELU."""

from __future__ import annotations

import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.fused import bounded
from qconvert.interpreter.litert.unary import hard_swish_is_known
from qconvert.ir import UniformQuantizedType, element_type, quantized, shape
from qconvert.support.errors import ConversionError

_BOUNDS: dict[str, tuple[float, float | None]] = {
    "RELU": (0.0, None),
    "RELU6": (0.0, 6.0),
    "RELU_0_TO_1": (0.0, 1.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
}
_FLOAT_FACTORS = litert(floats=32)
"""LiteRT divides the scales of activations in f32."""


@tflite_op(*_BOUNDS)
def relu(ctx: OpContext) -> SSAValue:
    """Clamp the value; integers are first requantized to the result's type."""
    value, result = ctx.value(), ctx.result_type()
    if element_type(value) != result:
        value = ctx.emit(stablehlo.UniformQuantizeOp(value, result), _FLOAT_FACTORS)
    return bounded(ctx, value, *_BOUNDS[ctx.op.op_type])


@tflite_op("LEAKY_RELU")
def leaky_relu(ctx: OpContext) -> SSAValue:
    """Multiply values below 0 by alpha."""
    alpha = ctx.options(tflite.LeakyReluOptions).Alpha()
    return ctx.emit(composite.LeakyReluOp(ctx.value(), alpha, element=ctx.result_type()), _FLOAT_FACTORS)


@tflite_op("HARD_SWISH")
def hard_swish(ctx: OpContext) -> SSAValue:
    """Return ``x * clamp(x + 3, 0, 6) / 6``."""
    _check_8_bits(ctx)
    source, result = quantized(ctx.value()), ctx.result_type()
    if source is not None and isinstance(result, UniformQuantizedType) and not hard_swish_is_known(source, result):
        raise ConversionError(
            f"LiteRT has no hard_swish from {source} to {result}", hint="Give the result a larger scale"
        )
    return ctx.emit(composite.HardSwishOp(ctx.value(), element=ctx.result_type()), _FLOAT_FACTORS)


@tflite_op("ELU")
def elu(ctx: OpContext) -> SSAValue:
    """Return ``exp(x) - 1`` for negative x, else x."""
    _check_8_bits(ctx)
    return ctx.emit(composite.EluOp(ctx.value(), 1.0, element=ctx.result_type()), _FLOAT_FACTORS)


def _check_8_bits(ctx: OpContext) -> None:
    """Raise ConversionError for quantized integers of another width, for which LiteRT has no kernel."""
    for element in (quantized(ctx.value()), ctx.result_type()):
        if isinstance(element, UniformQuantizedType) and element.storage.width != 8:
            raise ConversionError(f"{element} is not supported", hint="LiteRT has kernels for floats and 8 bits")


@tflite_op("PRELU")
def prelu(ctx: OpContext) -> SSAValue:
    """Multiply values below 0 by their channel's slope."""
    value, slope = ctx.value(0), ctx.value(1)
    found, slope_type = quantized(value), quantized(slope)
    if found is not None and slope_type is not None and found.storage.width == slope_type.storage.width == 16:
        raise ConversionError("LiteRT reads slopes of 16 bits as 8 bits", hint="Quantize the slopes to int8")
    rank = len(shape(value))
    slope = ctx.reshape(slope, (1,) * (rank - len(shape(slope))) + shape(slope))
    return ctx.emit(composite.PReluOp(value, slope, element=ctx.result_type()), _FLOAT_FACTORS)
