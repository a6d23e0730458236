"""The toolbox of the expansions: element types in TOSA, and a builder with the TOSA value of each value of the IR.

A quantized value becomes its storage integers. Scale and zero point stay in the type of the IR's value, where an
expansion reads them. Unsigned storage becomes signed: the first bit is inverted, and half the range is subtracted from
zero points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from xdsl.dialects.builtin import Float8E4M3FNType, Float8E5M2Type, IntegerType, Signedness
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.dialects import tosa
from qconvert.dialects.constants import constant_held
from qconvert.expansion.builder import TosaBuilder
from qconvert.ir import (
    TENSOR,
    Held,
    Tensor,
    UniformQuantizedType,
    array_of,
    described,
    element_type,
    held_once,
    i1,
    i32,
    i64,
    integer_type,
    is_float,
    is_small_float,
    repeats,
    shape,
    storage_element,
    tensor_type,
)
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.support.errors import ConversionError
from qconvert.support.limits import WrittenOut

FLOAT8 = (Float8E4M3FNType, Float8E5M2Type)
"""The floats of 8 bits that TOSA has."""


class Expander(TosaBuilder):
    """A builder of TOSA ops with the TOSA value of each value of the IR.

    Constants are added where they are first used.
    """

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[SSAValue, SSAValue] = {}
        self._written = WrittenOut()

    def __getitem__(self, value: SSAValue) -> SSAValue:
        """Return the TOSA value of a value of the IR; a broadcast constant keeps size 1 along repeated dimensions."""
        if value not in self._values:
            held = constant_held(value)
            if held is None:
                raise ConversionError("the op uses a value that TOSA cannot express")
            self._values[value] = self.constant(held_once(held), tosa_element(element_type(value)))
        return self._values[value]

    def define(self, value: SSAValue, made: SSAValue) -> None:
        """Make ``made`` the TOSA value of a value of the IR, and pass the source tensor's name on to it."""
        owner = value.owner
        if isinstance(owner, Operation) and isinstance(made.owner, Operation) and TENSOR in owner.attributes:
            made.owner.attributes.setdefault(TENSOR, owner.attributes[TENSOR])
        self._values[value] = made

    def centred(self, value: SSAValue) -> SSAValue:
        """Return the storage integers of a quantized value minus its zero point, in i32."""
        return self.centred_integers(self[value], signed_type(value))

    def centred_integers(self, held: SSAValue, element: UniformQuantizedType) -> SSAValue:
        """Return storage integers of a per-tensor quantized type minus its zero point, in i32."""
        if element_type(held) == i32:
            return self.offset(held, -element.zero_point)
        if element.storage.width == 8:
            return self.rescale(held, 1.0, i32, ZeroPoints(element.zero_point))
        return self.offset(self.add(tosa.CastOp(held, i32)), -element.zero_point)

    def requantized(
        self,
        value: SSAValue,
        factor: ArrayLike,
        element: UniformQuantizedType,
        rounding: Rounding = Rounding.SINGLE_ROUND,
    ) -> SSAValue:
        """Rescale integers of i32 or i48 by ``factor`` to the storage integers of a per-tensor quantized type.

        8-bit integers need one RESCALE. RESCALE supports no zero point for 16 bits: it is added in i32, and a second
        RESCALE clamps.
        """
        held, storage, zero_point = integer_of(element), element.storage, element.zero_point
        if held == i32:
            made = self.offset(self.rescale(value, factor, i32, rounding=rounding), zero_point)
        elif storage.width == 8 or not zero_point:
            made = self.rescale(value, factor, held, ZeroPoints(0, zero_point), rounding)
        else:
            moved = self.offset(self.rescale(value, factor, i32, rounding=rounding), zero_point)
            made = self.rescale(moved, 1.0, held)
        return self.clamp(made, storage.minimum, storage.maximum)

    def held(self, value: SSAValue) -> Held | None:
        """Return the elements of a constant of the IR, in memory or not; None for a computed value or an argument."""
        made = self._values.get(value)
        return None if made is not None and isinstance(made.owner, Block) else constant_held(value)

    def array(self, value: SSAValue) -> NDArray[Any] | None:
        """Return the elements of a constant of the IR; None for a computed value or an argument."""
        held = self.held(value)
        return None if held is None else array_of(held)

    def whole(self, value: SSAValue) -> SSAValue:
        """Return the TOSA value of a value of the IR with all its elements, also of a broadcast constant.

        What is computed from broadcast constants alone keeps size 1 as these do, and is repeated.
        """
        held = self.held(value)
        if held is not None and repeats(held):
            self._written.add(held.nbytes)
            return self.constant(np.asarray(array_of(held), order="C"), tosa_element(element_type(value)))
        made, sizes = self[value], shape(value)
        if shape(made) == sizes:
            return made
        counts = [size // kept for size, kept in zip(sizes, shape(made), strict=True)]
        return self.add(tosa.TileOp(made, self.shape(counts)))


def tosa_element(element: Attribute) -> Attribute:
    """Return the element type in TOSA: signless integers, i32 for i64, floats as they are.

    Raises ConversionError for element types that TOSA does not support.
    """
    held = storage_element(element)
    if held in (i1, i32) or (is_float(held) and (not is_small_float(held) or isinstance(held, FLOAT8))):
        return held
    if held == i64:
        return i32
    if isinstance(held, IntegerType) and held.width.data in (4, 8, 16):
        return integer_type(held.width.data, signed=True)
    raise ConversionError(f"TOSA does not support elements of type {described(element)}")


def tosa_type(value: SSAValue) -> Tensor:
    """Return the type that a value of the IR has in TOSA."""
    return tensor_type(tosa_element(element_type(value)), shape(value))


def integer_of(element: UniformQuantizedType) -> IntegerType:
    """Return the integer type of a quantized type in TOSA."""
    held = tosa_element(element)
    assert isinstance(held, IntegerType)
    return held


def per_tensor(value: SSAValue) -> UniformQuantizedType:
    """Return the quantized type of a value with one scale.

    Raises ConversionError for any other type.
    """
    element = element_type(value)
    if not isinstance(element, UniformQuantizedType) or not element.is_per_tensor:
        raise ConversionError(f"one scale for all elements is needed, found {described(element)}")
    return element


def signed_type(value: SSAValue) -> UniformQuantizedType:
    """Return :func:`per_tensor` with signed storage, which TOSA's integers have."""
    return per_tensor(value).signed


def is_unsigned(element: Attribute) -> bool:
    """Return True if the integers of an element type have no sign."""
    held = storage_element(element)
    return isinstance(held, IntegerType) and held.signedness.data is Signedness.UNSIGNED
