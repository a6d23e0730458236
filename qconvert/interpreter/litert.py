"""LiteRT's reference kernels, integer for integer: what ops marked with its arithmetic compute.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import composite, stablehlo
from qconvert.interpreter.contraction import wide_sums
from qconvert.interpreter.core import LITERT, Array, Implementation
from qconvert.ir.arithmetic import Arithmetic, RescaleRounding, arithmetic
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import numpy_dtype, quantized
from qconvert.numerics import Rounding, fixed_point
from qconvert.numerics.fixed_point import Integers
from qconvert.support.errors import ConversionError

Kernel: TypeAlias = "Callable[[Operation, Sequence[Array], Arithmetic], Array]"


def kernel(*kinds: type[Operation]) -> Callable[[Kernel], Kernel]:
    """Register a kernel, which is given the op's arithmetic, too."""

    def decorate(function: Kernel) -> Kernel:
        def run(op: Operation, operands: Sequence[Array]) -> Array:
            found = arithmetic(op)
            assert found is not None
            return function(op, operands, found)

        implementation: Implementation = run
        LITERT.register(*kinds)(implementation)
        return function

    return decorate


def quantized_element(value: SSAValue) -> UniformQuantizedType:
    """The quantized type of a value; raises ConversionError where it has none."""
    element = quantized(value)
    if element is None:
        raise ConversionError(f"LiteRT's integer arithmetic needs a quantized type, found {value.type}")
    return element


def centred(value: SSAValue, array: Array) -> Integers:
    """Storage integers less their zero points."""
    element = quantized_element(value)
    return np.asarray(array.astype(np.int64) - element.broadcast(element.zero_points, array.shape))


def stored(value: Integers, result: SSAValue) -> Array:
    """Integers without zero point in the result's storage."""
    element = quantized_element(result)
    shifted = value + element.zero_point
    return np.clip(shifted, element.storage.minimum, element.storage.maximum).astype(numpy_dtype(element))


def rescaled(value: Integers, factor: Any, rounding: Rounding, width: int = 32) -> Integers:
    """``MultiplyByQuantizedMultiplier``: a factor for all, or one for each slice of the last dimension."""
    if np.size(factor) == 1 and not np.any(factor):
        return np.zeros_like(value)
    multiplier, shift = numerics.multiplier_and_shift(np.asarray(factor, np.float64), width)
    return numerics.apply_rescale(value, multiplier.astype(np.int64), shift.astype(np.int64), rounding)


@kernel(stablehlo.UniformQuantizeOp)
def requantize(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Accumulators, or integers of another scale, times the quotient of the scales; floats as LiteRT's QUANTIZE."""
    source, result = quantized(op.operands[0]), quantized_element(op.results[0])
    if source is None:
        return _quantized(operands[0], result)
    value, rounding = centred(op.operands[0], operands[0]), Rounding(follows.rounding)
    factor = quotient(follows, source.scales, result.scale)
    return stored(rescaled(value, factor, rounding, follows.multiplier_width), op.results[0])


def quotient(follows: Arithmetic, dividend: Any, divisor: Any) -> Any:
    """A quotient of scales in the float type that the arithmetic names, as a float64."""
    dtype = np.float32 if follows.multiplier_float_width == 32 else np.float64
    with np.errstate(over="ignore"):  # of scales that a rescale refuses
        return (np.asarray(dividend, dtype) / np.asarray(divisor, dtype)).astype(np.float64)


def _quantized(real: Array, element: UniformQuantizedType) -> Array:
    """``round(x / scale) + zero_point`` in f32, halves away from zero."""
    quotient = real.astype(np.float32) / np.float32(element.scale)
    rounded = round_away(quotient).astype(np.float64) + element.zero_point
    return np.clip(rounded, element.storage.minimum, element.storage.maximum).astype(numpy_dtype(element))


def round_away(x: Array) -> Array:
    """The nearest integer as a float, halves away from zero."""
    return np.asarray(np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x))


@kernel(stablehlo.AddOp, stablehlo.SubtractOp)
def add(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Both operands shifted left and brought to twice the larger scale, added, brought to the result's.

    Without a left shift scales are powers of two: the operand of the smaller one is shifted to the right.
    """
    elements, result = [quantized_element(value) for value in op.operands], quantized_element(op.results[0])
    twice, rounding = 2 * max(element.scale for element in elements), Rounding(follows.rounding)
    if not follows.left_shift:
        lhs, rhs = (
            fixed_point.divide_by_power(array, right_shift(element, result))
            for array, element in zip(operands, elements, strict=True)
        )
        return stored(lhs + rhs if isinstance(op, stablehlo.AddOp) else lhs - rhs, op.results[0])
    lhs, rhs = (
        rescaled(centred(value, array) << follows.left_shift, element.scale / twice, rounding)
        for value, array, element in zip(op.operands, operands, elements, strict=True)
    )
    total = lhs + rhs if isinstance(op, stablehlo.AddOp) else lhs - rhs
    return stored(rescaled(total, twice / (2.0**follows.left_shift * result.scale), rounding), op.results[0])


def right_shift(element: UniformQuantizedType, result: UniformQuantizedType) -> int:
    """How many times an operand's scale doubles up to the result's, both powers of two."""
    return int(np.frexp(result.scale / element.scale)[1]) - 1


@kernel(stablehlo.MultiplyOp)
def multiply(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The product of the integers times a factor that LiteRT computes in f32."""
    scales = (quantized_element(value).scale for value in op.operands)
    factor = numerics.float_factor(*scales, over=quantized_element(op.results[0]).scale)
    product = centred(op.operands[0], operands[0]) * centred(op.operands[1], operands[1])
    return stored(rescaled(product, factor, Rounding(follows.rounding)), op.results[0])


@kernel(stablehlo.ReduceWindowOp)
def pool(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The sum of the stored integers divided by their number, halves away from zero."""
    assert isinstance(op, stablehlo.ReduceWindowOp)
    window, count = op.window, prod(op.window.size)
    windows = np.lib.stride_tricks.sliding_window_view(operands[0].astype(np.int64), window.size)
    steps = tuple(slice(None, None, step) for step in window.strides)
    total = windows[steps].sum(axis=tuple(range(-len(window.size), 0)))
    element = quantized_element(op.results[0])
    cut = averaged(total, np.asarray(count), follows)
    return np.clip(cut, element.storage.minimum, element.storage.maximum).astype(numpy_dtype(element))


def averaged(total: Integers, count: Integers, follows: Arithmetic) -> Integers:
    """Quotients of sums of stored integers: halves away from zero, or up where the integers were unsigned."""
    if follows.rounding is RescaleRounding.SINGLE:
        return np.asarray((2 * total + count) // (2 * count))
    magnitude = (np.abs(total) + count // 2) // count
    return np.where(total > 0, magnitude, -magnitude)


@kernel(composite.WideConvolutionOp)
def wide_convolution(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Sums of 64 bits times a multiplier of 16 or 32, rounded once."""
    assert isinstance(op, composite.WideConvolutionOp)
    sums, factor = wide_sums(op, operands), op.accumulator_scales / quantized_element(op.result).scale
    if follows.multiplier_width == 32:
        return stored(_rescaled_48(sums, factor), op.result)
    return stored(rescaled(sums, numerics.reduced_factor(factor), Rounding(follows.rounding), 16), op.result)


_LOW = 16
"""The bits that are multiplied on their own, so that no product leaves 64 bits."""


def _rescaled_48(value: Integers, factor: Any) -> Integers:
    """Values of up to 48 bits times a multiplier of 32, rounded once."""
    multiplier, shift = (part.astype(np.int64) for part in numerics.multiplier_and_shift(factor))
    if shift.min(initial=_LOW + 1) <= _LOW:  # so large a factor that 32 bits of the value say what saturates
        return rescaled(np.clip(value, -(1 << 31), (1 << 31) - 1), factor, Rounding.SINGLE_ROUND)
    high, low = value >> _LOW, value & ((1 << _LOW) - 1)
    carried = (low * multiplier + (np.int64(1) << (shift - 1))) >> _LOW
    return np.asarray((high * multiplier + carried) >> (shift - _LOW))
