"""Quantized values in and out of 32-bit integers through ``tosa.rescale``.

Everything here is planned first and raises ConversionError where RESCALE cannot say it; what is planned cannot fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import i8, i32, integer_type, numpy_dtype, quantized_element
from qconvert.passes.rescaling.legalize_quant_to_math.arithmetic import centred
from qconvert.rewriting.accumulation import INT32_LIMIT, magnitude
from qconvert.rewriting.bitcasts import as_element, as_integers
from qconvert.support.errors import ConversionError

Step: TypeAlias = Callable[[OpBuilder, SSAValue], SSAValue]
"""Builds one value from another."""

COARSEST_UNIT = 0.25
"""The largest part of a result's step that one unit of a rounded intermediate may be."""


@dataclass(frozen=True, eq=False)
class Scale:
    """Real factors as multipliers and shifts: one, or one for each slice of the last dimension."""

    multiplier: NDArray[np.signedinteger[Any]]
    shift: NDArray[np.int8]

    @classmethod
    def of(cls, factors: float | NDArray[np.float64]) -> Scale:
        """Equal factors become one; raises ConversionError naming a factor that RESCALE has no shift for."""
        flat = np.atleast_1d(np.asarray(factors, np.float64))
        return cls(*numerics.multiplier_and_shift(flat[:1] if (flat == flat[:1]).all() else flat))

    @property
    def is_identity(self) -> bool:
        """Whether the factor is 1."""
        return self.multiplier.size == 1 and int(self.multiplier[0]) == 1 << int(self.shift[0])

    @cached_property
    def limit(self) -> int:
        """TOSA defines the result for values in [-limit, limit)."""
        return 1 << (int(self.shift.min()) - 1)


@dataclass(frozen=True)
class Edge:
    """One side of a rescale: its integers, their zero point and whether they are read without a sign."""

    element: Attribute
    zero_point: int = 0
    unsigned: bool = False

    def constant(self) -> ConstOp:
        """The zero point as an operand."""
        dtype = numpy_dtype(self.element)
        return ConstOp.of(np.array([self.zero_point], np.int64).astype(dtype), self.element)


ACCUMULATOR = Edge(i32)


def rescaled(build: OpBuilder, value: SSAValue, scale: Scale, source: Edge, target: Edge) -> SSAValue:
    """``value``, integers of the source edge, as those of the target edge."""
    if source == target and scale.is_identity:
        return value
    operands = [
        value,
        build.add(ConstOp.of(scale.multiplier, i32)),
        build.add(ConstOp.of(scale.shift, i8)),
        build.add(source.constant()),
        build.add(target.constant()),
    ]
    op = RescaleOp(
        operands,
        target.element,
        per_channel=scale.shift.size > 1,
        input_unsigned=source.unsigned,
        output_unsigned=target.unsigned,
    )
    return build.add(op)


def edge(element: UniformQuantizedType) -> Edge | None:
    """The side of a rescale that a quantized type is by itself; None where RESCALE cannot take its zero points."""
    storage, zero_points = element.storage, set(element.data.zero_points)
    if storage.width < 8 or len(zero_points) > 1:
        return None
    (zero_point,) = zero_points
    unsigned = not storage.signed
    if storage.width > 8 and (zero_point or unsigned):
        return None
    return Edge(integer_type(storage.width, signed=True), zero_point, unsigned)


def span(element: UniformQuantizedType) -> int:
    """The smallest bound for which a storage integer less its zero point is in [-bound, bound)."""
    zero_points, storage = element.zero_points, element.storage
    return max(int(zero_points.max()) - storage.minimum, storage.maximum - int(zero_points.min()) + 1)


def centred_value(build: OpBuilder, value: SSAValue) -> SSAValue:
    """32-bit storage integers of a quantized value less their zero points, without a rescale."""
    element = quantized_element(value)
    return centred(build, as_integers(build, value), element)


def check_centred(element: UniformQuantizedType) -> None:
    """Raise ConversionError where an integer less its zero point may leave 32 bits."""
    if element.storage.width == 32 and not element.has_zero_zero_point:
        raise ConversionError(f"{element.storage} with a zero point may leave 32 bits")


def loader(element: UniformQuantizedType, factor: float = 1.0) -> Step:
    """``(q - zero point) * factor`` of a per-tensor value of at most 16 bits, rounded, in 32 bits."""
    if element.storage.width > 16:
        raise ConversionError(f"{element.storage} leaves no bits to compute with")
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
    """32-bit integers in [-bound, bound) times a factor, or one for each slice of the last dimension.

    What TOSA leaves open saturates: there the value is clamped before.
    """
    scale = Scale.of(factors)
    saturates = bound > scale.limit
    if saturates and element.storage.width > 16:
        wrong = float(np.max(factors))
        raise ConversionError(
            f"a rescale of 32 bits by {wrong:.6g} saturates beyond {scale.limit}, and so may leave 32 bits"
        )
    if len(set(element.data.zero_points)) > 1:
        raise ConversionError("the result has a zero point for each channel, and RESCALE takes one")

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
    """32-bit integers between two bounds."""
    bounds = [build.filled(np.clip(bound, -INT32_LIMIT - 1, INT32_LIMIT), i32) for bound in (low, high)]
    return build.add(stablehlo.ClampOp(bounds[0], value, bounds[1]))


def requantizer(
    source: UniformQuantizedType, target: UniformQuantizedType, factors: float | NDArray[np.float64]
) -> Step:
    """From one quantized type to another by a factor: one rescale where RESCALE takes both sides as they are."""
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
    """Whether RESCALE has the two sides' flags together, and saturates where the target does."""
    unsigned = before.unsigned or after.unsigned
    both = before.unsigned and after.unsigned
    return target.storage.is_full and not both and not (unsigned and i32 in (before.element, after.element))


def check_unit(factor: float) -> None:
    """Raise ConversionError where a unit of a rounded intermediate is too large a part of the result's step."""
    if factor > COARSEST_UNIT:
        raise ConversionError(f"the scales are too far apart: 32 bits leave units of {factor:.6g} steps of the result")
