"""Convolutions of 16-bit by 8-bit integers, whose sums take 48 bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.expansion.builder import i48
from qconvert.expansion.expander import Expander, per_tensor
from qconvert.expansion.halves import has_halves
from qconvert.expansion.registry import follows_of
from qconvert.expansion.wide import largest_wide_sum, requantized_sums
from qconvert.ir import i64, quantized_element, shape, tensor_type
from qconvert.numerics import multiplier_and_shift
from qconvert.passes.rescaling.legalize_quant_to_math.arithmetic import centred, clamped
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, drop
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import multiplied, parameter
from qconvert.rewriting import as_integers, converted


def wide_convolution(op: composite.WideConvolutionOp, build: Translation) -> SSAValue:
    """Convolve in 64 bits, add the bias, and rescale by multipliers of 16 bits as RESCALE does, or of 32 bits."""
    lhs, rhs = (centred(build, as_integers(build, side), quantized_element(side), i64) for side in (op.lhs, op.rhs))
    made = build.add(stablehlo.ConvolutionOp(lhs, rhs, op.numbers, op.window, feature_group_count=op.groups))
    sums = build.add(stablehlo.AddOp(made, build.broadcast(op.bias, shape(made))))
    if follows_of(op).multiplier_width == 32:
        return _by_32_bits(op, build, sums, op.accumulator_scales / per_tensor(op.result).scale)
    expander, block = Expander(), Block(arg_types=[tensor_type(i48, shape(sums))])
    build.define(block.args[0], sums)
    stored = requantized_sums(op, expander, block.args[0])
    build.translate(expander.ops)
    found = build[stored]
    drop(expander.ops)
    return found


_LOW = 16
"""Number of low bits that are multiplied separately, so that no product exceeds 64 bits."""


def _by_32_bits(
    op: composite.WideConvolutionOp, build: Translation, sums: SSAValue, factor: NDArray[np.float64]
) -> SSAValue:
    """Multiply integers of up to 48 bits by multipliers of 32 bits, and round once, halves away from zero."""
    target, sign = per_tensor(op.result), None
    if has_halves(factor, largest_wide_sum(op)):
        sign, sums = build.add(stablehlo.SignOp(sums)), build.add(stablehlo.AbsOp(sums))
    multiplier, shift = (part.astype(np.int64) for part in multiplier_and_shift(factor))
    if shift.min() <= _LOW:  # such a factor saturates all values beyond 32 bits
        made = multiplied(build, build.clamp(sums, -(1 << 31), (1 << 31) - 1), multiplier, shift)
    else:
        made = _in_two_parts(build, sums, multiplier, shift)
    made = made if sign is None else build.add(stablehlo.MultiplyOp(made, sign))
    return converted(build, clamped(build, build.plus(made, target.zero_point), target.storage), target.storage_type)


def _in_two_parts(
    build: Translation, value: SSAValue, multiplier: NDArray[np.int64], shift: NDArray[np.int64]
) -> SSAValue:
    """Multiply the low bits and the other bits, and add the products where they have the same number of bits."""
    sizes = shape(value)
    factor = parameter(build, multiplier, sizes)
    low = build.add(stablehlo.AndOp(value, build.filled_like((1 << _LOW) - 1, value)))
    high = build.add(stablehlo.ShiftRightArithmeticOp(value, build.filled_like(_LOW, value)))
    half = parameter(build, np.left_shift(np.int64(1), shift - 1), sizes)
    rounded = build.add(stablehlo.AddOp(build.add(stablehlo.MultiplyOp(low, factor)), half))
    carried = build.add(stablehlo.ShiftRightArithmeticOp(rounded, build.filled_like(_LOW, value)))
    total = build.add(stablehlo.AddOp(build.add(stablehlo.MultiplyOp(high, factor)), carried))
    return build.add(stablehlo.ShiftRightArithmeticOp(total, parameter(build, shift - _LOW, sizes)))
