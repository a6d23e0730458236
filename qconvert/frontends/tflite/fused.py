"""Activations that TFLite's operators carry with them."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.tflite.context import OpContext
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, is_float, numpy_dtype
from qconvert.support.errors import ConversionError

_BOUNDS: dict[int, tuple[float | None, float | None]] = {
    tflite.ActivationFunctionType.NONE: (None, None),
    tflite.ActivationFunctionType.RELU: (0.0, None),
    tflite.ActivationFunctionType.RELU_N1_TO_1: (-1.0, 1.0),
    tflite.ActivationFunctionType.RELU6: (0.0, 6.0),
}


def activated(ctx: OpContext, value: SSAValue, function: int) -> SSAValue:
    """A value after its operator's activation: a clamp, of storage integers where it is quantized.

    Raises ConversionError for functions that no clamp says.
    """
    if function not in _BOUNDS:
        raise ConversionError(f"the fused activation {function} is not supported", hint="Use RELU, RELU6 or none")
    return bounded(ctx, value, *_BOUNDS[function])


def bounded(ctx: OpContext, value: SSAValue, low: float | None, high: float | None) -> SSAValue:
    """A value clamped between two reals; integers as LiteRT's ``CalculateActivationRangeQuantized`` has them."""
    element = element_type(value)
    if low is None and high is None:
        return value
    if not isinstance(element, UniformQuantizedType):
        if not is_float(element):
            raise ConversionError(f"{element} is none of an activation's types", hint="Quantize it, or use floats")
        limit = np.finfo(np.float32).max
        bounds = [ctx.build.filled(-limit if low is None else low, element)]
        bounds.append(ctx.build.filled(limit if high is None else high, element))
        return ctx.emit(stablehlo.ClampOp(bounds[0], value, bounds[1]))
    storage = element.storage
    least = storage.minimum if low is None else max(storage.minimum, _steps(element, low))
    most = storage.maximum if high is None else min(storage.maximum, _steps(element, high))
    if (least, most) == (storage.minimum, storage.maximum):
        return value
    ends = [ctx.build.constant(np.asarray(end, numpy_dtype(element)), element) for end in (least, most)]
    return ctx.emit(stablehlo.ClampOp(ends[0], value, ends[1]))


_BEYOND = 2.0**31


def _steps(element: UniformQuantizedType, real: float) -> int:
    """The integer that stands for a real, halves away from zero, as LiteRT rounds in f32."""
    with np.errstate(over="ignore"):  # the smallest of scales: beyond all integers, on the same side
        quotient = np.clip(np.float32(real) / np.float32(element.scale), -_BEYOND, _BEYOND)
    return element.zero_point + int(np.copysign(np.floor(abs(quotient) + 0.5), quotient))
