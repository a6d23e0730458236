"""LiteRT's functions of one value: tables of f32 results, or integers if LiteRT's kernel computes in integers.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite, stablehlo
from qconvert.interpreter.activation import lookup
from qconvert.interpreter.core import dequantize
from qconvert.interpreter.elementwise import UNARY
from qconvert.interpreter.implementation import LITERT, Array
from qconvert.interpreter.litert.kernels import (
    centred,
    kernel,
    quantized_element,
    rescaled,
    stored,
)
from qconvert.ir import Arithmetic, UniformQuantizedType, numpy_dtype, tensor
from qconvert.numerics import c_library, fixed_point, float_factor, multiplier_and_shift, round_half_away
from qconvert.numerics.fixed_point import Integers, divide_by_power, doubling_high_multiply, multiply_by_power
from qconvert.numerics.interpolated_table import interpolate, interpolated_table, logistic_16, tanh_16
from qconvert.support.errors import ConversionError


def _logistic(x: Array) -> Array:
    return np.asarray(np.float32(1) / (np.float32(1) + c_library.exp(-x)))


_FUNCTIONS: dict[type[Operation], Callable[[Array], Any]] = {
    **UNARY,
    composite.EluOp: lambda x: np.where(x < 0, c_library.expm1(x), x),
    stablehlo.ExponentialOp: c_library.exp,
    stablehlo.LogisticOp: _logistic,
    stablehlo.TanhOp: c_library.tanh,
}
_FIXED_POINT: dict[type[Operation], Callable[[Integers, float], Integers]] = {
    stablehlo.LogisticOp: logistic_16,
    stablehlo.TanhOp: tanh_16,
}
"""16-bit functions whose LiteRT kernel has a table of its own."""

_INTEGERS = (stablehlo.AbsOp, stablehlo.NegateOp, stablehlo.RsqrtOp, stablehlo.SqrtOp)


@kernel(*(kind for kind in _FUNCTIONS if kind not in _INTEGERS))
def table(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Return 8-bit results from f32, halves away from zero; 16-bit results are interpolated between 513 entries."""
    element = quantized_element(op.results[0])
    if element.storage.width == 16:
        return _table_16(op, operands[0], element)
    function = _bounded(op, element)
    real = function(dequantize(operands[0], tensor(op.operands[0])))
    inverse = np.float32(1) / np.float32(element.scale)
    rounded = round_half_away(real.astype(np.float32) * inverse).astype(np.float64) + element.zero_point
    return np.clip(rounded, element.storage.minimum, element.storage.maximum).astype(numpy_dtype(element))


def _table_16(op: Operation, operand: Array, element: UniformQuantizedType) -> Array:
    source = quantized_element(op.operands[0])
    if source.storage.width != 16 or source.zero_point or element.zero_point:
        raise ConversionError(f"LiteRT's 16-bit functions have no zero points, found {source} to {element}")
    value, fixed = operand.astype(np.int64), _FIXED_POINT.get(type(op))
    if fixed is not None:
        return stored(fixed(value, source.scale), op.results[0])
    entries = interpolated_table(_bounded(op, element), source.scale, element.scale)
    return stored(interpolate(entries, value), op.results[0])


def _bounded(op: Operation, element: UniformQuantizedType) -> Callable[[Array], Array]:
    """Return the function in f32; undefined results become an end of the result's range."""
    function, scale = _FUNCTIONS[type(op)], np.float32(element.scale)
    if isinstance(op, stablehlo.LogOp):
        least = np.float32(element.storage.minimum - element.zero_point) * scale
        return lambda x: np.where(x > 0, c_library.log(np.where(x > 0, x, np.float32(1))), least)
    if isinstance(op, stablehlo.RsqrtOp):
        most = np.float32(element.storage.maximum) * scale
        return lambda x: np.where(x > 0, np.float32(1) / np.sqrt(np.where(x > 0, x, np.float32(1))), most)
    return lambda x: np.asarray(function(x))


@kernel(stablehlo.SqrtOp)
def square_root(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Return the root in f32, truncated.

    LiteRT refuses values below 0, which count as 0 here.
    """
    real = np.maximum(dequantize(operands[0], tensor(op.operands[0])), np.float32(0))
    quotients = np.sqrt(real) / np.float32(quantized_element(op.results[0]).scale)
    return stored(np.trunc(quotients).astype(np.int64), op.results[0])


_RSQRT_BITS = 20
"""Number of bits by which LiteRT shifts a reciprocal root to the left to keep it an integer."""


@kernel(stablehlo.RsqrtOp)
def reciprocal_root(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Return the 8-bit result computed in integers, or the 16-bit result by interpolation.

    The 8-bit result of 0 is the largest integer. LiteRT refuses values below 0, which count as 0 here.
    """
    source, element = (quantized_element(value) for value in (op.operands[0], op.results[0]))
    if element.storage.width == 16:
        return _table_16(op, operands[0], element)
    value = centred(op.operands[0], operands[0])
    multiplier, shift = fixed_point.reciprocal_root(np.maximum(value, 1))
    left = np.maximum(_RSQRT_BITS - shift, 0)
    root = fixed_point.divide_by_power(
        fixed_point.doubling_high_multiply(np.int64(1) << left, multiplier), np.maximum(shift - _RSQRT_BITS, 0)
    )
    factor = 1.0 / (float(np.sqrt(np.float32(source.scale)) * np.float32(element.scale)))
    made = rescaled(root, factor / 2.0**_RSQRT_BITS, follows.rounding)
    return np.where(value > 0, stored(made, op.results[0]), element.storage.maximum).astype(numpy_dtype(element))


_RELUISH_SCALE = np.float32(3.0) / np.float32(32768.0)
_SPARE_BITS = 7
"""Number of bits by which operands are shifted to the left to fill 16 bits."""
_FINE = 1 / (1 << _SPARE_BITS)


@kernel(composite.HardSwishOp)
def hard_swish(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Return the operand at the result's scale times a share that grows from 0 at -3 to 1 at 3.

    The arithmetic is 16-bit fixed point.
    """
    source, result = (quantized_element(value) for value in (op.operands[0], op.results[0]))
    wide = centred(op.operands[0], operands[0]) << _SPARE_BITS
    factor, exponent = _multiplier_16(float_factor(_FINE, source.scale, over=result.scale))
    scaled = doubling_high_multiply(wide, factor, 16)
    share = (_reluish(wide, float_factor(_FINE, source.scale, over=float(_RELUISH_SCALE))) + (1 << 15)) >> 1
    product = share * scaled
    truncated = np.where(product >= 0, product >> 15, -(-product >> 15))
    return stored(divide_by_power(truncated, -exponent), op.results[0])


def _reluish(wide: Integers, real: float) -> Integers:
    """Return the value at the scale where 3 is 2^15, saturated; only the last doubling may overflow."""
    factor, exponent = _multiplier_16(real)
    value = multiply_by_power(wide, exponent - 1, 16) if exponent > 0 else wide
    value = doubling_high_multiply(value, factor, 16)
    if exponent > 0:
        return multiply_by_power(value, 1, 16)
    return divide_by_power(value, -exponent)


def _multiplier_16(real: float) -> tuple[int, int]:
    """Return a factor as 16 bits without integer bits, and the exponent of the power of two that scales it."""
    multiplier, shift = multiplier_and_shift(real)
    return min((int(multiplier) + (1 << 15)) >> 16, (1 << 15) - 1), 31 - int(shift)


def hard_swish_is_known(source: UniformQuantizedType, result: UniformQuantizedType) -> bool:
    """Return True if LiteRT accepts these scales: the operand's divided by 2^7 is at most the result's."""
    return _multiplier_16(float_factor(_FINE, source.scale, over=result.scale))[1] <= 0


LITERT.register(composite.LookupOp)(lookup)
