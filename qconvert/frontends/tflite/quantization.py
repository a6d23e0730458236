"""QUANTIZE, DEQUANTIZE and FAKE_QUANT."""

from __future__ import annotations

import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.quant_ops import ConstFakeQuantOp
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.ir import UniformQuantizedType, element_type, is_float, quantized
from qconvert.support.errors import ConversionError


@tflite_op("QUANTIZE")
def quantize(ctx: OpContext) -> SSAValue:
    """Quantize floats, by channels too, or requantize integers to another scale."""
    value, result = ctx.value(), ctx.result_type()
    if not isinstance(result, UniformQuantizedType) or not (quantized(value) or is_float(element_type(value))):
        raise ConversionError(f"{element_type(value)} cannot be quantized to {result}")
    if result.is_per_axis and quantized(value) is not None:
        raise ConversionError(f"{element_type(value)} cannot be quantized to {result}", hint="LiteRT needs floats")
    return ctx.emit(stablehlo.UniformQuantizeOp(value, result), litert())


@tflite_op("DEQUANTIZE")
def dequantize(ctx: OpContext) -> SSAValue:
    """Dequantize integers; weights stored as 16-bit floats are converted."""
    value, result = ctx.value(), ctx.result_type()
    if quantized(value) is None:
        return ctx.emit(stablehlo.ConvertOp(value, result))
    return ctx.emit(stablehlo.UniformDequantizeOp(value, result), litert())


@tflite_op("FAKE_QUANT")
def fake_quant(ctx: OpContext) -> SSAValue:
    """Round floats to the values of an integer type; later passes nudge the range as TensorFlow does."""
    options = ctx.options(tflite.FakeQuantOptions)
    return ctx.emit(
        ConstFakeQuantOp(
            ctx.value(),
            options.Min(),
            options.Max(),
            options.NumBits(),
            narrow_range=options.NarrowRange(),
            is_signed=True,
        )
    )
