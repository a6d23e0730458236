"""Quantize, dequantize and requantize in plain ops, in the same steps as ``numerics``.

Every division, sum and product has the type that the interpreter uses, so that the integers are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import (
    Arithmetic,
    ArithmeticFamily,
    Storage,
    UniformQuantizedType,
    element_type,
    f64,
    from_numpy_dtype,
    i32,
    numpy_dtype,
    shape,
)
from qconvert.rewriting import converted


def spread(build: OpBuilder, parameters: NDArray[Any], element: Attribute, like: SSAValue) -> SSAValue:
    """Return a constant of ``element`` in the shape of ``like``; ``parameters`` broadcast against it."""
    array = parameters.astype(numpy_dtype(element))
    if array.size == 1:
        return build.filled(array.reshape(()), element, shape(like))
    return build.broadcast(build.constant(array, element), shape(like))


def centred(build: OpBuilder, value: SSAValue, type: UniformQuantizedType, wide: Attribute = i32) -> SSAValue:
    """Return storage integers less their zero points, in a type that holds them."""
    integers = converted(build, value, wide)
    if type.has_zero_zero_point:
        return integers
    zero_points = spread(build, type.broadcast(type.zero_points, shape(value)), wide, value)
    return build.add(stablehlo.SubtractOp(integers, zero_points))


def scaled(build: OpBuilder, integers: SSAValue, scales: NDArray[Any], element: Attribute) -> SSAValue:
    """Return integers as floats of ``element``, times ``scales``."""
    real = converted(build, integers, element)
    return build.add(stablehlo.MultiplyOp(real, spread(build, scales, element, real)))


def dequantized(build: OpBuilder, value: SSAValue, type: UniformQuantizedType) -> SSAValue:
    """Return ``(q - zero_point) * scale`` in the expressed type; narrow floats are rounded once, from f32."""
    narrow = numpy_dtype(type.expressed_type)
    scales = type.broadcast(type.scales, shape(value)).astype(narrow)
    real = scaled(build, centred(build, value, type), scales, from_numpy_dtype(numerics.at_least_float32(narrow)))
    return converted(build, real, type.expressed_type)


def quantized_integers(
    build: OpBuilder, real: SSAValue, type: UniformQuantizedType, arithmetic: Arithmetic | None, *, is_nan: bool = True
) -> SSAValue:
    """Return storage integers of floats, in the rounding order of ``arithmetic``.

    ``is_nan`` states that NaN may occur. StableHLO's order converts NaN to 0, the others to the smallest integer.
    """
    storage = type.storage
    family = ArithmeticFamily.STABLEHLO if arithmetic is None else arithmetic.family
    if family is ArithmeticFamily.STABLEHLO:
        rounded = _shifted_then_rounded(build, real, type)
        of_nan = numerics.integer_of_nan(storage.minimum, storage.maximum)
    else:
        rounded, of_nan = _rounded_then_shifted(build, real, type, _ROUNDS[family]), storage.minimum
    known = _without_nan(build, rounded, of_nan) if is_nan else rounded
    return converted(build, clamped(build, known, storage), type.storage_type)


def _shifted_then_rounded(build: OpBuilder, real: SSAValue, type: UniformQuantizedType) -> SSAValue:
    """Return ``rne(x / scale + zero_point)`` (StableHLO), with division and sum in the type of ``x``."""
    dtype = numpy_dtype(element_type(real))
    quotient = _divided(build, real, type, dtype)
    shifted = _with_zero_points(build, quotient, type)
    return build.add(stablehlo.RoundNearestEvenOp(converted(build, shifted, _exact(dtype, type))))


_ROUNDS: dict[ArithmeticFamily, Callable[[SSAValue], Operation]] = {
    ArithmeticFamily.ONNX: stablehlo.RoundNearestEvenOp,
    ArithmeticFamily.LITERT: stablehlo.RoundNearestAfzOp,
}


def _rounded_then_shifted(
    build: OpBuilder, real: SSAValue, type: UniformQuantizedType, rounds: Callable[[SSAValue], Operation]
) -> SSAValue:
    """Return ``round(x / scale) + zero_point`` (ONNX: half to even, LiteRT: half away from zero), in f32 at least."""
    dtype = numpy_dtype(element_type(real))
    work = numerics.at_least_float32(dtype)
    quotient = _divided(build, converted(build, real, from_numpy_dtype(work)), type, dtype)
    rounded = build.add(rounds(quotient))
    return _with_zero_points(build, converted(build, rounded, _exact(work, type)), type)


def _divided(build: OpBuilder, real: SSAValue, type: UniformQuantizedType, dtype: np.dtype[Any]) -> SSAValue:
    """Return values divided by the scales, which are rounded to ``dtype`` first."""
    scales = type.broadcast(type.scales, shape(real)).astype(dtype)
    return build.add(stablehlo.DivideOp(real, spread(build, scales, element_type(real), real)))


def _with_zero_points(build: OpBuilder, real: SSAValue, type: UniformQuantizedType) -> SSAValue:
    if type.has_zero_zero_point:
        return real
    zero_points = type.broadcast(type.zero_points, shape(real))
    return build.add(stablehlo.AddOp(real, spread(build, zero_points, element_type(real), real)))


def _exact(dtype: np.dtype[Any], type: UniformQuantizedType) -> Attribute:
    storage = type.storage
    return from_numpy_dtype(numerics.rounding_dtype(dtype, storage.minimum, storage.maximum))


def clamped(build: OpBuilder, value: SSAValue, storage: Storage) -> SSAValue:
    """Return numbers clamped to the storage's range."""
    return build.clamp(value, storage.minimum, storage.maximum)


def _without_nan(build: OpBuilder, value: SSAValue, integer: int) -> SSAValue:
    """Return ``value`` with an integer in place of NaN, which is the only value not equal to itself."""
    is_number = build.add(stablehlo.CompareOp(value, value, stablehlo.ComparisonDirection.EQ))
    return build.add(stablehlo.SelectOp(is_number, value, build.filled_like(integer, value)))


def requantized(
    build: OpBuilder,
    integers: SSAValue,
    scales: NDArray[Any],
    type: UniformQuantizedType,
    arithmetic: Arithmetic | None,
) -> SSAValue:
    """Return exact integers at ``scales``, which broadcast against them, as integers of ``type``; computed in f64."""
    return quantized_integers(build, scaled(build, integers, scales, f64), type, arithmetic, is_nan=False)
