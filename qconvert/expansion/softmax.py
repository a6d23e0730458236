"""LiteRT's softmax of integers: exponentials from tables, and a reciprocal by Newton's method or from a table."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import composite, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import Expander, per_tensor, signed_type
from qconvert.expansion.fixed_point import half_reciprocal, reciprocal
from qconvert.expansion.registry import expands
from qconvert.ir import i8, i32
from qconvert.numerics import Rounding, ZeroPoints, fixed_point
from qconvert.numerics.affine import round_half_away
from qconvert.numerics.fixed_point import Integers
from qconvert.numerics.interpolated_table import STEP_BITS, interpolated_table, table_between
from qconvert.support.errors import ConversionError

_DIFF_BITS, _SUM_BITS = 5, 12
"""Numbers of integer bits of a softmax's differences and of their sum."""

_LARGEST = (1 << 15) - 1
"""The integer that represents 1 in a 16-bit softmax; a difference of 0 is looked up at this index."""

_RECIPROCAL_BITS = 14
"""Number of low bits of the sum that are rounded off before its reciprocal is looked up."""

DIFFERENCES = np.arange(-255, 1)
"""All differences of 8-bit integers to the largest one."""

_SPAN, _UNIT = 10.0 / 65535.0, 2.0 / 65535.0

_RECIPROCALS = table_between(lambda x: 1 / (1 + x), np.float64(0), np.float64(1), np.float64(_LARGEST + 1))
"""513 entries of ``1 / (1 + x)`` for x from 0 to 1."""

_EXPONENTIALS = interpolated_table(np.exp, _SPAN, _UNIT, _LARGEST)
"""513 entries of exp from -10 to 0."""


@expands(composite.SoftmaxOp)
def softmax(op: composite.SoftmaxOp, build: Expander) -> SSAValue:
    """Multiply exponentials by the reciprocal of their sum.

    Raises ConversionError for widths that LiteRT does not support.
    """
    source, target, axis = signed_type(op.operand), signed_type(op.result), op.axis.value.data
    if (source.storage.width, target.storage.width) == (16, 16):
        return _of_16_bits(op, build)
    width = target.storage.width
    if source.storage.width != 8 or width not in (8, 16):
        raise ConversionError(f"LiteRT's softmax does not support {source} to {target}")
    powers = _powers(build, below_largest(build, build[op.operand], axis), source.scale)
    total = build.add(tosa.ReduceSumOp(build.shift_right(powers, _SUM_BITS, rounds=True), axis))
    headroom = build.add(tosa.ClzOp(total))
    products = _times_reciprocal(build, powers, (total, headroom), _ignores_saturation(source.scale, width))
    shift = build.add(tosa.SubOp(build.filled(_SUM_BITS + 31 - width, headroom), headroom))
    shares = build.add(tosa.ArithmeticRightShiftOp(products, shift, rounds=True))
    if width == 16:
        return build.rescale(build.offset(shares, target.storage.minimum), 1.0, i16)
    return build.rescale(shares, 1.0, i8, ZeroPoints(0, target.storage.minimum))


def _times_reciprocal(
    build: Expander, powers: SSAValue, of: tuple[SSAValue, SSAValue], ignores_saturation: bool
) -> SSAValue:
    """Multiply by the reciprocal of a sum with its headroom; LiteRT doubles half of it, and 2^31 saturates."""
    if ignores_saturation:
        return build.multiply(powers, half_reciprocal(build, *of), shift=30)
    return build.multiply(powers, reciprocal(build, *of), shift=31)


def _ignores_saturation(scale: float, width: int) -> bool:
    """Return True if results of so many bits do not depend on a reciprocal that saturates.

    It does for powers of two, and powers of two plus 1. A product with an exponential ``e`` is then ``e - 1`` if ``e``
    exceeds 2^30, without saturation ``e``. A sum is at least 2^19, so the shift behind the product has at least
    ``31 - width`` bits. It rounds both to the same integer unless ``e`` is in the middle between two multiples of
    ``2^shift``, and so ends with ``shift - 1`` zeros.
    """
    exact = _exponentials(scale, DIFFERENCES)
    return not bool(((exact > 1 << 30) & (exact % (1 << (30 - width)) == 0)).any())


def _of_16_bits(op: composite.SoftmaxOp, build: Expander) -> SSAValue:
    """Take exponentials and the reciprocal of their sum from a TABLE each, which interpolates as LiteRT does.

    LiteRT clamps a share to 0, but neither table has an entry below 0.
    """
    axis, value = op.axis.value.data, build[op.operand]
    wide, top = (build.rescale(part, 1.0, i32) for part in (value, build.add(tosa.ReduceMaxOp(value, axis))))
    scaled = build.rescale(
        build.add(tosa.SubOp(wide, top)),
        float(np.float32(per_tensor(op.operand).scale)) / _SPAN,
        i32,
        rounding=Rounding.DOUBLE_ROUND,
    )
    powers = _interpolated(build, build.rescale(build.offset(scaled, _LARGEST), 1.0, i16), _EXPONENTIALS)
    total = build.add(tosa.ReduceSumOp(build.rescale(powers, 1.0, i32), axis))
    leading, one = build.add(tosa.ClzOp(total)), build.filled(1, total)
    shifted = build.add(tosa.LogicalLeftShiftOp(total, build.add(tosa.SubOp(leading, one))))
    place = build.offset(shifted, -3 * (_LARGEST + 1) << _RECIPROCAL_BITS)
    inverse = _interpolated(build, build.rescale(place, 2.0**-_RECIPROCAL_BITS, i16), _RECIPROCALS)
    shift = build.add(tosa.SubOp(build.filled(31, leading), leading))
    shares = build.add(tosa.ArithmeticRightShiftOp(build.multiply(powers, inverse), shift, rounds=True))
    return build.rescale(shares, 1.0, i16)


def _interpolated(build: Expander, place: SSAValue, entries: Integers) -> SSAValue:
    """Interpolate between 513 entries, as one kernel of an NPU does: results of 16 bits, halves up."""
    fine = build.add(tosa.TableOp(place, build.constant(entries, i16)))
    return build.rescale(fine, 2.0**-STEP_BITS, i16)


def _powers(build: Expander, differences: SSAValue, scale: float) -> SSAValue:
    """Return LiteRT's exponential of each difference in i32; the operand holds 128 times the differences.

    Three tables give its 31 bits: 15 bits, 15 bits and the last one, because neighbours in a table may differ by 16
    bits.
    """
    exact = _exponentials(scale, np.minimum(np.arange(-256, 257), 0))
    parts = (exact >> 16, (exact >> 1) & 0x7FFF, exact & 1)
    high, middle, last = (build.add(tosa.TableOp(differences, build.constant(part, i16))) for part in parts)
    upper = build.shift_left(high, 16 - STEP_BITS)
    middle, last = build.shift_right(middle, STEP_BITS - 1), build.shift_right(last, STEP_BITS)
    return build.add(tosa.AddOp(upper, build.add(tosa.AddOp(middle, last))))


def _exponentials(scale: float, difference: Integers) -> Integers:
    """Return exp of differences times ``scale`` without integer bits; 0 where LiteRT leaves an element out."""
    factor = min(scale * 2.0 ** (31 - _DIFF_BITS), 2.0**31 - 1)
    mantissa, exponent = np.frexp(factor)
    multiplier = int(round_half_away(mantissa * 2.0**31))
    left = int(exponent)
    if multiplier == 1 << 31:
        multiplier, left = multiplier // 2, left + 1
    least = -int(((1 << _DIFF_BITS) - 1) * 2 ** (31 - _DIFF_BITS) // 2**left)
    counted = np.maximum(difference, least)
    raw = fixed_point.doubling_high_multiply(counted << left, multiplier)
    return np.where(difference >= least, fixed_point.exp_on_negative_values(raw, _DIFF_BITS), 0)


def below_largest(build: Expander, value: SSAValue, axis: int) -> SSAValue:
    """Return 128 times the difference of 8-bit integers to the largest along the axis, at least 128 * -255, in i16."""
    largest = build.add(tosa.ReduceMaxOp(value, axis))
    wide, top = (build.rescale(part, 1 << STEP_BITS, i32) for part in (value, largest))
    return build.add(tosa.CastOp(build.add(tosa.SubOp(wide, top)), i16))
