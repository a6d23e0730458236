"""LiteRT's softmax of integers.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite
from qconvert.interpreter.core import Array
from qconvert.interpreter.litert import kernel, quantized_element, rescaled
from qconvert.ir.arithmetic import Arithmetic
from qconvert.ir.types import numpy_dtype
from qconvert.numerics import Rounding, fixed_point
from qconvert.numerics.fixed_point import Integers
from qconvert.numerics.interpolated_table import interpolate, interpolated_table, table_between

DIFF_BITS, SUM_BITS = 5, 12
"""The integer bits of a softmax's differences and of its sum."""


@kernel(composite.SoftmaxOp)
def softmax(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Fixed-point exponentials of the differences to the largest, times the reciprocal of their sum."""
    assert isinstance(op, composite.SoftmaxOp)
    axis, element = op.axis.value.data, quantized_element(op.results[0])
    value = operands[0].astype(np.int64)
    difference = value - value.max(axis=axis, keepdims=True)
    if quantized_element(op.operands[0]).storage.width == 16:
        return _softmax_16(op, difference)
    powers = softmax_powers(quantized_element(op.operands[0]).scale, difference)
    total = fixed_point.divide_by_power(powers, SUM_BITS).sum(axis=axis, keepdims=True)
    factor, over = fixed_point.reciprocal(total, SUM_BITS)
    width = element.storage.width
    shares = fixed_point.divide_by_power(fixed_point.doubling_high_multiply(factor, powers), over + 31 - width)
    shifted = shares + element.storage.minimum
    return np.clip(shifted, element.storage.minimum, element.storage.maximum).astype(numpy_dtype(element))


def softmax_powers(scale: float, difference: Integers) -> Integers:
    """Exp of differences in steps of ``scale`` without integer bits; 0 where LiteRT leaves an element out."""
    factor = min(scale * 2.0 ** (31 - DIFF_BITS), 2.0**31 - 1)
    mantissa, exponent = np.frexp(factor)
    multiplier = int(np.floor(mantissa * 2.0**31 + 0.5))
    left = int(exponent)
    if multiplier == 1 << 31:
        multiplier, left = multiplier // 2, left + 1
    least = -int(((1 << DIFF_BITS) - 1) * 2 ** (31 - DIFF_BITS) // 2**left)
    counted = np.maximum(difference, least)
    raw = fixed_point.doubling_high_multiply(counted << left, multiplier)
    return np.where(difference >= least, fixed_point.exp_on_negative_values(raw, DIFF_BITS), 0)


LARGEST = (1 << 15) - 1
"""What stands for 1 in a 16-bit softmax, and the difference of 0 before it is looked up."""

RECIPROCAL_BITS = 14
"""How many bits of the sum are cut off, and rounded, before its reciprocal is looked up."""

_SPAN, _UNIT = 10.0 / 65535.0, 2.0 / 65535.0


def power_table() -> Integers:
    """The exponentials of -10 to 0."""
    return interpolated_table(np.exp, _SPAN, _UNIT, LARGEST)


def reciprocal_table() -> Integers:
    """``1 / (1 + x)`` of 0 to 1, in f64."""
    return table_between(lambda x: 1 / (1 + x), np.float64(0), np.float64(1), np.float64(LARGEST + 1))


def difference_factor(op: composite.SoftmaxOp) -> float:
    """What brings differences to steps of which 65535 are 10."""
    return float(np.float32(quantized_element(op.operand).scale)) / _SPAN


def _softmax_16(op: composite.SoftmaxOp, difference: Integers) -> Array:
    """Exponentials and the reciprocal of their sum, both interpolated between 513 values."""
    axis = op.axis.value.data
    scaled = rescaled(difference, difference_factor(op), Rounding.DOUBLE_ROUND) + LARGEST
    powers = interpolate(power_table(), np.clip(scaled, -LARGEST - 1, LARGEST))
    total = powers.sum(axis=axis, keepdims=True)
    bits = np.frexp(total.astype(np.float64))[1].astype(np.int64)
    filled = ((total << (31 - bits)) + (1 << (RECIPROCAL_BITS - 1))) >> RECIPROCAL_BITS
    share = interpolate(reciprocal_table(), np.clip(filled - 3 * (LARGEST + 1), -LARGEST - 1, LARGEST))
    shift = bits - 1
    made = (powers * share + (np.int64(1) << (shift - 1))) >> shift
    return np.asarray(np.clip(made, 0, LARGEST).astype(numpy_dtype(quantized_element(op.result))))
