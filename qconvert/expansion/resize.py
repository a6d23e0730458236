"""Linear interpolation of integers as LiteRT computes it."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import composite, stablehlo, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import Expander, integer_of, per_tensor
from qconvert.expansion.registry import expands
from qconvert.ir import element_type, f32, i8, i32, shape
from qconvert.numerics import Rounding

_UNIT = 1 << composite.LITERT_BITS
_IMAGE = 2
"""The number of dimensions of an image that RESIZE resizes."""
_PLACES = 2 * composite.LITERT_BITS
_FINEST = 1 << 8
"""Results in fractions coarser than this are rounded by one RESCALE; see ``_of_8_bits``."""
_FINEST_OF_16_BITS = 1 << 14
"""Results in these fractions, times 4, fit into i32."""


@expands(composite.ResizeOp)
def resize(op: composite.ResizeOp, build: Expander) -> SSAValue:
    """Resize at LiteRT's positions in 1/1024, and round as LiteRT does; unsigned integers are resized in floats."""
    element = per_tensor(op.operand)
    if shape(op.operand) == shape(op.result):
        return build[op.operand]
    image = as_image(op, build)
    if is_repeated(op) and not any(axis.neighbours()[0].any() for axis in op.litert_steps()):
        return as_result(op, build, repeated(op, build, image))
    if op.is_litert_float:
        made = _in_floats(op, build, image)
    else:
        made = _of_8_bits(op, build, image) if element.storage.width == 8 else _of_16_bits(op, build, image)
    held = integer_of(element)
    return as_result(op, build, made if element_type(made) == held else build.add(tosa.CastOp(made, held)))


def is_repeated(op: composite.ResizeOp) -> bool:
    """Return True if the only element along the resized dimensions is repeated, as often as RESIZE allows."""
    axes = stablehlo.as_tuple(op.axes)
    largest = max(shape(op.result)[axis] for axis in axes)
    return len(axes) == _IMAGE and largest <= tosa.LARGEST_SCALE and {shape(op.operand)[axis] for axis in axes} == {1}


def repeated(op: composite.ResizeOp, build: Expander, image: SSAValue) -> SSAValue:
    """Repeat one pixel: a sum of equal integers by weights that add up to 1 is that integer."""
    sizes = [shape(op.result)[axis] for axis in stablehlo.as_tuple(op.axes)]
    scale = build.shape([number for size in sizes for number in (size, 1)])
    parts = (scale, build.shape((0, 0)), build.shape([size - 1 for size in sizes]))
    return build.add(tosa.ResizeOp(image, *parts, tosa.ResizeMode.NEAREST_NEIGHBOR))


def _parts(axis: composite.LitertSteps) -> int:
    """Return the number of parts of 1 of which all positions along an axis are multiples: a power of two."""
    return _UNIT // gcd(_UNIT, axis.step, axis.start)


def _sums(op: composite.ResizeOp, build: Expander, value: SSAValue, units: Sequence[int]) -> SSAValue:
    """Return the interpolation times the product of ``units``, of which positions are multiples."""
    found = op.litert_steps()
    rows = [
        [unit, axis.step * unit // _UNIT, axis.start * unit // _UNIT, axis.original - 1, axis.resized - 1]
        for axis, unit in zip(found, units, strict=True)
    ]
    scale = [number for unit, step, *_ in rows for number in (unit, step)]
    border = [last * step + start - end * unit for unit, step, start, end, last in rows]
    parts = (build.shape(scale), build.shape([start for _, _, start, *_ in rows]), build.shape(border))
    return build.add(tosa.ResizeOp(value, *parts, tosa.ResizeMode.BILINEAR))


def _of_8_bits(op: composite.ResizeOp, build: Expander, value: SSAValue) -> SSAValue:
    """Return sums rounded, ties away from zero: by one RESCALE if they are coarse, which NPUs compute with RESIZE.

    DOUBLE_ROUND adds or subtracts 2^30, with the sign of the sum. The multiplier is 2^30 as well, so this is one unit
    of the sum, which decides a tie. All sums are multiples of 4, so no other sum becomes a tie. Vela's program for
    Ethos-U85 multiplies by 2^16 instead, which makes 2^30 a 256th of the result.
    """
    if prod(map(_parts, op.litert_steps())) < _FINEST:
        sums = _sums(op, build, value, (2 * _UNIT, 2 * _UNIT))
        return build.rescale(sums, 2.0 ** -(_PLACES + 2), i8, rounding=Rounding.DOUBLE_ROUND)
    return build.divide_by_power(_sums(op, build, value, (_UNIT, _UNIT)), _PLACES)


def _of_16_bits(op: composite.ResizeOp, build: Expander, value: SSAValue) -> SSAValue:
    """Return sums rounded, ties away from zero: of whole integers if the sums fit into i32, else of their bytes.

    By one RESCALE if units permit it, which NPUs compute with RESIZE. Else the sum and 0 are added, because an NPU
    rounds an addition as TOSA does. Vela moves a RESCALE right behind RESIZE into it, but with a smaller shift, so that
    it would round ties up.
    """
    parts = list(map(_parts, op.litert_steps()))
    if prod(parts) > _FINEST_OF_16_BITS:
        return _of_bytes(op, build, value)
    if (past := past_a_power(*parts)) is not None:
        return build.rescale(_sums(op, build, value, past.units), 2.0**-past.places, i16)
    units = [2 * part for part in parts]
    sums = build.rescale(_sums(op, build, value, units), 1.0, i32)
    same = build.add(tosa.AddOp(sums, build.filled(0, sums)))
    return build.rescale(same, 1 / prod(units), i16, rounding=Rounding.DOUBLE_ROUND)


class _Past(NamedTuple):
    """Units of rows and columns whose product is a little larger than ``2^places``."""

    units: tuple[int, int]
    places: int


def past_a_power(rows: int, columns: int) -> _Past | None:
    """Return multiples of both numbers for which a sum over ``2^places``, halves up, is LiteRT's result; else None.

    ::

        product of the units = 2^places + rest        2^15 * max(rows * columns, 2) * rest < 2^places

    So a quotient is the interpolation and a little more in its own sign, which takes a tie away from zero. Results are
    multiples of ``1 / (rows * columns)`` and at most 2^15, so no other one comes to a tie.
    """
    parts = max(rows * columns, 2)  # a whole number is half a unit from a tie
    first = np.arange(rows, tosa.LARGEST_NUMERATOR + 1, rows)
    for places in range(_PLACES + 1, 0, -1):
        second = ((1 << places) // first // columns + 1) * columns
        rest = first * second - (1 << places)
        fits = (second <= tosa.LARGEST_NUMERATOR) & (rest * parts << 15 < 1 << places)
        if fits.any():
            at = np.flatnonzero(fits)[-1]
            return _Past((int(first[at]), int(second[at])), places)
    return None


def _of_bytes(op: composite.ResizeOp, build: Expander, value: SSAValue) -> SSAValue:
    """Resize both bytes on their own, because sums of 16-bit integers would take 36 bits.

    ::

        (256 high + low + 2^19 - (1 below zero)) >> 20 = (high + ((low + 2^19 - (1 below zero)) >> 8)) >> 12
    """
    wide = build.add(tosa.CastOp(value, i32))
    upper = build.shift_right(wide, 8)
    rest = build.add(tosa.SubOp(wide, build.multiply(upper, build.filled(256, wide))))
    centred = build.add(tosa.SubOp(rest, build.filled(128, rest)))
    high, low = (_sums(op, build, build.add(tosa.CastOp(part, i8)), (_UNIT, _UNIT)) for part in (upper, centred))
    low = build.offset(low, 128 * _UNIT**2)
    sign = build.shift_right(build.add(tosa.AddOp(high, build.shift_right(low, 8))), 31)
    nudged = build.add(tosa.AddOp(low, build.add(tosa.AddOp(build.filled(_UNIT**2 // 2, sign), sign))))
    return build.shift_right(build.add(tosa.AddOp(high, build.shift_right(nudged, 8))), _PLACES - 8)


_HALF_RANGE = 128
"""Difference between unsigned integers and the signed integers that replace them in TOSA."""


def _in_floats(op: composite.ResizeOp, build: Expander, image: SSAValue) -> SSAValue:
    """Weight and add the four corners of unsigned integers in LiteRT's order; round half up."""
    wide = build.add(tosa.CastOp(image, i32))
    real = build.add(tosa.CastOp(build.offset(wide, _HALF_RANGE), f32))
    rows, columns = op.litert_pairs()
    total: SSAValue | None = None
    for column in columns:
        for row in rows:
            corner = _picked(build, _picked(build, real, 1, row.positions), 2, column.positions)
            term = build.multiply(_weighed(build, corner, 1, row), _weights(build, 2, column))
            total = term if total is None else build.add(tosa.AddOp(total, term))
    assert total is not None
    half = build.filled(0.5, total, f32)
    rounded = build.add(tosa.FloorOp(build.add(tosa.AddOp(total, half))))
    integers = build.add(tosa.CastOp(rounded, i32))
    return build.add(tosa.SubOp(integers, build.filled(_HALF_RANGE, integers)))


def _weighed(build: Expander, value: SSAValue, axis: int, found: composite.Neighbours) -> SSAValue:
    return build.multiply(value, _weights(build, axis, found))


def _weights(build: Expander, axis: int, found: composite.Neighbours) -> SSAValue:
    return build.constant(found.weights.reshape([-1 if i == axis else 1 for i in range(4)]), f32)


def _picked(build: Expander, value: SSAValue, axis: int, positions: NDArray[np.int64]) -> SSAValue:
    """Gather elements of an image at positions along one axis."""
    sizes = shape(value)
    batch, rest = int(np.prod(sizes[:axis])), int(np.prod(sizes[axis + 1 :]))
    flat = build.reshape(value, (batch, sizes[axis], rest))
    places = build.constant(np.broadcast_to(positions.astype(np.int32), (batch, positions.size)), i32)
    made = build.add(tosa.GatherOp(flat, places))
    return build.reshape(made, (*sizes[:axis], positions.size, *sizes[axis + 1 :]))


def as_image(op: composite.ResizeOp, build: Expander) -> SSAValue:
    """Return the operand as (batch, height, width, features); height and width are the resized dimensions."""
    order, first = _order(op)
    value = build.transpose(build[op.operand], order)
    sizes, last = shape(value), first + len(stablehlo.as_tuple(op.axes))
    height, width = (*sizes[first:last], 1)[:2]
    return build.reshape(value, (prod(sizes[:first]), height, width, prod(sizes[last:])))


def as_result(op: composite.ResizeOp, build: Expander, image: SSAValue) -> SSAValue:
    """Return a resized image with its dimensions in the result's order."""
    order, _ = _order(op)
    return build.transpose(build.reshape(image, [shape(op.result)[i] for i in order]), np.argsort(order).tolist())


def _order(op: composite.ResizeOp) -> tuple[tuple[int, ...], int]:
    """Return a permutation that brings the resized dimensions together, and the position of the first one."""
    axes, rank = stablehlo.as_tuple(op.axes), len(shape(op.operand))
    if axes == tuple(range(axes[0], axes[0] + len(axes))):
        return tuple(range(rank)), axes[0]
    others = [i for i in range(rank) if i not in axes]
    return (*others, *axes), len(others)
