"""From StableHLO's ops to TOSA's, one op at a time: what every family's lowering is given.

A quantized value becomes its storage integers; the IR's type of the value keeps scale and zero point, and a lowering
asks for them there.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.backends.tosa.builder import TosaBuilder
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.interpreter.core import follows_litert
from qconvert.ir.attributes import TENSOR
from qconvert.ir.locations import describe
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, i1, i32, i64, integer_type, is_float, shape, storage_element
from qconvert.numerics import ZeroPoints, unrepeated
from qconvert.support.errors import ConversionError
from qconvert.support.registry import Registry

Lowered: TypeAlias = SSAValue | tuple[SSAValue, ...]
Lower: TypeAlias = Callable[[Any, "Lowering"], Lowered]


class HalfRounding(StrEnum):
    """What becomes of exact halves: ``half-up`` is RESCALE's own rounding, ``half-even`` ONNX's, with four ops more."""

    UP = "half-up"
    EVEN = "half-even"


LOWERINGS: Registry[type[Operation], Lower] = Registry("TOSA", __name__, ("op", "lower"))
lowers = LOWERINGS.register

LITERT_LOWERINGS: Registry[type[Operation], Lower] = Registry("TOSA as LiteRT", __name__, ("op", "lower"))
lowers_litert = LITERT_LOWERINGS.register


class Lowering(TosaBuilder):
    """The lowering of one function: a builder that knows what has become of each value.

    Constants are made where they are first used. A lowering that takes later ops along (a bias, a clamp) says so with
    :meth:`define`; those ops are not visited again.
    """

    def __init__(self, rounding: HalfRounding) -> None:
        super().__init__()
        self.rounding = rounding
        self._values: dict[SSAValue, SSAValue] = {}

    def __getitem__(self, value: SSAValue) -> SSAValue:
        """The TOSA value that stands for a value of the IR; a repeated constant keeps its dimensions, of size 1."""
        if value not in self._values:
            array = constant_of(value)
            if array is None:
                raise ConversionError("a value is used that has no form in TOSA")
            self._values[value] = self.constant(unrepeated(array), tosa_element(element_type(value)))
        return self._values[value]

    def define(self, value: SSAValue, made: SSAValue) -> None:
        """Let ``made`` stand for a value of the IR; the name of the source's tensor goes with it."""
        owner = value.owner
        if isinstance(owner, Operation) and isinstance(made.owner, Operation) and TENSOR in owner.attributes:
            made.owner.attributes.setdefault(TENSOR, owner.attributes[TENSOR])
        self._values[value] = made

    def centred(self, value: SSAValue) -> SSAValue:
        """The storage integers of a quantized value of the IR less its zero point, in i32."""
        element, held = per_tensor(value), self[value]
        if element_type(held) == i32 and not element.zero_point:
            return held
        if element.storage.width == 8:
            return self.rescale(held, 1.0, i32, ZeroPoints(element.zero_point))
        return self._offset(self.add(tosa.CastOp(held, i32)), -element.zero_point)

    def stored(self, value: SSAValue, factor: ArrayLike, element: UniformQuantizedType) -> SSAValue:
        """Integers of i32 or i48 times ``factor``, as storage integers of a per-tensor quantized type.

        One RESCALE for 8 bits. RESCALE has no zero point for 16 bits: it is added in i32, and a second RESCALE clamps.
        """
        if self.rounding is HalfRounding.EVEN:
            value = self._halves_to_even(value, factor)
        storage, zero_point = element.storage, element.zero_point
        held = tosa_element(element)
        assert isinstance(held, IntegerType)
        if storage.width == 8 or not zero_point:
            made = self.rescale(value, factor, held, ZeroPoints(0, zero_point))
        else:
            made = self.rescale(self._offset(self.rescale(value, factor, i32), zero_point), 1.0, held)
        return self.clamp(made, storage.minimum, storage.maximum)

    def whole(self, value: SSAValue) -> SSAValue:
        """The TOSA value of a value of the IR, a repeated constant with all its elements."""
        array = constant_of(value)
        if array is None or all(array.strides):
            return self[value]
        return self.constant(np.ascontiguousarray(array), tosa_element(element_type(value)))

    def in_type(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The integers that stand for a value of the IR in another quantized type."""
        if element_type(value) == element:
            return self.whole(value)
        source = per_tensor(value)
        if not isinstance(element, UniformQuantizedType):
            raise ConversionError(f"a value of {source} has no reading as {element}")
        return self.stored(self.centred(value), source.scale / element.scale, element)

    def _halves_to_even(self, value: SSAValue, factor: ArrayLike) -> SSAValue:
        """One less where RESCALE would round a half up to an odd number: only a power of two makes exact halves.

        Of a quotient by ``2**k`` the last bit is that of ``value >> k``.
        """
        mantissa, exponent = np.frexp(np.atleast_1d(np.asarray(factor, np.float64)))
        halves = (mantissa == 0.5) & (exponent <= 0) & (exponent > -31)
        if not halves.any():
            return value
        if element_type(value) != i32:
            value = self.rescale(value, 1.0, i32)
        sizes = (*(1,) * (len(shape(value)) - 1), -1) if shape(value) else ()
        shifts, mask = np.where(halves, 1 - exponent, 1), halves.astype(np.int32)
        places, ones = (self.constant(array.reshape(sizes), i32) for array in (shifts, mask))
        odd = self.add(tosa.BitwiseAndOp(self.add(tosa.ArithmeticRightShiftOp(value, places)), ones))
        return self.add(tosa.AddOp(value, self.add(tosa.SubOp(odd, ones))))

    def _offset(self, value: SSAValue, offset: int) -> SSAValue:
        if not offset:
            return value
        return self.add(tosa.AddOp(value, self.constant(np.full((1,) * len(shape(value)), offset), i32)))

    def visit(self, op: Operation) -> None:
        """Lower one op unless it is a constant or done already.

        Raises ConversionError naming the op and its source node where it has no form in TOSA.
        """
        if constant_of(op.results[0]) is not None or all(result in self._values for result in op.results):
            return
        self.location = op.location
        try:
            made = _lowering_of(op)(op, self)
        except ConversionError as error:
            raise error.located(node=describe(op), op=op.name) from error
        for result, value in zip(op.results, made if isinstance(made, tuple) else (made,), strict=True):
            self.define(result, value)


def _registry(op: Operation) -> Registry[type[Operation], Lower]:
    return LITERT_LOWERINGS if follows_litert(op) else LOWERINGS


def has_lowering(op: Operation) -> bool:
    """Whether there is a lowering in the op's own arithmetic."""
    return type(op) in _registry(op)


def _lowering_of(op: Operation) -> Lower:
    lower = _registry(op).get(type(op))
    if lower is None:
        raise ConversionError("there is no way to TOSA for this op", hint="Cut the model before it with --outputs")
    return lower


def tosa_element(element: Attribute) -> Attribute:
    """What holds an element in TOSA: signless integers for quantized and unsigned ones, i32 for i64, floats as such.

    Raises ConversionError for element types that TOSA has not.
    """
    held = storage_element(element)
    if held in (i1, i32) or is_float(held):
        return held
    if held == i64:
        return i32
    if isinstance(held, IntegerType) and held.width.data in (4, 8, 16):
        return integer_type(held.width.data, signed=True)
    raise ConversionError(f"TOSA has no elements of type {element}")


def per_tensor(value: SSAValue) -> UniformQuantizedType:
    """The quantized type of a value with one scale; raises ConversionError where it has others or none."""
    element = element_type(value)
    if not isinstance(element, UniformQuantizedType) or not element.is_per_tensor:
        raise ConversionError(f"one scale for all elements is needed, found {element}")
    return element


def constant_of(value: SSAValue) -> np.ndarray[Any, np.dtype[Any]] | None:
    """The storage integers or floats of a constant, broadcast where it is a broadcast of one; None where computed."""
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return owner.array
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        inner = constant_of(owner.operand)
        if inner is not None:
            sizes = [1] * len(shape(value))
            for axis, size in zip(as_tuple(owner.broadcast_dimensions), inner.shape, strict=True):
                sizes[axis] = size
            return np.broadcast_to(inner.reshape(sizes), shape(value))
    return None


def is_unsigned(element: Attribute) -> bool:
    """Whether the integers of an element type have no sign."""
    held = storage_element(element)
    return isinstance(held, IntegerType) and held.signedness.data is Signedness.UNSIGNED
