"""LiteRT's softmax of 8-bit integers: its fixed-point exponentials from tables, its reciprocal step by step."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.builder import i16
from qconvert.backends.tosa.lowering import Lowering, lowers_litert, per_tensor
from qconvert.backends.tosa.normalization import below_largest, filled
from qconvert.dialects import composite, tosa
from qconvert.dialects.types import i8
from qconvert.errors import ConversionError
from qconvert.interpreter.litert import SUM_BITS, softmax_powers
from qconvert.numerics import ZeroPoints
from qconvert.numerics.fixed_point import MINUS_32_OVER_17, NEWTON_STEPS, OVER_17_48

_STEP_BITS = 7
"""A 16-bit TABLE gives 128 times its entries."""


@lowers_litert(composite.SoftmaxOp)
def softmax(op: composite.SoftmaxOp, lower: Lowering) -> SSAValue:
    """Raises ConversionError for all but 8-bit integers at LiteRT's scale of 1/256."""
    source, target, axis = per_tensor(op.operand), per_tensor(op.result), op.axis.value.data
    if (source.storage.width, target.storage.width) != (8, 8):
        raise ConversionError(f"only softmax of 8-bit integers follows LiteRT, found {source} to {target}")
    powers = _powers(lower, below_largest(lower, lower[op.operand], axis), source.scale)
    places = filled(lower, SUM_BITS, powers)
    total = lower.add(tosa.ReduceSumOp(lower.add(tosa.ArithmeticRightShiftOp(powers, places, rounds=True)), axis))
    headroom = lower.add(tosa.ClzOp(total))
    products = lower.multiply(powers, reciprocal(lower, total, headroom), shift=31)
    shift = lower.add(tosa.SubOp(filled(lower, SUM_BITS + 31 - 8, headroom), headroom))
    shares = lower.add(tosa.ArithmeticRightShiftOp(products, shift, rounds=True))
    return lower.rescale(shares, 1.0, i8, ZeroPoints(0, target.storage.minimum))


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
