"""LiteRT's activations that are not tables of f32 results: LEAKY_RELU, PRELU, HARD_SWISH.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite
from qconvert.interpreter.core import Array
from qconvert.interpreter.litert import centred, kernel, quantized_element, rescaled, stored
from qconvert.ir.arithmetic import Arithmetic
from qconvert.ir.quant import UniformQuantizedType
from qconvert.numerics import Rounding, float_factor, multiplier_and_shift
from qconvert.numerics.fixed_point import Integers, divide_by_power, doubling_high_multiply, multiply_by_power


def leaky_factors(op: composite.LeakyReluOp) -> tuple[float, float]:
    """What values from 0 on are multiplied by, and those below, as LiteRT computes them in f32."""
    source, result = (quantized_element(value).scale for value in (op.operand, op.result))
    return float_factor(source, over=result), float_factor(source, op.factor, over=result)


@kernel(composite.LeakyReluOp)
def leaky_relu(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Two factors, by sign; one below 0 is that of its magnitude and the result's negative."""
    assert isinstance(op, composite.LeakyReluOp)
    value, rounding = centred(op.operand, operands[0]), Rounding(follows.rounding)
    above, below = leaky_factors(op)
    negative = rescaled(value, abs(below), rounding) * (1 if below >= 0 else -1)
    return stored(np.where(value >= 0, rescaled(value, above, rounding), negative), op.result)


def prelu_factors(op: composite.PReluOp) -> tuple[float, float]:
    """What values from 0 on are multiplied by, and products with the slope below, as LiteRT computes them in f32."""
    source, slope, result = (quantized_element(value).scale for value in (op.operand, op.slope, op.result))
    return float_factor(source, over=result), float_factor(source, slope, over=result)


@kernel(composite.PReluOp)
def prelu(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The product of the integers below 0, and a factor by sign."""
    assert isinstance(op, composite.PReluOp)
    value, slope = centred(op.operand, operands[0]), centred(op.slope, operands[1])
    above, below = prelu_factors(op)
    rounding = Rounding(follows.rounding)
    negative = rescaled(value * slope, below, rounding)
    return stored(np.where(value >= 0, rescaled(value, above, rounding), negative), op.result)


_RELUISH_SCALE = np.float32(3.0) / np.float32(32768.0)
_SPARE_BITS = 7
"""How far operands are shifted to the left to fill 16 bits."""
_FINE = 1 / (1 << _SPARE_BITS)


@kernel(composite.HardSwishOp)
def hard_swish(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """16-bit fixed point: the operand at the result's scale, times a share that grows from 0 at -3 to 1 at 3."""
    source, result = (quantized_element(value) for value in (op.operands[0], op.results[0]))
    wide = centred(op.operands[0], operands[0]) << _SPARE_BITS
    factor, exponent = _multiplier_16(float_factor(_FINE, source.scale, over=result.scale))
    scaled = doubling_high_multiply(wide, factor, 16)
    share = (_reluish(wide, float_factor(_FINE, source.scale, over=float(_RELUISH_SCALE))) + (1 << 15)) >> 1
    product = share * scaled
    cut = np.where(product >= 0, product >> 15, -(-product >> 15))
    return stored(divide_by_power(cut, -exponent), op.results[0])


def _reluish(wide: Integers, real: float) -> Integers:
    """The value where 3 is 2^15, saturated; only the last doubling may lose something."""
    factor, exponent = _multiplier_16(real)
    value = multiply_by_power(wide, exponent - 1, 16) if exponent > 0 else wide
    value = doubling_high_multiply(value, factor, 16)
    if exponent > 0:
        return multiply_by_power(value, 1, 16)
    return divide_by_power(value, -exponent)


def _multiplier_16(real: float) -> tuple[int, int]:
    """A factor as 16 bits without integer bits, and the power of two it is multiplied by."""
    multiplier, shift = multiplier_and_shift(real)
    return min((int(multiplier) + (1 << 15)) >> 16, (1 << 15) - 1), 31 - int(shift)


def hard_swish_is_known(source: UniformQuantizedType, result: UniformQuantizedType) -> bool:
    """Whether LiteRT takes these scales: the operand's, less seven bits, is at most the result's."""
    return _multiplier_16(float_factor(_FINE, source.scale, over=result.scale))[1] <= 0
