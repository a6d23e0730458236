"""A rescale of integers of any width: RESCALE's 32 bits between shifts by powers of two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import Attribute, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import RescaleOp
from qconvert.ir import element_type, i8, i32, i64, shape, storage_element
from qconvert.numerics import Rounding
from qconvert.passes.rescaling.push_rescales.scaled import (
    NO_LIMITS,
    Reals,
    Scaled,
    along,
    centred,
    clamped,
    compact,
    integers_for,
    one,
    type_range,
)
from qconvert.rewriting import converted
from qconvert.rewriting.rescales import Edge, rescale, rescale_parameters
from qconvert.support.errors import ConversionError

_WIDTH_IN, _WIDTH_OUT = 30, 29
"""Bits of a rescale's operand, and of its i32 result: RESCALE is defined for each such value."""

_FINEST = 2.0**-8
"""Largest unit of a shifted operand, in LSBs of the result."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of a rescale; ``factor`` has the rank of its operand."""

    factor: Reals
    input_zp: int
    output_zp: int


def parameters(op: RescaleOp) -> Parameters:
    """Return the parameters of a rescale that can be pushed; raise ConversionError with the reason if it cannot."""
    found = rescale_parameters(op)
    if found is None:
        raise ConversionError("its parameters are not constant")
    if tosa.is_set(op.input_unsigned) or tosa.is_set(op.output_unsigned):
        raise ConversionError("it reads or writes unsigned integers")
    if op.rounding_mode.data is not Rounding.SINGLE_ROUND:
        raise ConversionError(f"its rounding is {op.rounding_mode.data}")
    for value in (op.input, op.output):
        type_range(storage_element(element_type(value)))
    factor = np.ldexp(found.multiplier.astype(np.float64), -found.shift)
    if not factor.all():
        raise ConversionError("its multiplier is 0")
    rank = len(shape(op.input))
    return Parameters(factor.reshape((1,) * (rank - 1) + (-1,) if rank else ()), found.input_zp, found.output_zp)


def rescaled_as(build: OpBuilder, given: Scaled, op: RescaleOp) -> SSAValue:
    """Return the result of ``op`` on a value that was not rescaled yet, with one rescale."""
    asked = parameters(op)
    given = centred(build, given, asked.input_zp)
    return _stored(build, given, compact(given.unit * asked.factor), element_type(op.output), asked.output_zp)


def requantized(build: OpBuilder, given: Scaled) -> Scaled:
    """Return a value as the 8-bit integers that it represents, with one rescale.

    Raises ConversionError if its limits leave more than 8 bits.
    """
    least, most = given.limits
    if not (most - least <= 255 and least <= given.offset <= least + 255):
        raise ConversionError("its integers are of more than 8 bits")
    moved = int(least) + 128
    value = _stored(build, given, given.unit, i8, given.offset - moved)
    rank = given.unit.ndim
    low, high = (one(float(end), rank) for end in type_range(i8))
    return Scaled(value, one(1.0, rank), moved, low, high, given.limits)


def _stored(build: OpBuilder, given: Scaled, factor: Reals, element: Attribute, zero_point: int) -> SSAValue:
    """Return a value less its offset, times a factor, as saturated integers."""
    ends = type_range(storage_element(element))
    width = np.log2(max(given.reach, 1)) - _WIDTH_IN
    if factor.max() >= 1 or (width > 0 and float(factor.max()) * 2**width > _FINEST):
        # The clamp only keeps values in RESCALE's range; the rescale itself saturates at the exact ends.
        low, high = (np.asarray((end - zero_point) / factor) for end in ends)
        given = clamped(build, given, (np.floor(low), np.ceil(high)))
    narrow, bits = _shifted_right(build, given)
    return _rescaled(build, narrow, np.ldexp(factor, bits), element, zero_point)


def brought(build: OpBuilder, given: Scaled, unit: Reals, widest: int) -> Scaled:
    """Return a value in another unit with offset 0, with one rescale.

    Raises ConversionError if the value leaves the widest integers.
    """
    given = centred(build, given)
    factor = compact(given.unit / unit)
    bounds = np.floor(given.low * factor), np.ceil(given.high * factor)
    reach = max(float(np.abs(bound).max()) for bound in bounds) + 1
    element = integers_for([reach], widest)
    narrow, bits = _shifted_right(build, given)
    left = max(0, int(np.ceil(np.log2(reach))) - _WIDTH_OUT)
    value = _rescaled(build, narrow, np.ldexp(factor, bits - left), i32, 0)
    if left:
        wide = converted(build, value, element)
        value = build.add(stablehlo.MultiplyOp(wide, build.filled_like(1 << left, wide)))
    margin = float(1 << left)
    low, high = (np.asarray(bound + sign * margin) for bound, sign in zip(bounds, (-1, 1), strict=True))
    return Scaled(value, unit, 0, low, high, NO_LIMITS)


def _shifted_right(build: OpBuilder, given: Scaled) -> tuple[SSAValue, int]:
    """Return a value over a power of two as 32-bit integers, rounded half up, and the exponent."""
    bits = max(0, int(np.ceil(np.log2(max(given.reach, 1)))) - _WIDTH_IN)
    value = given.value
    if bits:
        wide = converted(build, value, i64)
        rounded = build.add(stablehlo.AddOp(wide, build.filled_like(1 << (bits - 1), wide)))
        value = build.add(stablehlo.ShiftRightArithmeticOp(rounded, build.filled_like(bits, wide)))
    return (value if element_type(value) == i8 else converted(build, value, i32)), bits


def _rescaled(build: OpBuilder, value: SSAValue, factor: Reals, element: Attribute, zero_point: int) -> SSAValue:
    """Return one rescale; the dimension along which its factors differ is transposed to the end."""
    axes, rank = along(factor), len(shape(value))
    order = list(range(rank))
    if axes and axes[0] != rank - 1:
        order.append(order.pop(axes[0]))
    moved = build.transpose(value, order)
    source, target = Edge(element_type(value)), Edge(storage_element(element), zero_point)
    result = rescale(build, moved, numerics.multiplier_and_shift(factor.reshape(-1)), source, target, element)
    return build.transpose(result, [int(i) for i in np.argsort(order)])
