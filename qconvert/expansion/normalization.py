"""LiteRT's L2_NORMALIZATION of int8: a sum of squares, and its inverse square root by five of Newton's steps."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import composite, tosa
from qconvert.expansion.expander import Expander, signed_type
from qconvert.expansion.fixed_point import doubled
from qconvert.expansion.registry import expands
from qconvert.ir import shape
from qconvert.numerics.fixed_point import HALF_ROOT_OF_2, ONE, ONE_AND_A_HALF, ROOT_STEPS
from qconvert.support.errors import ConversionError

_SUM_BITS = 29
"""Number of bits of the largest sum whose root LiteRT takes without more steps."""

_RESULT_BITS = 7
"""Number of bits of a result behind the point."""


@expands(composite.L2NormalizationOp)
def l2_normalization(op: composite.L2NormalizationOp, build: Expander) -> SSAValue:
    """Multiply by the inverse root of the sum of squares.

    Raises ConversionError for sums of more than 29 bits.
    """
    axis, source = op.axis.value.data, signed_type(op.operand)
    count, storage = shape(op.operand)[axis], source.storage
    largest = max(abs(end - source.zero_point) for end in (storage.minimum, storage.maximum))
    if count * largest**2 >= 1 << _SUM_BITS:
        raise ConversionError(f"the squares of {count} integers have a sum of more than {_SUM_BITS} bits")
    value, zero = build.centred(op.operand), 0
    factor, right = inverse_root(build, build.add(tosa.ReduceSumOp(build.multiply(value, value), axis)))
    left = build.offset(build.add(tosa.SubOp(build.filled(zero, right), right)), _RESULT_BITS)
    limits = [
        build.add(tosa.MaximumOp(places, build.filled(zero, places))) for places in (left, _negative(build, left))
    ]
    product = build.multiply(build.add(tosa.LogicalLeftShiftOp(value, limits[0])), factor, shift=31)
    return build.requantized(_divided(build, product, limits[1]), 1.0, signed_type(op.result))


def _negative(build: Expander, value: SSAValue) -> SSAValue:
    return build.add(tosa.SubOp(build.filled(0, value), value))


def _divided(build: Expander, value: SSAValue, places: SSAValue) -> SSAValue:
    """Divide by ``2^places``, ties away from zero."""
    rounds = build.add(tosa.MinimumOp(places, build.filled(1, places)))
    nudged = build.add(tosa.AddOp(value, build.multiply(build.shift_right(value, 31), rounds)))
    return build.add(tosa.ArithmeticRightShiftOp(nudged, places, rounds=True))


def inverse_root(build: Expander, total: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Return ``1 / sqrt(total)`` as a factor without integer bits and a right shift; that of 0 and 1 is nearly 1."""
    held = build.add(tosa.MaximumOp(total, build.filled(2, total)))
    pairs = build.offset(build.shift_right(build.offset(build.add(tosa.ClzOp(held)), -1), 1), -1)
    raw = build.shift_right(build.add(tosa.LogicalLeftShiftOp(held, build.shift_left(pairs, 1))), 1)
    root = build.multiply(_root(build, build.shift_right(raw, 1, rounds=True)), build.filled(HALF_ROOT_OF_2, raw), 31)
    shift = build.add(tosa.SubOp(build.filled(11, pairs), pairs))
    left, right = (
        build.add(tosa.MaximumOp(places, build.filled(0, places))) for places in (_negative(build, shift), shift)
    )
    is_large = build.add(tosa.GreaterOp(total, build.filled(1, total)))
    factor = build.add(tosa.SelectOp(is_large, build.add(tosa.LogicalLeftShiftOp(root, left)), build.filled(ONE, root)))
    return factor, build.add(tosa.SelectOp(is_large, right, build.filled(0, right)))


def _root(build: Expander, half: SSAValue) -> SSAValue:
    """Return the inverse root of twice a number without integer bits, with three integer bits, by Newton's steps."""
    x = build.filled(1 << 28, half)
    for _ in range(ROOT_STEPS):
        square = build.multiply(x, x, 31)
        cube = doubled(build, build.shift_left(build.multiply(square, x, 31), 5))
        first = build.multiply(build.filled(ONE_AND_A_HALF, x), x, 31)
        x = build.shift_left(build.add(tosa.SubOp(first, build.multiply(half, cube, 31))), 3)
    return x
