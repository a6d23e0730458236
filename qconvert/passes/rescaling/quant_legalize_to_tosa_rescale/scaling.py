"""Quantized values converted to and from 32-bit integers through ``tosa.rescale``.

Everything here is planned first, and planning raises ConversionError if RESCALE cannot express it. Building a plan
cannot fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import UniformQuantizedType, i32, integer_type, quantized_element
from qconvert.passes.rescaling.legalize_quant_to_math.arithmetic import centred
from qconvert.rewriting import INT32_LIMIT, as_element, as_integers, magnitude
from qconvert.rewriting.rescales import Edge, rescale
from qconvert.support.errors import ConversionError

Step: TypeAlias = Callable[[OpBuilder, SSAValue], SSAValue]
"""Builds one value from another."""

COARSEST_UNIT = 0.25
"""Largest unit of a rounded intermediate, in LSBs of the result."""


@dataclass(frozen=True, eq=False)
class Scale:
    """Real factors as multipliers and shifts: one, or one for each slice of the last dimension."""

    multiplier: NDArray[np.signedinteger[Any]]
    shift: NDArray[np.int8]

    @classmethod
    def of(cls, factors: float | NDArray[np.float64]) -> Scale:
        """Return the scale of factors.

        Equal factors become one. Raise ConversionError for a factor that RESCALE cannot express.
        """
        flat = np.atleast_1d(np.asarray(factors, np.float64))
        return cls(*numerics.multiplier_and_shift(flat[:1] if (flat == flat[:1]).all() else flat))

    @property
    def is_identity(self) -> bool:
        """True if the factor is 1."""
        return self.multiplier.size == 1 and int(self.multiplier[0]) == 1 << int(self.shift[0])

    @cached_property
    def limit(self) -> int:
        """The bound of TOSA's definition: the result is defined for values in [-limit, limit)."""
        return 1 << (int(self.shift.min()) - 1)


ACCUMULATOR = Edge(i32)


def rescaled(build: OpBuilder, value: SSAValue, scale: Scale, source: Edge, target: Edge) -> SSAValue:
    """Return integers of the source side as integers of the target side."""
    if source == target and scale.is_identity:
        return value
    return rescale(build, value, (scale.multiplier, scale.shift), source, target)


def edge(element: UniformQuantizedType) -> Edge | None:
    """Return the side of a rescale that a quantized type forms; None if RESCALE cannot take its zero points."""
    storage, zero_points = element.storage, set(element.data.zero_points)
    if storage.width < 8 or len(zero_points) > 1:
        return None
    (zero_point,) = zero_points
    unsigned = not storage.signed
    if storage.width > 8 and (zero_point or unsigned):
        return None
    return Edge(integer_type(storage.width, signed=True), zero_point, unsigned)


def span(element: UniformQuantizedType) -> int:
    """Return the smallest bound for which a storage integer less its zero point is in [-bound, bound)."""
    zero_points, storage = element.zero_points, element.storage
    return max(int(zero_points.max()) - storage.minimum, storage.maximum - int(zero_points.min()) + 1)


def centred_value(build: OpBuilder, value: SSAValue) -> SSAValue:
    """Return 32-bit storage integers of a quantized value less their zero points, without a rescale."""
    element = quantized_element(value)
    return centred(build, as_integers(build, value), element)


def check_centred(element: UniformQuantizedType) -> None:
    """Raise ConversionError if an integer less its zero point may exceed 32 bits."""
    if element.storage.width == 32 and not element.has_zero_zero_point:
        raise ConversionError(f"an integer of {element.storage} minus its zero point may exceed 32 bits")


def loader(element: UniformQuantizedType, factor: float = 1.0) -> Step:
    """Return the step to ``(q - zero point) * factor`` in 32 bits, rounded.

    It serves per-tensor values of at most 16 bits.
    """
    if element.storage.width > 16:
        raise ConversionError(f"operands of {element.storage} leave no spare bits in 32 bits")
    scale, farthest = Scale.of(factor), magnitude(element) * factor
    if farthest >= INT32_LIMIT:
        raise ConversionError(f"an operand scaled by {factor:.6g} reaches {farthest:.6g}, outside 32 bits")
    side = edge(element)

    def load(build: OpBuilder, value: SSAValue) -> SSAValue:
        if side is None or side.unsigned:
            return rescaled(build, centred_value(build, value), scale, ACCUMULATOR, ACCUMULATOR)
        return rescaled(build, as_integers(build, value), scale, side, ACCUMULATOR)

    return load


def storer(element: UniformQuantizedType, factors: float | NDArray[np.float64], bound: int) -> Step:
    """Return the step from 32-bit integers in [-bound, bound) to the result type, times one factor or one per channel.

    Channels are slices of the last dimension. Values for which TOSA leaves the result undefined are clamped before.
    """
    scale = Scale.of(factors)
    saturates = bound > scale.limit
    if saturates and element.storage.width > 16:
        wrong = float(np.max(factors))
        raise ConversionError(
            f"a rescale of 32-bit integers by {wrong:.6g} takes integers up to {scale.limit} only, larger ones occur"
        )
    if len(set(element.data.zero_points)) > 1:
        raise ConversionError("the result has several zero points, RESCALE takes one")

    def store(build: OpBuilder, value: SSAValue) -> SSAValue:
        if saturates:
            value = clamped(build, value, -scale.limit, scale.limit - 1)
        return _stored(build, value, scale, element)

    return store


def _stored(build: OpBuilder, value: SSAValue, scale: Scale, element: UniformQuantizedType) -> SSAValue:
    side, storage = edge(element), element.storage
    if side is not None and storage.is_full and not side.unsigned:
        return as_element(build, rescaled(build, value, scale, ACCUMULATOR, side), element)
    zero_point = element.data.zero_points[0]
    wide = rescaled(build, value, scale, ACCUMULATOR, ACCUMULATOR)
    inside = clamped(build, wide, storage.minimum - zero_point, storage.maximum - zero_point)
    if zero_point:
        inside = build.add(stablehlo.AddOp(inside, build.filled_like(zero_point, inside)))
    integers = inside if storage.width == 32 else build.add(stablehlo.ConvertOp(inside, element.storage_type))
    return as_element(build, integers, element)


def clamped(build: OpBuilder, value: SSAValue, low: int, high: int) -> SSAValue:
    """Return 32-bit integers clamped to two bounds."""
    return build.clamp(value, *np.clip((low, high), -INT32_LIMIT - 1, INT32_LIMIT))


def requantizer(
    source: UniformQuantizedType, target: UniformQuantizedType, factors: float | NDArray[np.float64]
) -> Step:
    """Return the step from one quantized type to another, times factors.

    It is a single rescale if RESCALE takes both sides directly.
    """
    check_centred(source)
    store = storer(target, factors, span(source))
    before, after, scale = edge(source), edge(target), Scale.of(factors)
    if before is None or after is None or span(source) > scale.limit or not _go_together(before, after, target):
        return lambda build, value: store(build, centred_value(build, value))

    def requantize(build: OpBuilder, value: SSAValue) -> SSAValue:
        integers = as_element(build, as_integers(build, value), before.element)
        result = rescaled(build, integers, scale, before, after)
        return as_element(build, as_element(build, result, target.storage_type), target)

    return requantize


def _go_together(before: Edge, after: Edge, target: UniformQuantizedType) -> bool:
    """Return whether RESCALE allows the two sides' flags together, and saturates as the target does."""
    unsigned = before.unsigned or after.unsigned
    both = before.unsigned and after.unsigned
    return target.storage.is_full and not both and not (unsigned and i32 in (before.element, after.element))


def check_unit(factor: float) -> None:
    """Raise ConversionError if a unit of a rounded intermediate is too many LSBs of the result."""
    if factor > COARSEST_UNIT:
        raise ConversionError(
            f"the scales are too far apart: one unit of a 32-bit sum is {factor:.6g} LSB of the result"
        )
