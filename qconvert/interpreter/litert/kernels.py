"""LiteRT's reference kernels in numpy, with the same integers.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import composite, stablehlo
from qconvert.expansion.registry import follows_of
from qconvert.interpreter.contraction import wide_sums
from qconvert.interpreter.implementation import LITERT, LITERT_OF_FLOATS, Array, Implementation
from qconvert.ir import Arithmetic, UniformQuantizedType, numpy_dtype, quantized
from qconvert.numerics import Rounding
from qconvert.numerics.fixed_point import Integers
from qconvert.support.errors import ConversionError

Kernel: TypeAlias = "Callable[[Operation, Sequence[Array], Arithmetic], Array]"


def kernel(*kinds: type[Operation], of_floats: bool = False) -> Callable[[Kernel], Kernel]:
    """Register a kernel, which takes the op's arithmetic as third argument."""

    def decorate(function: Kernel) -> Kernel:
        def run(op: Operation, operands: Sequence[Array]) -> Array:
            return function(op, operands, follows_of(op))

        implementation: Implementation = run
        (LITERT_OF_FLOATS if of_floats else LITERT).register(*kinds)(implementation)
        return function

    return decorate


def quantized_element(value: SSAValue) -> UniformQuantizedType:
    """Return the quantized type of a value.

    Raises ConversionError for a value that is not quantized.
    """
    element = quantized(value)
    if element is None:
        raise ConversionError(f"LiteRT's integer arithmetic needs a quantized type, found {value.type}")
    return element


def centred(value: SSAValue, array: Array) -> Integers:
    """Return storage integers minus their zero points."""
    element = quantized_element(value)
    return np.asarray(array.astype(np.int64) - element.broadcast(element.zero_points, array.shape))


def stored(value: Integers, result: SSAValue) -> Array:
    """Return integers plus the result's zero point in the result's storage type."""
    element = quantized_element(result)
    shifted = value + element.zero_point
    return np.clip(shifted, element.storage.minimum, element.storage.maximum).astype(numpy_dtype(element))


def rescaled(value: Integers, factor: Any, rounding: Rounding, width: int = 32) -> Integers:
    """Return ``MultiplyByQuantizedMultiplier`` with one factor, or one for each slice of the last dimension."""
    if np.size(factor) == 1 and not np.any(factor):
        return np.zeros_like(value)
    multiplier, shift = numerics.multiplier_and_shift(np.asarray(factor, np.float64), width)
    return numerics.apply_rescale(value, multiplier.astype(np.int64), shift.astype(np.int64), rounding)


@kernel(stablehlo.UniformQuantizeOp, of_floats=True)
def quantize(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Return ``round(x / scale) + zero_point`` of floats, in f32, halves away from zero."""
    element = quantized_element(op.results[0])
    real = operands[0].astype(np.float32)
    scales, zero_points = (element.broadcast(part, real.shape) for part in (element.scales, element.zero_points))
    rounded: Array = numerics.round_half_away(real / scales.astype(np.float32)).astype(np.float64) + zero_points
    return np.clip(rounded, element.storage.minimum, element.storage.maximum).astype(numpy_dtype(element))


@kernel(composite.WideConvolutionOp)
def wide_convolution(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Return 64-bit sums times a multiplier, rounded once: halves up by 16 bits, and away from zero by 32 bits."""
    assert isinstance(op, composite.WideConvolutionOp)
    sums, factor = wide_sums(op, operands), op.accumulator_scales / quantized_element(op.result).scale
    if follows.multiplier_width == 32:
        return stored(np.sign(sums) * _rescaled_48(np.abs(sums), factor), op.result)
    return stored(rescaled(sums, numerics.reduced_factor(factor), follows.rounding, 16), op.result)


_LOW = 16
"""Number of low bits that are multiplied separately, so that no product exceeds 64 bits."""


def _rescaled_48(value: Integers, factor: Any) -> Integers:
    """Return values of up to 48 bits times a 32-bit multiplier, rounded once."""
    multiplier, shift = (part.astype(np.int64) for part in numerics.multiplier_and_shift(factor))
    if shift.min(initial=_LOW + 1) <= _LOW:  # such a factor saturates all values beyond 32 bits
        return rescaled(np.clip(value, -(1 << 31), (1 << 31) - 1), factor, Rounding.SINGLE_ROUND)
    high, low = value >> _LOW, value & ((1 << _LOW) - 1)
    carried = (low * multiplier + (np.int64(1) << (shift - 1))) >> _LOW
    return np.asarray((high * multiplier + carried) >> (shift - _LOW))
