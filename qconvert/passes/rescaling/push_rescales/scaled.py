"""Integers that were not rescaled, with the rescale that they stand for and their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import described, element_type, i32, i64, numpy_dtype, quantized, shape
from qconvert.rewriting import as_integers, converted
from qconvert.support.errors import ConversionError

Reals: TypeAlias = NDArray[np.float64]
Limits: TypeAlias = tuple[float, float]

_SLACK = 1 - 2.0**-20
"""Part of a type's range that bounds may use. Bounds are float64 sums, which round."""

NO_LIMITS = (-np.inf, np.inf)
_WIDTHS = (8, 16, 32, 64)


@dataclass(frozen=True, eq=False)
class Scaled:
    """A ``value`` that represents the integers ``clamp(value * unit + offset)`` without being rounded to them.

    ``unit``, ``low`` and ``high`` have the rank of the value and broadcast against it: one unit, or one for each
    channel. ``low`` and ``high`` are proven bounds of the value, ``limits`` those of the clamp, in the integers' unit.
    """

    value: SSAValue
    unit: Reals
    offset: int
    low: Reals
    high: Reals
    limits: Limits = NO_LIMITS

    @property
    def reach(self) -> float:
        """The largest magnitude of the value."""
        return max(float(-self.low.min(initial=0)), float(self.high.max(initial=0)))

    @property
    def coarsest(self) -> float:
        """The largest unit."""
        return float(self.unit.max(initial=0))

    @property
    def is_plain(self) -> bool:
        """True if the value is the integers less their zero point, without any scaling."""
        return self.unit.size == 1 and float(self.unit.flat[0]) == 1.0


def one(number: float, rank: int) -> Reals:
    """Return one number for all elements of a value."""
    return np.full((1,) * rank, number, np.float64)


_Array = TypeVar("_Array", bound=NDArray[Any])


def compact(array: _Array) -> _Array:
    """Return the array with one element along each dimension in which it does not vary."""
    for axis in range(array.ndim):
        first = array[(slice(None),) * axis + (slice(0, 1),)]
        if array.shape[axis] > 1 and (array == first).all():
            array = cast("_Array", first)
    return array


def along(array: Reals) -> tuple[int, ...]:
    """Return the dimensions along which the elements differ."""
    return tuple(i for i, size in enumerate(array.shape) if size > 1)


def scaled(value: SSAValue, unit: Reals, offset: int, bounds: tuple[Reals, Reals], limits: Limits) -> Scaled:
    """Return a :class:`Scaled`; raise ConversionError if its units vary along several dimensions."""
    unit = compact(unit)
    if len(along(unit)) > 1:
        raise ConversionError("its scales vary along several dimensions")
    return Scaled(value, unit, offset, compact(bounds[0]), compact(bounds[1]), limits)


def type_range(element: Attribute) -> tuple[int, int]:
    """Return the range of a signed integer type; raise ConversionError for any other type."""
    if isinstance(element, IntegerType):
        known = element.width.data in _WIDTHS and element.signedness.data is not Signedness.UNSIGNED
        if known:
            limits = np.iinfo(numpy_dtype(element).name)
            return int(limits.min), int(limits.max)
    raise ConversionError(f"it computes on {described(element)}, not on signed integers")


def unscaled(build: OpBuilder, value: SSAValue, limits: Limits = NO_LIMITS) -> Scaled:
    """Return integers of which no rescale was pushed; raise ConversionError if they are not signed integers."""
    element, rank = quantized(value), len(shape(value))
    if element is not None and element.storage.signed:
        integers = as_integers(build, value)
        ends: tuple[float, float] = (element.storage.minimum, element.storage.maximum)
    else:
        integers, ends = value, type_range(element_type(value))
    low, high = max(ends[0], limits[0]), min(ends[1], limits[1])
    return Scaled(integers, one(1.0, rank), 0, one(low, rank), one(high, rank))


def range_of(given: Scaled) -> Limits:
    """Return the smallest and largest integer that the value represents."""
    low, high = (float(end) for end in ((given.low * given.unit).min(), (given.high * given.unit).max()))
    return max(low + given.offset, given.limits[0]), min(high + given.offset, given.limits[1])


def fits(reach: float, width: int) -> bool:
    """Return whether integers up to a magnitude fit the signed integers of a width."""
    return reach < 2.0 ** (width - 1) * _SLACK


def integers_for(reaches: Sequence[float], widest: int) -> IntegerType:
    """Return the integer type to compute in; raise ConversionError if the widest is too narrow."""
    reach = max(reaches)
    if not fits(reach, widest):
        raise ConversionError(f"its sums may reach 2^{np.log2(reach):.1f}, outside {widest} bits")
    return i32 if fits(reach, 32) else i64


def spread(build: OpBuilder, numbers: NDArray[Any], element: Attribute, like: SSAValue) -> SSAValue:
    """Return integers that broadcast against ``like``, as a constant of its shape."""
    if numbers.size == 1:
        return build.filled(int(numbers.flat[0]), element, shape(like))
    axes = along(np.asarray(numbers, np.float64))
    integers = numbers.astype(numpy_dtype(element)).reshape([numbers.shape[i] for i in axes])
    array = build.constant(integers, element)
    return array if integers.shape == shape(like) else build.add(stablehlo.BroadcastInDimOp(array, shape(like), axes))


def shifted(build: OpBuilder, given: Scaled, amount: Reals) -> Scaled:
    """Return a value plus a constant that broadcasts against it, rounded to the value's unit."""
    whole = numerics.nearest_integers(amount)
    if not whole.any():
        return given
    low, high = given.low + whole, given.high + whole
    reaches = [given.reach, float(np.abs(low).max()), float(np.abs(high).max())]
    element = integers_for(reaches, 64)
    value = converted(build, given.value, element)
    moved = build.add(stablehlo.AddOp(value, spread(build, whole, element, value)))
    return replace(given, value=moved, low=compact(low), high=compact(high))


def within_limits(build: OpBuilder, given: Scaled) -> Scaled:
    """Return the value clamped to its limits, unless its bounds exclude that the rescale would saturate.

    Raises ConversionError if the value's unit is too coarse to express the limits.
    """
    least, most = ((limit - given.offset) / given.unit for limit in given.limits)
    cuts = bool((given.low < least - 0.5).any()), bool((given.high > most + 0.5).any())
    if not any(cuts):
        return replace(given, limits=NO_LIMITS)
    if given.coarsest > 1:
        raise ConversionError(
            "one unit of its accumulator is more than 1 LSB of its operand, too coarse to saturate exactly"
        )
    return clamped(build, given, (least, most))


def clamped(build: OpBuilder, given: Scaled, limits: tuple[Reals, Reals]) -> Scaled:
    """Return the value clamped to the integers nearest to limits in its own unit, unless its bounds exclude that."""
    least, most = limits
    cuts = bool((given.low < least - 0.5).any()), bool((given.high > most + 0.5).any())
    value, ends = given.value, type_range(element_type(given.value))
    floor, ceiling = (np.clip(numerics.nearest_integers(limit), *ends) for limit in (least, most))
    low, high = (np.clip(bound, floor, ceiling) for bound in (given.low, given.high))
    kept = _clamped(build, value, floor if cuts[0] else None, ceiling if cuts[1] else None) if any(cuts) else value
    return Scaled(kept, given.unit, given.offset, compact(low), compact(high))


def _clamped(
    build: OpBuilder, value: SSAValue, floor: NDArray[np.int64] | None, ceiling: NDArray[np.int64] | None
) -> SSAValue:
    element = element_type(value)
    least, most = (None if end is None else spread(build, end, element, value) for end in (floor, ceiling))
    if least is None or most is None:
        kind, end = (stablehlo.MinimumOp, most) if least is None else (stablehlo.MaximumOp, least)
        assert end is not None
        return build.add(kind(value, end))
    return build.add(stablehlo.ClampOp(least, value, most))


def centred(build: OpBuilder, given: Scaled, offset: int = 0) -> Scaled:
    """Return the value within its limits and with another offset; the difference becomes a sum.

    Raises ConversionError if the value's unit is too coarse to express the difference.
    """
    given = within_limits(build, given)
    difference = given.offset - offset
    if difference and not given.is_plain and given.coarsest > 1:
        raise ConversionError(
            "one unit of its accumulator is more than 1 LSB of its operand, too coarse for the zero point"
        )
    return replace(shifted(build, given, difference / given.unit), offset=offset)
