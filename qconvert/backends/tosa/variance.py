"""Normalizations by mean and variance in integers.

The operand becomes a matrix with one row for each mean and variance. Let ``x`` be the n integers of a row, S their sum,
m the rounded mean, ``c = x - m`` and ``R = S - n m``. Then the sum of the squared deviations is
``Q = sum(c^2) - R^2 / n``, and with ``K = n epsilon / scale^2``

    y = scale_i * sqrt(n) * p + bias_i,    p = (c - R / n) / sqrt(Q + K),    |p| <= 1.

A normalization by the root mean square has no mean: there c is x, and R is 0. All sums are exact; squares of 16 bits
are summed in two parts. CLZ shifts Q and K to the left by an even number of bits, so that the root of ``Q + K`` is that
of a fraction, times a power of two.

**Error.** Let G be the largest ``|scale_i| sqrt(n)`` and B the largest ``|bias_i|``, both in LSB of the result. p is
off by at most ``2^-28 + 2^-24 |p|``: the root by 2^-24.5 of itself (``inverse.py``), the deviation and the product
by four units of 2^-30.5. The result, before its only rounding, is off by less than ``(G + B) 2^-27 + G |p| 2^-24`` LSB.
Ops whose ``G + B`` is above 2^18, for results of 16 bits 2^21, are refused. So a result of 8 bits that does not
saturate is off by less than 2^-8 LSB, one of 16 bits by less than 2^-5 LSB, and differs from the rounded real value
only within that distance of a tie, by 1. In transformers ``G + B`` is about 1000, and the error 2^-15 LSB.
"""

from __future__ import annotations

from math import ceil, log2
from typing import NamedTuple

from xdsl.ir import SSAValue

from qconvert.backends.tosa.inverse import FRACTION_BITS, ROOT_BITS, inverse_root
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.backends.tosa.normalization_form import Form, Normalization, integer_form
from qconvert.dialects import composite, tosa
from qconvert.expansion.expander import per_tensor
from qconvert.ir import UniformQuantizedType, i32, shape
from qconvert.numerics import nearest_integers

_SUM_BITS = 31
_DEVIATION_BITS = 15
"""Number of bits of a deviation behind the point, before it is shifted like the root."""

_SHARE_BITS = FRACTION_BITS / 2 + _DEVIATION_BITS
"""The binary logarithm of the integer that stands for ``p = 1``."""

_MEAN_BITS = 30
"""Number of bits behind the point of the part of the mean that its rounding leaves."""

_PRODUCT_BITS = 31
_LOW_BITS, _WORD_BITS = 8, 16
"""Number of bits of the lower part of an integer and of a sum."""


class _Rows(NamedTuple):
    """The integers c of a matrix, the fraction ``R / n`` with :data:`_MEAN_BITS` bits, and ``Q * 2^places``."""

    value: SSAValue
    fraction: SSAValue | None
    squares: SSAValue
    places: SSAValue


@lowers(
    composite.InstanceNormalizationOp,
    composite.L2NormalizationOp,
    composite.LayerNormalizationOp,
    composite.RmsNormalizationOp,
)
def normalization(op: Normalization, lower: Lowering) -> SSAValue:
    """Lower to two sums, CLZ, a table, products and one RESCALE.

    Raises ConversionError for an op that :func:`integer_form` refuses.
    """
    form = integer_form(op)
    moved = lower.transpose(lower.whole(op.operand), form.order)
    sizes = shape(moved)
    value = lower.centred_integers(lower.reshape(moved, (form.rows, form.count)), per_tensor(op.operand))
    rows = (_centred if form.centres else _plain)(lower, value, form)
    made = _scaled(lower, _shares(lower, rows, form), form, per_tensor(op.result))
    return lower.transpose(lower.reshape(made, sizes), [form.order.index(i) for i in range(len(sizes))])


def _plain(lower: Lowering, value: SSAValue, form: Form) -> _Rows:
    """Return integers with the sums of their squares."""
    if form.is_wide:
        return _Rows(value, None, *_wide_sum(lower, value))
    total = _sum(lower, lower.multiply(value, value))
    places = _places(lower, total)
    return _Rows(value, None, lower.add(tosa.LogicalLeftShiftOp(total, places)), places)


def _centred(lower: Lowering, value: SSAValue, form: Form) -> _Rows:
    """Return integers less their rounded mean, the rest of the mean, and the sums of the squared deviations."""
    total, count = _sum(lower, value), form.count
    mean = lower.rescale(total, 1 / count, i32)
    rest = lower.add(tosa.SubOp(total, lower.multiply(mean, lower.filled(count, mean))))
    bits = count.bit_length() - 1
    inverse = lower.filled(round(2.0 ** (_MEAN_BITS + bits) / count), rest)
    fraction = lower.multiply(rest, inverse, shift=bits)
    centred = _plain(lower, lower.add(tosa.SubOp(value, mean)), form)
    excess = _excess(lower, rest, fraction, centred.places, form)
    return _Rows(centred.value, fraction, lower.add(tosa.SubOp(centred.squares, excess)), centred.places)


def _excess(lower: Lowering, rest: SSAValue, fraction: SSAValue, places: SSAValue, form: Form) -> SSAValue:
    """Return ``R^2 / n * 2^places``; places of a sum of more than 31 bits are negative."""
    left = lower.add(tosa.MaximumOp(places, lower.filled(0, places))) if form.is_wide else places
    made = lower.multiply(lower.add(tosa.LogicalLeftShiftOp(rest, left)), fraction, shift=_MEAN_BITS)
    return _shifted_right(lower, made, lower.add(tosa.SubOp(left, places))) if form.is_wide else made


def _sum(lower: Lowering, value: SSAValue) -> SSAValue:
    return lower.add(tosa.ReduceSumOp(value, 1))


def _places(lower: Lowering, total: SSAValue) -> SSAValue:
    """Return the number of places by which a sum is shifted to fill 31 bits, 30 for 0."""
    free = lower.offset(lower.add(tosa.ClzOp(total)), -1)
    return lower.add(tosa.MinimumOp(free, lower.filled(_SUM_BITS - 1, free)))


def _wide_sum(lower: Lowering, value: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Return the first 31 bits of sums of squares of up to 17 bits, and the number of places of the shift to these.

    With ``c = 2^8 h + l``, the sum is ``2^16 sum(h^2) + 2^9 sum(h l) + sum(l^2)``, which becomes ``2^16 u + v`` with a
    v of 16 bits.
    """
    high, low = _split(lower, value, _LOW_BITS)
    pairs = (high, high), (high, low), (low, low)
    squares, products, rest = (_sum(lower, lower.multiply(*pair)) for pair in pairs)
    carried, left = _split(lower, products, _WORD_BITS - _LOW_BITS - 1)
    more, rest = _split(lower, lower.add(tosa.AddOp(rest, lower.shift_left(left, _LOW_BITS + 1))), _WORD_BITS)
    upper = lower.add(tosa.AddOp(lower.add(tosa.AddOp(squares, carried)), more))
    places, most = _places(lower, upper), _SUM_BITS - 1
    right = lower.add(tosa.SubOp(lower.filled(most, places), places))
    lowest = _shifted_right(lower, lower.shift_left(rest, most - _WORD_BITS), right)
    joined = lower.add(tosa.AddOp(lower.add(tosa.LogicalLeftShiftOp(upper, places)), lowest))
    again = _places(lower, joined)
    total = lower.offset(lower.add(tosa.AddOp(places, again)), -_WORD_BITS)  # above 30 places for a sum of 0
    shifted = lower.add(tosa.LogicalLeftShiftOp(joined, again))
    return shifted, lower.add(tosa.MinimumOp(total, lower.filled(most, total)))


def _split(lower: Lowering, value: SSAValue, bits: int) -> tuple[SSAValue, SSAValue]:
    """Return the quotient of integers by ``2^bits``, rounded, and the rest."""
    high = lower.shift_right(value, bits, rounds=True)
    return high, lower.add(tosa.SubOp(value, lower.shift_left(high, bits)))


def _shares(lower: Lowering, rows: _Rows, form: Form) -> SSAValue:
    """Return p, in units of ``2^-_SHARE_BITS``.

    ``Q + K`` is shifted by twice ``half`` places, so that it is from 1/16 to 1 with 31 bits behind the point.
    """
    held, exponent = form.mantissa
    places = lower.add(tosa.MinimumOp(rows.places, lower.filled(exponent, rows.places)))
    half = lower.shift_right(lower.offset(places, -2), 1, rounds=True)  # (places - 1) / 2, rounded down
    twice = lower.add(tosa.AddOp(half, half))
    parts = [(rows.squares, rows.places), (lower.filled(held, half), lower.filled(exponent, half))]
    shifted = [_shifted_right(lower, part, lower.add(tosa.SubOp(place, twice))) for part, place in parts]
    root = inverse_root(lower, lower.add(tosa.AddOp(*shifted)))
    left = lower.offset(half, _DEVIATION_BITS)
    deviation = lower.add(tosa.LogicalLeftShiftOp(rows.value, left))
    if rows.fraction is not None:
        right = lower.add(tosa.SubOp(lower.filled(_MEAN_BITS, left), left))
        deviation = lower.add(tosa.SubOp(deviation, _shifted_right(lower, rows.fraction, right)))
    return lower.multiply(deviation, root, shift=ROOT_BITS)


def _shifted_right(lower: Lowering, value: SSAValue, places: SSAValue) -> SSAValue:
    """Divide by ``2^places``, rounded; from 32 places on the result is that of 31."""
    most = lower.add(tosa.MinimumOp(places, lower.filled(31, places)))
    return lower.add(tosa.ArithmeticRightShiftOp(value, most, rounds=True))


def _scaled(lower: Lowering, shares: SSAValue, form: Form, target: UniformQuantizedType) -> SSAValue:
    """Multiply p by the factor, add the bias and round once; results of 32 bits are not rescaled."""
    is_stored = target.storage.width == _SUM_BITS + 1
    if not is_stored and form.factor.size == 1 and form.factor.item() > 0 and not form.bias.any():
        return lower.stored(shares, form.factor.item() * 2.0**-_SHARE_BITS, target)
    bits = 0 if is_stored else 30 - max(0, ceil(log2(form.gain))) if form.gain else 30
    factor = nearest_integers(form.factor * 2.0 ** (bits + _PRODUCT_BITS - _SHARE_BITS))
    made = lower.multiply(shares, lower.constant(factor, i32), shift=_PRODUCT_BITS)
    if form.bias.any():
        made = lower.add(tosa.AddOp(made, lower.constant(nearest_integers(form.bias * 2.0**bits), i32)))
    return made if is_stored else lower.stored(made, 2.0**-bits, target)
