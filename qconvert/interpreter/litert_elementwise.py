"""LiteRT's functions of two values beside sums and products: DIV, SQUARED_DIFFERENCE, MINIMUM, MAXIMUM.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite, stablehlo
from qconvert.interpreter.core import Array
from qconvert.interpreter.litert import centred, kernel, quantized_element, rescaled, stored
from qconvert.ir.arithmetic import Arithmetic
from qconvert.numerics import Rounding, fixed_point, float_factor, multiplier_and_shift
from qconvert.numerics.fixed_point import Integers


@kernel(stablehlo.MaximumOp)
def maximum(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The larger integer; the importer sees to it that types are equal."""
    return np.maximum(*operands)


@kernel(stablehlo.MinimumOp)
def minimum(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The smaller integer."""
    return np.minimum(*operands)


@kernel(stablehlo.DivideOp)
def divide(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The dividend, shifted as far as it goes, times the divisor's reciprocal; then the factor of the scales.

    LiteRT refuses a divisor of 0, which counts as 1 here.
    """
    lhs, rhs = (centred(value, array) for value, array in zip(op.operands, operands, strict=True))
    multiplier, shift = division_factor(op)
    dividend, divisor = np.where(rhs < 0, -lhs, lhs), np.maximum(np.abs(rhs), 1)
    inverse, over = fixed_point.reciprocal(divisor, 31)
    magnitude = np.where(dividend < 0, ~dividend, dividend)
    headroom = 31 - np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)
    quotient = fixed_point.doubling_high_multiply(dividend << headroom, inverse)
    product = fixed_point.doubling_high_multiply(quotient, multiplier)
    return stored(_divided(product, shift - 31 + over + headroom), op.results[0])


def division_factor(op: Operation) -> tuple[int, int]:
    """Multiplier and right shift of the quotient of the scales, which LiteRT computes in f32."""
    lhs, rhs, result = (quantized_element(value).scale for value in (*op.operands, op.results[0]))
    multiplier, shift = multiplier_and_shift(float_factor(lhs, over=float_factor(rhs, result, over=1.0)))
    return int(multiplier), int(shift)


def _divided(value: Integers, places: Integers) -> Integers:
    """``value / 2^places`` in LiteRT's 32 bits, where 32 places and more are 32 too few, and never round down."""
    near = fixed_point.divide_by_power(value, np.clip(places, 0, 31))
    return np.where(places < 32, near, (value >> np.clip(places - 32, 0, 31)) + (value >= 0))


@kernel(composite.SquaredDifferenceOp)
def squared_difference(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Both operands shifted left and brought to twice the larger scale; their difference's square to the result's."""
    elements, result = [quantized_element(value) for value in op.operands], quantized_element(op.results[0])
    twice, rounding = 2 * max(element.scale for element in elements), Rounding(follows.rounding)
    lhs, rhs = (
        rescaled(centred(value, array) << follows.left_shift, element.scale / twice, rounding)
        for value, array, element in zip(op.operands, operands, elements, strict=True)
    )
    factor = twice * twice / (4.0**follows.left_shift * result.scale)
    return stored(rescaled((lhs - rhs) ** 2, factor, rounding), op.results[0])
