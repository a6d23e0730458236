"""Integer arithmetic that ONNX lacks: shifts to the right and rescales, and the constants that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray
from onnx import TensorProto
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute

from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.lowering import Layout, Writer
from qconvert.backends.onnx.wrapping import sign_of
from qconvert.ir import Storage, i64
from qconvert.numerics import DOUBLE_ROUND_NUDGE, DOUBLE_ROUND_SHIFT, Rounding

Integers = NDArray[np.int64]
Number: TypeAlias = type[np.number[Any]]

_BEYOND_COMPARED = 1 << 31
"""The first number whose low half has the bit of a sign."""
_POSITIVE = 62
"""The power of two whose addition makes every dividend positive, because ONNX's Div rounds towards zero."""


def parameter(value: Any, dtype: npt.DTypeLike, write: Writer, role: str = "number") -> str:
    """Return a constant of few elements; equal ones are added once."""
    array = np.asarray(value, dtype)
    return write.once(("parameter", array.tobytes(), array.dtype, array.shape), array, role)


def number(value: Any, write: Writer, role: str = "number", dtype: type[np.integer[Any]] = np.int64) -> str:
    """Return constants of integers."""
    return parameter(value, dtype, write, role)


def cast(name: str, source: Attribute, target: Attribute, write: Writer) -> str:
    """Write integers, booleans or floats in another element type; of integers only the low bits are kept."""
    if onnx_type(source) == onnx_type(target):
        return name
    return write.node("Cast", [name], to=onnx_type(target))


def plus(name: str, value: Integers | int, write: Writer, dtype: type[np.integer[Any]] = np.int64) -> str:
    """Write the sum of integers and constants."""
    return write.node("Add", [name, number(value, write, "number", dtype)]) if np.any(value) else name


def times(name: str, factor: Integers | int, write: Writer, dtype: type[np.integer[Any]] = np.int64) -> str:
    """Write the product of integers and constants."""
    return (
        name if np.all(np.asarray(factor) == 1) else write.node("Mul", [name, number(factor, write, "factor", dtype)])
    )


def saturated(name: str, element: Attribute, largest: int, write: Writer, dtype: Number = np.int64) -> str:
    """Write numbers of a dtype clamped to the range of an integer type, in that type.

    onnxruntime's Clip of int64 is wrong beyond 31 bits: if the magnitude of the numbers may be larger, they are clamped
    in float64, which keeps their order and all results.
    """
    assert isinstance(element, IntegerType)
    limits = Storage.limits(element.width.data, signed=element.signedness.data is not Signedness.UNSIGNED)
    if dtype is np.int64 and max(largest, limits[1]) >= _BEYOND_COMPARED:
        name, dtype = write.node("Cast", [name], to=TensorProto.DOUBLE), np.float64
    ends = [parameter(end, dtype, write, "limit") for end in limits]
    return write.node("Cast", [write.node("Clip", [name, *ends])], to=onnx_type(element))


@dataclass(frozen=True, eq=False)
class Factor:
    """Multipliers and shifts to the right, of a shape that broadcasts against the tensor."""

    multiplier: Integers
    shift: Integers
    rounding: Rounding = Rounding.SINGLE_ROUND

    @classmethod
    def along(cls, parts: Sequence[Integers], layout: Layout, dimension: int, rounding: Rounding) -> Factor:
        """Return a factor for all elements, or one for each slice of a dimension, for a tensor in a layout."""
        sizes = [-1 if axis == dimension else 1 for axis in layout]
        multiplier, shift = (part.reshape(sizes if part.size > 1 else ()) for part in parts)
        return cls(multiplier, shift, rounding)

    def largest(self, reach: int) -> int:
        """Return a bound of the magnitudes of integers of at most ``reach`` behind the factor."""
        return int(reach * float(np.max(np.ldexp(self.multiplier.astype(np.float64), -self.shift), initial=0))) + 2

    @property
    def whole(self) -> Integers | None:
        """The factors if all are whole numbers, else None."""
        scale = np.left_shift(np.int64(1), self.shift)
        return None if np.any(self.multiplier % scale) else self.multiplier // scale


def scaled(name: str, factor: Factor, reach: int, offset: int, write: Writer) -> str:
    """Write ``((x * multiplier + 2^(shift - 1)) >> shift) + offset`` of 64-bit integers of at most ``reach``."""
    if factor.rounding is Rounding.INEXACT_ROUND:
        return plus(_inexact(name, factor, write), offset, write)
    whole = factor.whole
    if whole is not None:
        return plus(times(name, whole, write), offset, write)
    product = times(name, factor.multiplier, write)
    largest = reach * int(factor.multiplier.max())
    nudge = np.where(factor.shift > DOUBLE_ROUND_SHIFT, DOUBLE_ROUND_NUDGE, 0)
    if factor.rounding is Rounding.DOUBLE_ROUND and nudge.any():
        sign = sign_of(name, i64, write) if reach >= _BEYOND_COMPARED else write.node("Sign", [name])
        more = times(sign, nudge, write)
        product, largest = write.node("Add", [product, more]), largest + DOUBLE_ROUND_NUDGE
    return rounded_shift(product, factor.shift, largest, offset, write)


def rounded_shift(name: str, shift: Integers, largest: int, offset: int, write: Writer) -> str:
    """Write ``((x + 2^(shift - 1)) >> shift) + offset`` of 64-bit integers from 2 - 2^62 to 2^62.

    Their magnitude is at most ``largest``. If ``x + 2^(shift - 1) + 2^62`` may leave 64 bits, the last bit is dropped
    first, which changes no result of shifts from 2 on.
    """
    positive, power = 1 << _POSITIVE, np.left_shift(np.int64(1), shift)
    half, less = power // 2, offset - np.right_shift(np.int64(positive), shift)
    if largest + int(half.max()) < positive:
        made = plus(name, half + positive, write)
        return plus(write.node("Div", [made, number(power, write, "power")]), less, write)
    halved = write.node("Div", [plus(name, positive - 2, write), number(2, write, "two")])
    made = write.node("Div", [plus(halved, half // 2 + 1, write), number(power // 2, write, "power")])
    return plus(made, less, write)


def _inexact(name: str, factor: Factor, write: Writer) -> str:
    """Write the product in float32, rounded half to even, as TOSA's reference model does."""
    parts = factor.multiplier.astype(np.float32), np.ldexp(np.float32(1), -factor.shift.astype(np.int32))
    made = write.node("Cast", [name], to=TensorProto.FLOAT)
    for part in parts:
        made = write.node("Mul", [made, parameter(part, np.float32, write, "factor")])
    return write.node("Cast", [write.node("Round", [made])], to=TensorProto.INT64)
