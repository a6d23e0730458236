"""Quotients and powers: of floats, and of 8-bit integers as products with a reciprocal or as a list of all results."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.backends.tosa.elementwise import at_scale
from qconvert.backends.tosa.fixed_point.functions import listed
from qconvert.backends.tosa.lowering import Lowering, lowers, lowers_litert
from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.division import divide
from qconvert.expansion.expander import per_tensor
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array
from qconvert.ir import element_type, i8, i32, is_float, quantized, shape
from qconvert.rewriting import splat
from qconvert.support.errors import ConversionError

_VALUES = 256
_CODES = np.arange(-128, 128).astype(np.int8)


@lowers_litert(stablehlo.DivideOp)
def listed_division(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Lower 8-bit integers to GATHER from the quotients of all pairs; other widths are divided by integer ops."""
    if any(per_tensor(value).storage.width != 8 for value in (op.lhs, op.rhs, op.result)):
        return divide(op, lower)
    return listed_pairs(op, lower)


def listed_pairs(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Return the results of 8-bit integers by GATHER from those of all 65,536 pairs."""
    values = np.arange(-_VALUES // 2, _VALUES // 2).astype(np.int8)
    pairs = [_pairs(values, axis) for axis in range(2)]
    (quotients,) = evaluate_op(op, pairs)
    return entries_of_pairs(lower, op.lhs, op.rhs, quotients)


def entries_of_pairs(lower: Lowering, lhs: SSAValue, rhs: SSAValue, listed: Array) -> SSAValue:
    """Return the entries of pairs of 8-bit integers, in a list in which the first ones change slowest.

    The operands are of one shape, or have sizes of 1 that are broadcast, as where all pairs are tried for a proof.
    """
    wide = [lower.add(tosa.CastOp(lower.whole(value), i32)) for value in (lhs, rhs)]
    place = lower.add(tosa.AddOp(lower.multiply(wide[0], lower.filled(_VALUES, wide[0])), wide[1]))
    middle = lower.offset(place, (_VALUES + 1) * _VALUES // 2)
    sizes = shape(middle)
    values = lower.constant(listed.reshape(1, -1, 1), i8 if listed.dtype.itemsize == 1 else i16)
    return lower.reshape(lower.add(tosa.GatherOp(values, lower.reshape(middle, (1, prod(sizes))))), sizes)


def _pairs(values: Array, axis: int) -> Array:
    """Return one operand of all pairs: the first operand varies along the rows, the second along the columns."""
    return np.broadcast_to(values[:, None] if axis == 0 else values[None, :], (_VALUES, _VALUES))


_LARGEST_RATIO = 256.0
"""The quotient in LSB of one step of the dividend from which every result is at the storage's ends."""
_RECIPROCAL_BITS = 28
_MOST_PLACES = 62


def quotient(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Lower a quotient of 8-bit integers to MUL by the listed reciprocals; results of the divisor 0 are listed."""
    lhs, rhs, result = (per_tensor(value) for value in (op.lhs, op.rhs, op.result))
    divisors = (_CODES.astype(np.float64) - rhs.zero_point) * rhs.scale * result.scale / lhs.scale
    ratios = np.divide(1.0, divisors, out=np.zeros(len(_CODES)), where=divisors != 0).clip(
        -_LARGEST_RATIO, _LARGEST_RATIO
    )
    places = min(_MOST_PLACES, _RECIPROCAL_BITS - int(np.frexp(np.abs(ratios).max())[1]))
    reciprocals = numerics.round_half_even(np.ldexp(ratios, places)).astype(np.int32)
    dividend = at_scale(lower, op.lhs, lhs.scale)
    product = lower.multiply(dividend, listed(lower, op.rhs, reciprocals), places)
    made = lower.stored(product, 1.0, result)
    if not rhs.storage.minimum <= rhs.zero_point <= rhs.storage.maximum:
        return made
    zeros = np.full(_CODES.shape, rhs.zero_point, np.int8)
    (ends,) = evaluate_op(op, [_CODES, zeros])
    wide = lower.add(tosa.CastOp(lower[op.rhs], i32))
    is_zero = lower.add(tosa.EqualOp(wide, lower.filled(rhs.zero_point, wide)))
    return lower.add(tosa.SelectOp(is_zero, lower.looked_up(lower[op.lhs], ends), made))


@lowers(stablehlo.DivideOp, stablehlo.PowerOp)
def float_binary(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Lower floats to POW, or to a multiplication by the RECIPROCAL, because TOSA has no division of floats.

    Quotients of 8-bit integers are products, powers of them a list.
    """
    values = (op.lhs, op.rhs, op.result)
    if all((element := quantized(value)) is not None and element.storage.width == 8 for value in values):
        return quotient(op, lower) if isinstance(op, stablehlo.DivideOp) else listed_pairs(op, lower)
    if not all(is_float(element_type(value)) for value in values):
        raise ConversionError("TOSA divides integers of 8 bits and floats, and raises them to a power, only")
    if isinstance(op, stablehlo.PowerOp):
        return lower.add(tosa.PowOp(lower[op.lhs], lower[op.rhs]))
    divisor = splat(op.rhs)
    if divisor is not None and _SMALLEST < divisor < 1 / _SMALLEST:
        power = 2.0 ** round(np.log2(divisor))
        if abs(divisor - power) <= power * _BESIDE:
            return _divided_beside_power(lower, lower[op.lhs], divisor, power)
    return lower.multiply(lower[op.lhs], lower.add(tosa.ReciprocalOp(lower[op.rhs])))


_SMALLEST, _BESIDE = 2.0**-14, 2.0**-6
"""The least divisor whose reciprocal every float type has, and the largest relative distance from a power of two."""


def _divided_beside_power(lower: Lowering, value: SSAValue, divisor: float, power: float) -> SSAValue:
    """Divide by a number beside a power of two, ``x / power + x / power * (power - divisor) / divisor``.

    The first term is exact, and the second one so small that its rounding hardly ever changes the last bit of the sum.
    A product with ``1 / 255`` has another last bit than the quotient in 7 of 10 cases, this sum in 1 of 250.
    """
    element = element_type(value)
    whole = lower.multiply(value, lower.filled(1 / power, value, element))
    if divisor == power:
        return whole
    part = lower.multiply(whole, lower.filled((power - divisor) / divisor, value, element))
    return lower.add(tosa.AddOp(whole, part))
