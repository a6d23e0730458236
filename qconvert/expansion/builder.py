"""A builder of TOSA ops: constants, zero points, shapes and rescales, each in one call."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from xdsl.dialects.builtin import IntegerType, LocationAttr, UnknownLoc
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import tosa
from qconvert.ir import (
    Held,
    LateArray,
    converted,
    element_type,
    i8,
    i32,
    mapped,
    numpy_dtype,
    pieces_of,
    reshaped,
    shape,
    transposed,
)
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.support.errors import ConversionError

i4, i16, i48 = IntegerType(4), IntegerType(16), IntegerType(48)
_LEAST_INT4 = -7
_NONE = ZeroPoints()


class TosaBuilder:
    """A list of TOSA ops under construction; each op gets the builder's location."""

    def __init__(self) -> None:
        self.location: LocationAttr = UnknownLoc()
        self.ops: list[Operation] = []
        self._parameters: dict[Hashable, SSAValue] = {}

    def add(self, op: Operation) -> SSAValue:
        """Append an op and return its result."""
        op.location = self.location
        self.ops.append(op)
        return op.results[0]

    def constant(self, array: ArrayLike | LateArray, element: Attribute) -> SSAValue:
        """Add a constant of integers or floats. Values of -8 take 8 bits, because TOSA's int4 begins at -7."""
        held = array if isinstance(array, LateArray) else np.asarray(array)
        if element == i4 and any((piece.astype(np.int8) < _LEAST_INT4).any() for piece in pieces_of(held)):
            element = i8
        dtype = numpy_dtype(element)
        if held.dtype.kind == "u" and dtype.itemsize == held.dtype.itemsize:
            held = mapped(held, lambda found: found.view(dtype), dtype)  # the same bits in a signless type
        _check_fits(held, element)
        return self.add(tosa.ConstOp.of(converted(held, dtype), element))

    def filled(self, value: float, like: SSAValue, element: Attribute = i32) -> SSAValue:
        """Add a constant of one number that broadcasts against ``like``."""
        return self.constant(np.full((1,) * len(shape(like)), value), element)

    def zero_point(self, value: int, element: Attribute) -> SSAValue:
        """Add a zero point of one element: the bits of an unsigned one, 0 for floats."""
        return self.parameter(np.asarray([value]).astype(numpy_dtype(element)), element)

    def parameter(self, values: NDArray[Any], element: Attribute) -> SSAValue:
        """Return a constant of parameters such as multipliers; equal ones are added once."""
        key = values.tobytes(), values.dtype, values.shape, element
        made = self._parameters.get(key)
        if made is None:
            made = self._parameters[key] = self.constant(values, element)
        return made

    def reshape(self, value: SSAValue, target: Sequence[int]) -> SSAValue:
        """Return a value in another shape.

        A value with that shape is returned as it is. A constant is added in the new shape. A reshape of a reshape
        becomes one reshape, or none.
        """
        while isinstance(value.owner, tosa.ReshapeOp):
            value = value.owner.input1
        if shape(value) == tuple(target):
            return value
        if isinstance(value.owner, tosa.ConstOp):
            return self.add(tosa.ConstOp.of(reshaped(value.owner.held, target), element_type(value)))
        return self.add(tosa.ReshapeOp(value, self.shape(target)))

    def shape(self, sizes: Sequence[int]) -> SSAValue:
        """Return a ``!tosa.shape`` operand; equal ones are added once."""
        key = tuple(sizes)
        made = self._parameters.get(key)
        if made is None:
            made = self._parameters[key] = self.add(tosa.ConstShapeOp(sizes))
        return made

    def cropped(self, value: SSAValue, pads: Sequence[int]) -> tuple[SSAValue, tuple[int, ...]]:
        """Return a (N, spatial.., C) value cropped by negative paddings (low, high in turn), and the other paddings."""
        sizes = list(shape(value))
        starts = [0] * len(sizes)
        for i, (low, high) in enumerate(zip(pads[::2], pads[1::2], strict=True), 1):
            starts[i] = max(0, -low)
            sizes[i] -= max(0, -low) + max(0, -high)
        kept = tuple(max(0, pad) for pad in pads)
        return self.slice(value, starts, sizes), kept

    def slice(self, value: SSAValue, starts: Sequence[int], sizes: Sequence[int]) -> SSAValue:
        """Return a part of a value; a part with all elements is the value itself."""
        if tuple(sizes) == shape(value):
            return value
        return self.add(tosa.SliceOp(value, self.shape(starts), self.shape(sizes)))

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """Permute dimensions.

        A value is returned as it is if nothing changes. A constant is laid out in the new order. A transpose of a
        transpose becomes one transpose, or none. A transpose that only moves dimensions of size 1 becomes a reshape.
        """
        if list(permutation) == list(range(len(permutation))):
            return value
        sizes = shape(value)
        moved = [i for i in permutation if sizes[i] != 1]
        if moved == sorted(moved):
            return self.reshape(value, [sizes[i] for i in permutation])
        if isinstance(value.owner, tosa.TransposeOp):
            before = value.owner.permutation
            return self.transpose(value.owner.input1, [before[i] for i in permutation])
        if isinstance(value.owner, tosa.ConstOp):
            return self.add(tosa.ConstOp.of(transposed(value.owner.held, permutation), element_type(value)))
        return self.add(tosa.TransposeOp(value, permutation))

    def rescale(
        self,
        value: SSAValue,
        factor: ArrayLike,
        element: IntegerType,
        zero_points: ZeroPoints = _NONE,
        rounding: Rounding = Rounding.SINGLE_ROUND,
        *,
        input_unsigned: bool = False,
        output_unsigned: bool = False,
    ) -> SSAValue:
        """Return ``(value - input zero point) * factor + output zero point`` in integers, clamped to ``element``.

        There is one factor, or one for each slice of the last dimension. 48-bit values take 16-bit multipliers. A
        reshape of the operand that keeps these slices moves after the RESCALE, where it may merge with another reshape.
        Raises ConversionError if multiplier and shift cannot express a factor.
        """
        source, count = value, np.size(factor)
        while isinstance(source.owner, tosa.ReshapeOp) and (
            count == 1 or shape(source.owner.input1)[-1:] == shape(source)[-1:]
        ):
            source = source.owner.input1
        width = 16 if element_type(value) == i48 else 32
        found = numerics.multiplier_and_shift(np.atleast_1d(np.asarray(factor, np.float64)), width)
        made = tosa.RescaleOp.by(
            source,
            found,
            element,
            zero_points,
            self.parameter,
            rounding=rounding,
            input_unsigned=input_unsigned,
            output_unsigned=output_unsigned,
        )
        return self.reshape(self.add(made), shape(value))

    def looked_up(self, value: SSAValue, entries: NDArray[Any]) -> SSAValue:
        """Return the entry of each integer, in order from the lowest integer on: by TABLE of bytes, else by GATHER."""
        if element_type(value) == i8 and entries.dtype.itemsize == 1:
            return self.add(tosa.TableOp(value, self.constant(entries, i8)))
        return self.gathered(value, entries)

    def gathered(self, value: SSAValue, entries: NDArray[Any]) -> SSAValue:
        """Return the entry of each integer by GATHER, indexed from the lowest integer on."""
        wide = self.reshape(self.add(tosa.CastOp(value, i32)), (1, prod(shape(value))))
        places = self.offset(wide, entries.size // 2)
        listed = self.constant(entries.reshape(1, -1, 1), i8 if entries.dtype.itemsize == 1 else i16)
        return self.reshape(self.add(tosa.GatherOp(listed, places)), shape(value))

    def multiply(self, lhs: SSAValue, rhs: SSAValue, shift: int = 0) -> SSAValue:
        """Multiply; a product of integers in i32 is shifted right by ``shift`` bits and rounded half up."""
        return self.add(tosa.MulOp(lhs, rhs, self.parameter(np.asarray([shift], np.int8), i8)))

    def offset(self, value: SSAValue, offset: int) -> SSAValue:
        """Add one integer to i32 integers."""
        return self.add(tosa.AddOp(value, self.filled(offset, value))) if offset else value

    def shift_left(self, value: SSAValue, places: int) -> SSAValue:
        """Shift i32 integers to the left by ``places`` bits."""
        return self.add(tosa.LogicalLeftShiftOp(value, self.filled(places, value)))

    def shift_right(self, value: SSAValue, places: int, *, rounds: bool = False) -> SSAValue:
        """Shift i32 integers to the right by ``places`` bits; halves are rounded up, or all bits are dropped."""
        return self.add(tosa.ArithmeticRightShiftOp(value, self.filled(places, value), rounds=rounds))

    def divide_by_power(self, value: SSAValue, places: int) -> SSAValue:
        """Divide i32 integers by ``2^places``, ties away from zero: subtract 1 below zero, then round half up."""
        lowered = self.add(tosa.AddOp(value, self.shift_right(value, 31)))
        return self.shift_right(lowered, places, rounds=True)

    def clamp(self, value: SSAValue, low: float, high: float) -> SSAValue:
        """Clamp to ``low`` to ``high``; a value whose type or CLAMP has no wider limits is returned as it is."""
        element = element_type(value)
        if isinstance(value.owner, tosa.ClampOp):
            within = value.owner.limits
            if low <= within[0] and within[1] <= high:
                return value
        if isinstance(value.owner, tosa.ReshapeOp):
            return self.reshape(self.clamp(value.owner.input1, low, high), shape(value))
        if isinstance(element, IntegerType):
            half = 1 << (element.width.data - 1)
            if low <= -half and high >= half - 1:
                return value
            if element == i32:  # CLAMP takes 8 and 16 bits
                bounded = self.add(tosa.MaximumOp(value, self.filled(low, value)))
                return self.add(tosa.MinimumOp(bounded, self.filled(high, value)))
        return self.add(tosa.ClampOp(value, low, high))


def _check_fits(held: Held, element: Attribute) -> None:
    """Raise ConversionError for an integer that does not fit in the TOSA type that replaces its own."""
    bits = element.width.data if isinstance(element, IntegerType) else 0
    if held.dtype.kind not in "iu" or held.dtype.itemsize * 8 <= max(bits, 8) or not (bits and held.size):
        return
    least, most = (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    for value in (int(extreme) for piece in pieces_of(held) for extreme in (piece.min(), piece.max())):
        if not least <= value <= most:
            raise ConversionError(f"the integer {value} does not fit in {bits} bits, the width of its TOSA type")
