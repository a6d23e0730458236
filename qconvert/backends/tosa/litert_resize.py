"""Linear interpolation of integers as LiteRT computes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.backends.tosa.litert import integer_of
from qconvert.backends.tosa.lowering import Lowering, lowers_litert, per_tensor
from qconvert.backends.tosa.normalization import filled
from qconvert.backends.tosa.resize import as_image, as_result
from qconvert.dialects import composite, tosa
from qconvert.dialects.composite.resize import LITERT_BITS, Neighbours
from qconvert.ir.types import f32, i8, i32, shape

_UNIT = 1 << LITERT_BITS


@lowers_litert(composite.ResizeOp)
def resize(op: composite.ResizeOp, lower: Lowering) -> SSAValue:
    """RESIZE with LiteRT's positions in 1/1024, and its rounding of the sums; of unsigned integers in floats."""
    element, image = per_tensor(op.operand), as_image(op, lower)
    if op.is_litert_float:
        made = _in_floats(op, lower, image)
    else:
        made = _of_8_bits(op, lower, image) if element.storage.width == 8 else _of_16_bits(op, lower, image)
    return as_result(op, lower, lower.add(tosa.CastOp(made, integer_of(element))))


def _sums(op: composite.ResizeOp, lower: Lowering, value: SSAValue) -> SSAValue:
    """i32: 2^20 times the interpolation of 8-bit integers."""
    found = op.litert_steps()
    scale = [number for axis in found for number in (_UNIT, axis.step)]
    border = [(axis.resized - 1) * axis.step + axis.start - (axis.original - 1) * _UNIT for axis in found]
    parts = (lower.shape(scale), lower.shape([axis.start for axis in found]), lower.shape(border))
    return lower.add(tosa.ResizeOp(value, *parts, tosa.ResizeMode.BILINEAR))


def _of_8_bits(op: composite.ResizeOp, lower: Lowering, value: SSAValue) -> SSAValue:
    """The sums rounded, halves away from zero."""
    sums = _sums(op, lower, value)
    nudged = lower.add(tosa.AddOp(sums, _sign(lower, sums)))
    return lower.add(tosa.ArithmeticRightShiftOp(nudged, filled(lower, 2 * LITERT_BITS, sums), rounds=True))


def _of_16_bits(op: composite.ResizeOp, lower: Lowering, value: SSAValue) -> SSAValue:
    """Both bytes on their own, as sums of 16-bit integers would take 36 bits.

    ::

        (256 high + low + 2^19 - (1 below zero)) >> 20 = (high + ((low + 2^19 - (1 below zero)) >> 8)) >> 12
    """
    wide = lower.add(tosa.CastOp(value, i32))
    upper = _shifted(lower, wide, 8)
    rest = lower.add(tosa.SubOp(wide, lower.multiply(upper, filled(lower, 256, wide))))
    centred = lower.add(tosa.SubOp(rest, filled(lower, 128, rest)))
    high, low = (_sums(op, lower, lower.add(tosa.CastOp(part, i8))) for part in (upper, centred))
    low = lower.add(tosa.AddOp(low, filled(lower, 128 * _UNIT**2, low)))
    sign = _sign(lower, lower.add(tosa.AddOp(high, _shifted(lower, low, 8))))
    nudged = lower.add(tosa.AddOp(low, lower.add(tosa.AddOp(filled(lower, _UNIT**2 // 2, sign), sign))))
    return _shifted(lower, lower.add(tosa.AddOp(high, _shifted(lower, nudged, 8))), 2 * LITERT_BITS - 8)


def _shifted(lower: Lowering, value: SSAValue, places: int) -> SSAValue:
    return lower.add(tosa.ArithmeticRightShiftOp(value, filled(lower, places, value)))


def _sign(lower: Lowering, value: SSAValue) -> SSAValue:
    """-1 below zero, else 0."""
    return _shifted(lower, value, 31)


_HALF_RANGE = 128
"""What unsigned integers are more than the signed ones that TOSA holds them in."""


def _in_floats(op: composite.ResizeOp, lower: Lowering, image: SSAValue) -> SSAValue:
    """Unsigned integers: the four corners weighted and added up in LiteRT's order, halves up."""
    wide = lower.add(tosa.CastOp(image, i32))
    real = lower.add(tosa.CastOp(lower.add(tosa.AddOp(wide, filled(lower, _HALF_RANGE, wide))), f32))
    rows, columns = op.litert_pairs()
    total: SSAValue | None = None
    for column in columns:
        for row in rows:
            corner = _picked(lower, _picked(lower, real, 1, row.positions), 2, column.positions)
            term = lower.multiply(_weighed(lower, corner, 1, row), _weights(lower, 2, column))
            total = term if total is None else lower.add(tosa.AddOp(total, term))
    assert total is not None
    half = lower.constant(np.full((1, 1, 1, 1), 0.5, np.float32), f32)
    rounded = lower.add(tosa.FloorOp(lower.add(tosa.AddOp(total, half))))
    integers = lower.add(tosa.CastOp(rounded, i32))
    return lower.add(tosa.SubOp(integers, filled(lower, _HALF_RANGE, integers)))


def _weighed(lower: Lowering, value: SSAValue, axis: int, found: Neighbours) -> SSAValue:
    return lower.multiply(value, _weights(lower, axis, found))


def _weights(lower: Lowering, axis: int, found: Neighbours) -> SSAValue:
    return lower.constant(found.weights.reshape([-1 if i == axis else 1 for i in range(4)]), f32)


def _picked(lower: Lowering, value: SSAValue, axis: int, positions: NDArray[np.int64]) -> SSAValue:
    """Elements of an image at positions along one axis: GATHER with the dimensions around it in one each."""
    sizes = shape(value)
    batch, rest = int(np.prod(sizes[:axis])), int(np.prod(sizes[axis + 1 :]))
    flat = lower.reshape(value, (batch, sizes[axis], rest))
    places = lower.constant(np.broadcast_to(positions.astype(np.int32), (batch, positions.size)), i32)
    made = lower.add(tosa.GatherOp(flat, places))
    return lower.reshape(made, (*sizes[:axis], positions.size, *sizes[axis + 1 :]))
