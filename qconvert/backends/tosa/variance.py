"""Normalizations by mean and variance in integers.

The operand becomes a matrix with one row for each mean and variance. Let ``x`` be the n integers of a row, S their sum,
m the rounded mean, ``c = x - m`` and ``R = S - n m``. Then the sum of the squared deviations is
``Q = sum(c^2) - R^2 / n``, and with ``K = n epsilon / scale^2``

    y = scale_i * sqrt(n) * p + bias_i,    p = (c - R / n) / sqrt(Q + K),    |p| <= 1.

A normalization by the root mean square has no mean: there c is x, and R is 0. All sums are exact. CLZ shifts Q and K to
the left by an even number of bits, so that the root of ``Q + K`` is that of a fraction, times a power of two.

**Error.** Let G be the largest ``|scale_i| sqrt(n)`` and B the largest ``|bias_i|``, both in LSB of the result. p is
off by at most ``2^-28 + 2^-24 |p|``: the root by 2^-24.5 of itself (``inverse.py``), the deviation and the product
by four units of 2^-30.5. The result, before its only rounding, is off by less than ``(G + B) 2^-27 + G |p| 2^-24`` LSB.
Ops whose ``G + B`` is above 2^18 are refused. So a result of 8 bits that does not saturate is off by less than 2^-8
LSB, and differs from the rounded real value only within 2^-8 LSB of a tie, by 1. In transformers ``G + B`` is about
1000, and the error 2^-15 LSB.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, frexp, log2, prod, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.backends.tosa.inverse import FRACTION_BITS, ROOT_BITS, inverse_root
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.dialects import composite, tosa
from qconvert.expansion.expander import constant_array, per_tensor
from qconvert.interpreter.exact import real_numbers
from qconvert.ir import UniformQuantizedType, i32, shape
from qconvert.numerics import nearest_integers, unrepeated
from qconvert.rewriting import magnitude
from qconvert.support.errors import ConversionError

Normalization: TypeAlias = (
    composite.InstanceNormalizationOp | composite.LayerNormalizationOp | composite.RmsNormalizationOp
)
Numbers: TypeAlias = NDArray[np.float64]

_MOST_GAIN = float(1 << 18)
"""The largest ``G + B`` in LSB of the result."""

_SUM_BITS = 31
_DEVIATION_BITS = 15
"""Number of bits of a deviation behind the point, before it is shifted like the root."""

_SHARE_BITS = FRACTION_BITS / 2 + _DEVIATION_BITS
"""The binary logarithm of the integer that stands for ``p = 1``."""

_MEAN_BITS = 30
"""Number of bits behind the point of the part of the mean that its rounding leaves."""

_PRODUCT_BITS = 31
_TINY = 2.0**-60


@dataclass(frozen=True)
class _Form:
    """A normalization of the rows of a matrix.

    ``factor`` multiplies p and ``bias`` is added, both in LSB of the result; they broadcast to the matrix. K is
    ``epsilon``.
    """

    rows: int
    count: int
    centres: bool
    epsilon: float
    factor: Numbers
    bias: Numbers

    @property
    def gain(self) -> float:
        """The largest ``G + B``."""
        return float(np.abs(self.factor).max() + np.abs(self.bias).max())


@dataclass(frozen=True)
class _Rows:
    """The integers c of a matrix, the fraction ``R / n`` with :data:`_MEAN_BITS` bits, and ``Q * 2^places``."""

    value: SSAValue
    fraction: SSAValue | None
    squares: SSAValue
    places: SSAValue


@lowers(composite.InstanceNormalizationOp, composite.LayerNormalizationOp, composite.RmsNormalizationOp)
def normalization(op: Normalization, lower: Lowering) -> SSAValue:
    """Lower to two sums, CLZ, a table, products and one RESCALE.

    Raises ConversionError for an op that :func:`integer_form` refuses.
    """
    form = integer_form(op)
    lower.define(op.operand, lower.whole(op.operand))
    value = lower.reshape(lower.centred(op.operand), (form.rows, form.count))
    rows = _centred(lower, value) if form.centres else _plain(lower, value)
    return lower.reshape(_scaled(lower, _shares(lower, rows, form.epsilon), form, op), shape(op.result))


def _plain(lower: Lowering, value: SSAValue) -> _Rows:
    """Return integers with the sums of their squares."""
    total = _sum(lower, lower.multiply(value, value))
    places = _places(lower, total)
    return _Rows(value, None, lower.add(tosa.LogicalLeftShiftOp(total, places)), places)


def _centred(lower: Lowering, value: SSAValue) -> _Rows:
    """Return integers less their rounded mean, the rest of the mean, and the sums of the squared deviations."""
    total, count = _sum(lower, value), shape(value)[1]
    mean = lower.rescale(total, 1 / count, i32)
    rest = lower.add(tosa.SubOp(total, lower.multiply(mean, lower.filled(count, mean))))
    bits = count.bit_length() - 1
    inverse = lower.filled(round(2.0 ** (_MEAN_BITS + bits) / count), rest)
    fraction = lower.multiply(rest, inverse, shift=bits)
    centred = _plain(lower, lower.add(tosa.SubOp(value, mean)))
    shifted = lower.add(tosa.LogicalLeftShiftOp(rest, centred.places))
    excess = lower.multiply(shifted, fraction, shift=_MEAN_BITS)
    return _Rows(centred.value, fraction, lower.add(tosa.SubOp(centred.squares, excess)), centred.places)


def _sum(lower: Lowering, value: SSAValue) -> SSAValue:
    return lower.add(tosa.ReduceSumOp(value, 1))


def _places(lower: Lowering, total: SSAValue) -> SSAValue:
    """Return the number of places by which a sum is shifted to fill 31 bits, 30 for 0."""
    free = lower.offset(lower.add(tosa.ClzOp(total)), -1)
    return lower.add(tosa.MinimumOp(free, lower.filled(_SUM_BITS - 1, free)))


def _shares(lower: Lowering, rows: _Rows, epsilon: float) -> SSAValue:
    """Return p, in units of ``2^-_SHARE_BITS``.

    ``Q + K`` is shifted by twice ``half`` places, so that it is from 1/16 to 1 with 31 bits behind the point.
    """
    held, exponent = _mantissa(epsilon)
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


def _mantissa(number: float) -> tuple[int, int]:
    """Return an integer of 30 bits and the number of its bits behind the point; a tiny number stands for 0."""
    mantissa, exponent = frexp(max(number, _TINY))
    return int(mantissa * (1 << 30)), 30 - exponent


def _shifted_right(lower: Lowering, value: SSAValue, places: SSAValue) -> SSAValue:
    """Divide by ``2^places``, rounded; from 32 places on the result is that of 31."""
    most = lower.add(tosa.MinimumOp(places, lower.filled(31, places)))
    return lower.add(tosa.ArithmeticRightShiftOp(value, most, rounds=True))


def _scaled(lower: Lowering, shares: SSAValue, form: _Form, op: Normalization) -> SSAValue:
    """Multiply p by the factor, add the bias and round once."""
    target = per_tensor(op.result)
    if form.factor.size == 1 and form.factor.item() > 0 and not form.bias.any():
        return lower.stored(shares, form.factor.item() * 2.0**-_SHARE_BITS, target)
    bits = 30 - max(0, ceil(log2(form.gain))) if form.gain else 30
    factor = nearest_integers(form.factor * 2.0 ** (bits + _PRODUCT_BITS - _SHARE_BITS))
    made = lower.multiply(shares, lower.constant(factor, i32), shift=_PRODUCT_BITS)
    if form.bias.any():
        made = lower.add(tosa.AddOp(made, lower.constant(nearest_integers(form.bias * 2.0**bits), i32)))
    return lower.stored(made, 2.0**-bits, target)


def integer_form(op: Normalization) -> _Form:
    """Return the form of an op in integers.

    Raises ConversionError for operands of other types than 8 bits, computed scales, long rows and large factors.
    """
    element, result = (_narrow(value) for value in (op.operand, op.result))
    sizes, axis = shape(op.operand), _axis(op)
    rows, count = prod(sizes[:axis]), prod(sizes[axis:])
    centres = not isinstance(op, composite.RmsNormalizationOp)
    largest = (element.storage.maximum - element.storage.minimum + 1) / 2 if centres else magnitude(element)
    if count * largest**2 >= 1 << _SUM_BITS:
        raise ConversionError(f"the squares of {count} integers up to {largest:.0f} have a sum of more than 31 bits")
    scale, *bias = (_parameter(op, value, axis) / result.scale for value in op.operands[1:])
    epsilon = op.epsilon.value.data * count / element.scale**2
    form = _Form(rows, count, centres, epsilon, scale * sqrt(count), bias[0] if bias else np.zeros((1, 1)))
    if not form.gain <= _MOST_GAIN or _mantissa(epsilon)[1] < -2 * _DEVIATION_BITS + 2:
        raise ConversionError("its numbers are too large for integers of 32 bits")
    return form


def _narrow(value: SSAValue) -> UniformQuantizedType:
    element = per_tensor(value)
    if element.storage.width != 8:
        raise ConversionError(f"normalizations of 8-bit integers are supported, found {element}")
    return element


def _axis(op: Normalization) -> int:
    """Return the first dimension of a row."""
    return 2 if isinstance(op, composite.InstanceNormalizationOp) else op.axis.value.data


def _parameter(op: Normalization, value: SSAValue, axis: int) -> Numbers:
    """Return a constant scale or bias as a matrix with size 1 where it is repeated.

    Raises ConversionError for a computed one.
    """
    array, sizes = constant_array(value), shape(op.operand)
    if array is None:
        raise ConversionError("its scale and bias must be constants")
    real = unrepeated(np.asarray(real_numbers(value, array), np.float64))
    features = isinstance(op, composite.InstanceNormalizationOp)
    real = real.reshape([1] * (1 if features else len(sizes) - real.ndim) + list(real.shape))
    real = real.reshape(list(real.shape) + [1] * (len(sizes) - real.ndim))
    parts = (real.shape[:axis], sizes[:axis]), (real.shape[axis:], sizes[axis:])
    whole = [full if any(size > 1 for size in own) else own for own, full in parts]
    return np.broadcast_to(real, (*whole[0], *whole[1])).reshape(prod(whole[0]), prod(whole[1]))
