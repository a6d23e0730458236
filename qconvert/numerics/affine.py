"""Affine quantization, ``real = (stored - zero_point) * scale``, in the two orders that the standards define.

ONNX rounds and then adds the zero point, StableHLO adds it and then rounds. The two differ on exact ties when the zero
point is odd, because both round half to even.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from qconvert.support.errors import ConversionError

Array = npt.NDArray[Any]

TIE_TOLERANCE = 2.0**-40
"""The distance from .5 that still counts as a tie, relative to ``max(1, |value|)``: a few float64 roundings."""

_TIE_LIMIT = 2.0**32  # beyond it the tolerance would swallow everything, and every storage type has saturated
_NEAR = 2.0**-6
"""The distance from a half within which a value is tried for a tie; a tolerance of half of it needs no care."""
_PIECE = 1 << 14
"""The number of values that are rounded at once, whose array fits in a first- or second-level cache."""
_FLOAT32_STORAGE_BITS = 16  # integers of 16 bits plus a zero point are exact in float32; wider storage needs float64
_INT32 = np.iinfo(np.int32)


def quantize_onnx(
    x: npt.ArrayLike,
    scale: npt.ArrayLike,
    zero_point: npt.ArrayLike,
    storage_min: int,
    storage_max: int,
    dtype: npt.DTypeLike,
) -> Array:
    """Return ``clamp(rne(x / scale) + zero_point)``: ONNX QuantizeLinear, as onnxruntime's CPU kernel computes it.

    ``scale`` and ``zero_point`` broadcast against ``x``. The division is in x's type, at least float32
    (onnxruntime widens float16). Infinities saturate and NaN becomes ``storage_min``, as in onnxruntime's float32
    kernels to 8 and 16 bits. On x86 its float16 kernels, and its 4-bit kernel for a trailing odd element, give
    ``storage_min`` for quotients outside int32 of either sign (an undefined C++ conversion); here they
    saturate as the ONNX specification says.
    """
    x = np.asarray(x)
    work = at_least_float32(x.dtype)
    with np.errstate(all="ignore"):
        quotient = x.astype(work, copy=False) / _like(scale, x.dtype).astype(work, copy=False)
    return _round_then_add(quotient, zero_point, storage_min, storage_max, dtype)


def quantize_stablehlo(
    x: npt.ArrayLike,
    scale: npt.ArrayLike,
    zero_point: npt.ArrayLike,
    storage_min: int,
    storage_max: int,
    dtype: npt.DTypeLike,
) -> Array:
    """Return ``rne(clamp(x / scale + zero_point))``: StableHLO uniform_quantize, with division and sum in x's type.

    ``scale`` and ``zero_point`` broadcast against ``x``. Infinities saturate. NaN, which the specification leaves open,
    becomes the storage integer 0, as in StableHLO's interpreter (:func:`integer_of_nan`).
    """
    x = np.asarray(x)
    with np.errstate(all="ignore"):
        shifted = x / _like(scale, x.dtype) + _like(zero_point, x.dtype)
    return _add_then_round(shifted, 0, storage_min, storage_max, dtype)


def dequantize(
    q: npt.ArrayLike, scale: npt.ArrayLike, zero_point: npt.ArrayLike, expressed: npt.DTypeLike = np.float32
) -> Array:
    """Return ``(q - zero_point) * scale``: the subtraction in i32 (wrapping), the product in the expressed type.

    Source: ONNX DequantizeLinear, StableHLO uniform_dequantize. For types narrower than float32 the product is formed
    in float32 and rounded once, as onnxruntime does; for 8-bit storage that equals the product in the narrow type.
    """
    expressed = np.dtype(expressed)
    work = at_least_float32(expressed)
    with np.errstate(all="ignore"):
        product = _difference(np.asarray(q), np.asarray(zero_point), work) * _like(scale, expressed).astype(
            work, copy=False
        )
        return np.asarray(product).astype(expressed, copy=False)


def _difference(q: Array, zero_point: Array, dtype: np.dtype[Any]) -> Array:
    """Return ``q - zero_point`` as floats; of 8 and 16 bits it is exact in float32 as well."""
    if max(q.itemsize, zero_point.itemsize) <= 2 and q.dtype.kind in "iu" and zero_point.dtype.kind in "iu":
        return np.asarray(np.subtract(q, zero_point, dtype=dtype))
    return np.asarray(np.subtract(_like(q, np.dtype(np.int32)), _like(zero_point, np.dtype(np.int32))).astype(dtype))


def requantized_real(
    accumulator: npt.ArrayLike, scale_in: npt.ArrayLike, scale_out: npt.ArrayLike = 1.0
) -> npt.NDArray[np.float64]:
    """Return ``accumulator * scale_in / scale_out`` in float64: the value before rounding and before the zero point.

    Multiplying before dividing keeps ties exact as long as the product fits in 53 bits; a quotient of the scales
    would round. Pass a real multiplier as ``scale_in`` and leave ``scale_out`` at 1.
    """
    product = np.asarray(accumulator, np.float64) * np.asarray(scale_in, np.float64)
    return np.asarray(product / np.asarray(scale_out, np.float64))


def requantize_onnx(
    accumulator: npt.ArrayLike,
    scale_in: npt.ArrayLike,
    scale_out: npt.ArrayLike,
    zero_point: npt.ArrayLike,
    storage_min: int,
    storage_max: int,
    dtype: npt.DTypeLike,
) -> Array:
    """Return ``clamp(rne(accumulator * scale_in / scale_out) + zero_point)`` in float64: ONNX's order (QLinearConv)."""
    real = requantized_real(accumulator, scale_in, scale_out)
    return _round_then_add(real, zero_point, storage_min, storage_max, dtype)


def requantize_stablehlo(
    accumulator: npt.ArrayLike,
    scale_in: npt.ArrayLike,
    scale_out: npt.ArrayLike,
    zero_point: npt.ArrayLike,
    storage_min: int,
    storage_max: int,
    dtype: npt.DTypeLike,
) -> Array:
    """Return ``rne(clamp(accumulator * scale_in / scale_out + zero_point))`` in float64: StableHLO's order."""
    real = requantized_real(accumulator, scale_in, scale_out)
    return _add_then_round(real, zero_point, storage_min, storage_max, dtype)


def nearest_integers(real: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the nearest integers, half to even; values beyond int64, also infinities, saturate."""
    limit = 2.0**63
    rounded = np.clip(np.rint(np.asarray(real, np.float64)), -limit, np.nextafter(limit, 0))
    return np.asarray(rounded.astype(np.int64))


def is_tie(real: npt.ArrayLike, tolerance: float = TIE_TOLERANCE, margin: npt.ArrayLike = 0.0) -> npt.NDArray[np.bool_]:
    """Return a mask of the elements of ``real`` (float64, before rounding) half-way between two integers.

    The tolerance is ``tolerance * max(1, |real|)``, at least ``margin``. Values from 2^32 on, infinities and NaN are
    never ties.
    """
    real = np.asarray(real, np.float64)
    flat = real.reshape(-1)
    if np.any(margin) or min(_TIE_LIMIT, _largest(flat, tolerance)) * tolerance > _NEAR / 2:
        return _is_tie(real, tolerance, margin)
    ties = np.zeros(flat.shape, np.bool_)
    near = near_halves(flat, _NEAR)
    ties[near] = _is_tie(flat[near], tolerance, 0.0)
    return ties.reshape(real.shape)


def _largest(real: npt.NDArray[np.float64], tolerance: float) -> float:
    """Return the largest magnitude of an array of one dimension if it matters for a tolerance, else infinity."""
    if _TIE_LIMIT * tolerance <= _NEAR / 2:
        return np.inf
    return float(np.fmax.reduce(np.abs(real), initial=0.0))


def _is_tie(real: npt.NDArray[np.float64], tolerance: float, margin: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        distance = np.abs(real - np.floor(real) - 0.5)
        near = distance <= np.maximum(tolerance * np.maximum(1.0, np.abs(real)), margin)
    return np.asarray(near & (np.abs(real) < _TIE_LIMIT))


def near_halves(real: Array, distance: float) -> npt.NDArray[np.intp]:
    """Return the places, in an array of one dimension, of floats whose distance from a half is ``distance`` or less."""
    limit, found = real.dtype.type(0.5 - distance), [np.zeros(0, np.intp)]
    with np.errstate(invalid="ignore"):
        for first in range(0, real.size, _PIECE):
            piece = real[first : first + _PIECE]
            apart = np.rint(piece)
            np.abs(np.subtract(piece, apart, out=apart), out=apart)
            found.append(first + np.flatnonzero(apart >= limit))
    return np.concatenate(found)


def quantize_bias(bias: npt.ArrayLike, accumulator_scale: npt.ArrayLike) -> tuple[npt.NDArray[np.int32], float]:
    """Return ``rne(bias / accumulator_scale)`` of a float bias in float64, and the largest loss in LSB.

    Raises ConversionError if a value is not finite or does not fit in int32.
    """
    real = np.asarray(bias, np.float64) / np.asarray(accumulator_scale, np.float64)
    rounded = np.rint(real)
    fits = (rounded >= _INT32.min) & (rounded <= _INT32.max)
    if not fits.all():
        worst = int(np.argmin(fits))
        value = np.broadcast_to(bias, real.shape).flat[worst]
        raise ConversionError(
            f"bias value {value} (element {worst}) is {real.flat[worst]:.6g} LSB of the accumulator, outside int32",
            hint="The scales of the input and the weight are too small for this bias",
        )
    loss = float(np.max(np.abs(real - rounded), initial=0.0))
    return rounded.astype(np.int32), loss


def round_half_even(real: Array) -> Array:
    """Return the nearest whole numbers as floats of the same type, ties to the even one."""
    return np.asarray(np.rint(real))


def round_half_away(real: Array) -> Array:
    """Return the nearest whole numbers as floats of the same type, ties away from zero.

    Adding one half first would round the sum, so that the number below one half becomes 1.
    """
    size = np.abs(real)
    whole = np.trunc(size)
    return np.asarray(np.copysign(whole + (size - whole >= 0.5).astype(real.dtype), real))


def _round_then_add(
    value: npt.ArrayLike, zero_point: npt.ArrayLike, storage_min: int, storage_max: int, dtype: npt.DTypeLike
) -> Array:
    """Round, add and clamp; a float array is overwritten."""
    real = np.asarray(value)
    with np.errstate(all="ignore"):
        rounded = np.rint(real, out=real).astype(rounding_dtype(real.dtype, storage_min, storage_max), copy=False)
        return _saturate(rounded + _like(zero_point, rounded.dtype), storage_min, storage_max, dtype)


def _add_then_round(
    value: npt.ArrayLike, zero_point: npt.ArrayLike, storage_min: int, storage_max: int, dtype: npt.DTypeLike
) -> Array:
    with np.errstate(all="ignore"):
        wide = np.asarray(value).astype(rounding_dtype(np.asarray(value).dtype, storage_min, storage_max), copy=False)
        shifted = np.asarray(wide + _like(zero_point, wide.dtype))
        # The bounds are integers, so clamping before or after the rounding is the same.
        rounded = np.rint(shifted, out=shifted)
        if np.isnan(rounded).any():
            rounded[np.isnan(rounded)] = integer_of_nan(storage_min, storage_max)
        return _saturate(rounded, storage_min, storage_max, dtype)


def integer_of_nan(storage_min: int, storage_max: int) -> int:
    """Return the integer that StableHLO's interpreter gives NaN: the storage's integer nearest to 0."""
    return min(max(0, storage_min), storage_max)


def _saturate(rounded: npt.ArrayLike, storage_min: int, storage_max: int, dtype: npt.DTypeLike) -> Array:
    """Clamp whole numbers; a float array is overwritten."""
    held = np.asarray(rounded)
    kind = held.dtype.type
    is_nan = np.isnan(held)
    if is_nan.any():
        held[is_nan] = kind(storage_min)  # as in onnxruntime
    return held.clip(kind(storage_min), kind(storage_max), out=held).astype(dtype)


def _like(value: npt.ArrayLike, dtype: np.dtype[Any]) -> Array:
    return np.asarray(value).astype(dtype, copy=False)


def at_least_float32(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type to compute in: float32 for narrower floats."""
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype


def rounding_dtype(dtype: np.dtype[Any], storage_min: int, storage_max: int) -> np.dtype[Any]:
    """Return the float type in which every storage value plus a zero point is exact."""
    small = max(-storage_min, storage_max) < 1 << _FLOAT32_STORAGE_BITS
    return at_least_float32(dtype) if small else np.dtype(np.float64)


_BEYOND = 2.0**31
"""More than any integer of 32 bits."""


def activation_bound(scale: float, zero_point: int, real: float) -> int:
    """Return the integer of a real bound as LiteRT's ``CalculateActivationRangeQuantized`` has it.

    It divides in f32 and rounds halves away from zero.
    """
    with np.errstate(over="ignore"):  # a tiny scale gives infinity, which is clipped
        quotient = np.clip(np.float32(real) / np.float32(scale), -_BEYOND, _BEYOND)
    return zero_point + int(np.copysign(np.floor(abs(quotient) + 0.5), quotient))
