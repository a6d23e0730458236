"""LiteRT's softmax of integers: its exponentials from tables, its reciprocal step by step or from a table."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.builder import i16
from qconvert.backends.tosa.lowering import Lowering, lowers_litert, per_tensor
from qconvert.backends.tosa.normalization import below_largest, filled
from qconvert.dialects import composite, tosa
from qconvert.interpreter.litert_softmax import (
    LARGEST,
    RECIPROCAL_BITS,
    SUM_BITS,
    difference_factor,
    power_table,
    reciprocal_table,
    softmax_powers,
)
from qconvert.ir.types import i8, i32
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.numerics.fixed_point import MINUS_32_OVER_17, NEWTON_STEPS, OVER_17_48, Integers
from qconvert.support.errors import ConversionError

_STEP_BITS = 7
"""A 16-bit TABLE gives 128 times its entries."""


@lowers_litert(composite.SoftmaxOp)
def softmax(op: composite.SoftmaxOp, lower: Lowering) -> SSAValue:
    """Raises ConversionError for all but integers of 8 bits, or of 16, at LiteRT's scales."""
    source, target, axis = per_tensor(op.operand), per_tensor(op.result), op.axis.value.data
    if (source.storage.width, target.storage.width) == (16, 16):
        return _of_16_bits(op, lower)
    width = target.storage.width
    if source.storage.width != 8 or width not in (8, 16):
        raise ConversionError(f"only softmax of integers of one width follows LiteRT, found {source} to {target}")
    powers = _powers(lower, below_largest(lower, lower[op.operand], axis), source.scale)
    places = filled(lower, SUM_BITS, powers)
    total = lower.add(tosa.ReduceSumOp(lower.add(tosa.ArithmeticRightShiftOp(powers, places, rounds=True)), axis))
    headroom = lower.add(tosa.ClzOp(total))
    products = lower.multiply(powers, reciprocal(lower, total, headroom), shift=31)
    shift = lower.add(tosa.SubOp(filled(lower, SUM_BITS + 31 - width, headroom), headroom))
    shares = lower.add(tosa.ArithmeticRightShiftOp(products, shift, rounds=True))
    if width == 16:
        lowest = filled(lower, target.storage.minimum, shares)
        return lower.rescale(lower.add(tosa.AddOp(shares, lowest)), 1.0, i16)
    return lower.rescale(shares, 1.0, i8, ZeroPoints(0, target.storage.minimum))


def _of_16_bits(op: composite.SoftmaxOp, lower: Lowering) -> SSAValue:
    """Exponentials and the reciprocal of their sum from a TABLE each, which interpolates as LiteRT does."""
    axis, wide = op.axis.value.data, lower.centred(op.operand)
    difference = lower.add(tosa.SubOp(wide, lower.add(tosa.ReduceMaxOp(wide, axis))))
    scaled = lower.rescale(difference, difference_factor(op), i32, rounding=Rounding.DOUBLE_ROUND)
    powers = _interpolated(lower, lower.add(tosa.AddOp(scaled, filled(lower, LARGEST, scaled))), power_table())
    total = lower.add(tosa.ReduceSumOp(powers, axis))
    leading, one = lower.add(tosa.ClzOp(total)), filled(lower, 1, total)
    shifted = lower.add(tosa.LogicalLeftShiftOp(total, lower.add(tosa.SubOp(leading, one))))
    cut = lower.add(tosa.ArithmeticRightShiftOp(shifted, filled(lower, RECIPROCAL_BITS, total), rounds=True))
    place = lower.add(tosa.SubOp(cut, filled(lower, 3 * (LARGEST + 1), total)))
    product = lower.multiply(powers, _interpolated(lower, place, reciprocal_table()))
    shift = lower.add(tosa.SubOp(filled(lower, 31, leading), leading))
    shares = lower.add(tosa.ArithmeticRightShiftOp(product, shift, rounds=True))
    return lower.rescale(lower.add(tosa.MaximumOp(shares, filled(lower, 0, shares))), 1.0, i16)


def _interpolated(lower: Lowering, value: SSAValue, entries: Integers) -> SSAValue:
    """i32: what stands between 513 entries for i32 values that saturate at 16 bits."""
    low, high = filled(lower, -LARGEST - 1, value), filled(lower, LARGEST, value)
    limited = lower.add(tosa.MinimumOp(lower.add(tosa.MaximumOp(value, low)), high))
    fine = lower.add(tosa.TableOp(lower.add(tosa.CastOp(limited, i16)), lower.constant(entries, i16)))
    return lower.add(tosa.ArithmeticRightShiftOp(fine, filled(lower, _STEP_BITS, fine), rounds=True))


def _powers(lower: Lowering, differences: SSAValue, scale: float) -> SSAValue:
    """i32: LiteRT's exponential of each difference, 128 times of which are given.

    Its 31 bits come from three tables, 15 bits each and the last one, as neighbours in a table may differ by 16 bits.
    """
    exact = softmax_powers(scale, np.minimum(np.arange(-256, 257), 0))
    parts = (exact >> 16, (exact >> 1) & 0x7FFF, exact & 1)
    high, middle, last = (lower.add(tosa.TableOp(differences, lower.constant(part, i16))) for part in parts)
    upper = lower.add(tosa.LogicalLeftShiftOp(high, filled(lower, 16 - _STEP_BITS, high)))
    lower_bits = (
        lower.add(tosa.ArithmeticRightShiftOp(part, filled(lower, places, part)))
        for part, places in ((middle, _STEP_BITS - 1), (last, _STEP_BITS))
    )
    rest = lower.add(tosa.AddOp(*lower_bits))
    return lower.add(tosa.AddOp(upper, rest))


def reciprocal(lower: Lowering, total: SSAValue, headroom: SSAValue) -> SSAValue:
    """``1 / total`` without integer bits, its first bit shifted out: Newton's steps as LiteRT takes them.

    Half of one plus the rest is the sum shifted left until it fills 31 bits.
    """
    places = lower.add(tosa.SubOp(headroom, filled(lower, 1, headroom)))
    half = lower.add(tosa.LogicalLeftShiftOp(total, places))
    first = lower.multiply(half, filled(lower, MINUS_32_OVER_17, half), shift=31)
    x = lower.add(tosa.AddOp(first, filled(lower, OVER_17_48, first)))
    for _ in range(NEWTON_STEPS):
        error = lower.add(tosa.SubOp(filled(lower, 1 << 29, x), lower.multiply(half, x, shift=31)))
        step = lower.multiply(x, error, shift=31)
        x = lower.add(tosa.AddOp(x, lower.add(tosa.LogicalLeftShiftOp(step, filled(lower, 2, step)))))
    return _doubled(lower, x)


def _doubled(lower: Lowering, x: SSAValue) -> SSAValue:
    """Twice a value that is 2^30 at most, the last of which saturates."""
    limited = lower.add(tosa.MinimumOp(x, filled(lower, 1 << 30, x)))
    return lower.add(tosa.AddOp(limited, lower.add(tosa.MinimumOp(limited, filled(lower, (1 << 30) - 1, x)))))
