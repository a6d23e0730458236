"""SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION over the last dimension."""

from __future__ import annotations

import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import composite
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.ir import Storage, UniformQuantizedType, quantized, shape
from qconvert.numerics.fixed_point import LEAST_SQUARES
from qconvert.support.errors import ConversionError


@tflite_op("SOFTMAX")
def softmax(ctx: OpContext) -> SSAValue:
    """Return the softmax along the last dimension; raises ConversionError unless beta is 1."""
    beta = ctx.options(tflite.SoftmaxOptions).Beta()
    if beta != 1:
        raise ConversionError(
            f"a softmax with beta {beta:g} is not supported", hint="Multiply its input by beta instead"
        )
    value = ctx.value()
    element = quantized(value)
    if element is not None and element.storage.width != 8:
        _check_16_bits(element, ctx.result_type())
    return ctx.emit(composite.SoftmaxOp(value, len(shape(value)) - 1, element=ctx.result_type()), litert())


def _check_16_bits(element: UniformQuantizedType, result: Attribute) -> None:
    """Raise ConversionError for 16-bit types without a LiteRT kernel."""
    share = UniformQuantizedType.per_tensor(Storage.full(16, signed=True), 2.0**-15, 0)
    if element.storage != share.storage or element.zero_point or result != share:
        raise ConversionError(
            f"a softmax of {element} as {result} is not supported",
            hint=f"LiteRT computes {share} from 16 bits without zero point",
        )


@tflite_op("LOG_SOFTMAX")
def log_softmax(ctx: OpContext) -> SSAValue:
    """Return the logarithm of the softmax along the last dimension.

    LiteRT's fixed-point numbers for 8 bits have 26 bits behind the point, so that the function is computed in f32. The
    results of 8 bits have one scale, 1/16.
    """
    value, result = ctx.value(), ctx.result_type()
    element = quantized(value)
    if element is not None and result != _log_shares(element.storage):
        raise ConversionError(
            f"a logarithm of {element} as {result} is not supported",
            hint="LiteRT has a kernel for 8 bits of scale 1/16",
        )
    return ctx.emit(composite.LogSoftmaxOp(value, len(shape(value)) - 1, element=result))


def _log_shares(storage: Storage) -> UniformQuantizedType | None:
    """Return the type of the results from integers of 8 bits, None for other integers."""
    return UniformQuantizedType.per_tensor(storage, 2.0**-4, storage.maximum) if storage.width == 8 else None


@tflite_op("L2_NORMALIZATION")
def l2_normalization(ctx: OpContext) -> SSAValue:
    """Divide by the root of the sum of squares along the last dimension, which is at least 1e-6 in floats."""
    if ctx.options(tflite.L2NormOptions).FusedActivationFunction() != tflite.ActivationFunctionType.NONE:
        raise ConversionError("an activation fused into L2_NORMALIZATION is not supported")
    value, result = ctx.value(), ctx.result_type()
    element, target = quantized(value), UniformQuantizedType.per_tensor(Storage.full(8, signed=True), 2.0**-7, 0)
    if element is not None and (element.storage != target.storage or result != target):
        raise ConversionError(
            f"an L2 normalization of {element} as {result} is not supported", hint=f"LiteRT computes {target} from int8"
        )
    return ctx.emit(composite.L2NormalizationOp(value, len(shape(value)) - 1, LEAST_SQUARES, element=result), litert())
