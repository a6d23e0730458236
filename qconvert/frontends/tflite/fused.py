"""Activations fused into TFLite operators."""

from __future__ import annotations

import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.tflite.context import OpContext
from qconvert.ir import UniformQuantizedType, element_type, is_float, numpy_dtype
from qconvert.numerics import activation_bound, largest_finite
from qconvert.support.errors import ConversionError

_BOUNDS: dict[int, tuple[float | None, float | None]] = {
    tflite.ActivationFunctionType.NONE: (None, None),
    tflite.ActivationFunctionType.RELU: (0.0, None),
    tflite.ActivationFunctionType.RELU_N1_TO_1: (-1.0, 1.0),
    tflite.ActivationFunctionType.RELU6: (0.0, 6.0),
}


def activated(ctx: OpContext, value: SSAValue, function: int) -> SSAValue:
    """Apply an operator's activation: a clamp, for quantized values of the storage integers.

    Raises ConversionError for functions that are not a clamp.
    """
    if function not in _BOUNDS:
        raise ConversionError(f"the fused activation {function} is not supported", hint="Use RELU, RELU6 or none")
    return bounded(ctx, value, *_BOUNDS[function])


def bounded(ctx: OpContext, value: SSAValue, low: float | None, high: float | None) -> SSAValue:
    """Clamp a value between two reals; quantized bounds are those of LiteRT's ``CalculateActivationRangeQuantized``."""
    element = element_type(value)
    if low is None and high is None:
        return value
    if not isinstance(element, UniformQuantizedType):
        if not is_float(element):
            raise ConversionError(f"an activation of {element} is not supported", hint="Quantize it, or use floats")
        limit = largest_finite(numpy_dtype(element))
        return _clamped(ctx, value, -limit if low is None else low, limit if high is None else high)
    storage = element.storage
    least = (
        storage.minimum
        if low is None
        else max(storage.minimum, activation_bound(element.scale, element.zero_point, low))
    )
    most = (
        storage.maximum
        if high is None
        else min(storage.maximum, activation_bound(element.scale, element.zero_point, high))
    )
    if (least, most) == (storage.minimum, storage.maximum):
        return value
    return _clamped(ctx, value, least, most)


def _clamped(ctx: OpContext, value: SSAValue, least: float, most: float) -> SSAValue:
    low, high = (ctx.build.filled(bound, element_type(value)) for bound in (least, most))
    return ctx.emit(stablehlo.ClampOp(low, value, high))
