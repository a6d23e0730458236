"""Fixed-point functions of LiteRT in integer ops."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import tosa
from qconvert.expansion.expander import Expander
from qconvert.numerics.fixed_point import MINUS_32_OVER_17, NEWTON_STEPS, OVER_17_48


def reciprocal(build: Expander, total: SSAValue, headroom: SSAValue) -> SSAValue:
    """Return ``1 / total`` without integer bits, its first bit shifted out, by LiteRT's three Newton steps."""
    return doubled(build, half_reciprocal(build, total, headroom))


def half_reciprocal(build: Expander, total: SSAValue, headroom: SSAValue) -> SSAValue:
    """Return half of the reciprocal, which is at most 2^30.

    Half of one plus the rest is the sum shifted left until it fills 31 bits. Of all such 2^30 integers, the Newton
    steps give 2^30 for the two smallest ones, and less for all others.
    """
    places = build.add(tosa.SubOp(headroom, build.filled(1, headroom)))
    half = build.add(tosa.LogicalLeftShiftOp(total, places))
    first = build.multiply(half, build.filled(MINUS_32_OVER_17, half), shift=31)
    x = build.offset(first, OVER_17_48)
    for _ in range(NEWTON_STEPS):
        error = build.add(tosa.SubOp(build.filled(1 << 29, x), build.multiply(half, x, shift=31)))
        step = build.multiply(x, error, shift=31)
        x = build.add(tosa.AddOp(x, build.shift_left(step, 2)))
    return x


def doubled(build: Expander, x: SSAValue) -> SSAValue:
    """Double a value of at most 2^30; 2^31 saturates."""
    limited = build.add(tosa.MinimumOp(x, build.filled(1 << 30, x)))
    return build.add(tosa.AddOp(limited, build.add(tosa.MinimumOp(limited, build.filled((1 << 30) - 1, x)))))
