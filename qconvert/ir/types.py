"""Typed access to tensors, and the mapping between MLIR element types and numpy dtypes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, get_args

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.ir.elements import ELEMENT_TYPES, element_type_of, element_type_of_dtype
from qconvert.ir.locations import describe, place
from qconvert.ir.quant import AnyQuantizedType, CalibratedQuantizedType, UniformQuantizedType
from qconvert.ir.quant_parameters import Storage, storage_integer
from qconvert.support.errors import ConversionError

Tensor: TypeAlias = TensorType[Attribute]

f32 = Float32Type()
f64 = Float64Type()
i1 = IntegerType(1)
i8 = IntegerType(8)
i32 = IntegerType(32)
i64 = IntegerType(64)

_FLOAT_TYPES = frozenset(get_args(AnyFloat))
"""The float types by themselves: isinstance asks each of them, and takes twenty times as long."""

_FLOATS: dict[type[Attribute], np.dtype[Any]] = {
    type(row.mlir): row.dtype for row in ELEMENT_TYPES if type(row.mlir) in _FLOAT_TYPES
}
"""The dtypes of floats by the types' classes, which are found ten times as fast as the types."""

_INTEGER_BYTES = {width: 1 if width <= 8 else 2 if width <= 16 else 4 for width in range(2, 33)} | {48: 8, 64: 8}
"""The widths of integers, with those of storages and TOSA's 48-bit accumulator, and the bytes that hold one."""

PLAIN_WIDTHS = tuple(sorted({row.mlir.width.data for row in ELEMENT_TYPES if isinstance(row.mlir, IntegerType)}))
"""The widths of integers that stand for themselves; others only hold quantized values."""

_INTEGERS = {(kind, size): np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)}


def tensor_type(element: Attribute, shape: Iterable[int]) -> Tensor:
    """Return a tensor type from a cache: making a type takes twenty times as long as finding it."""
    return _tensor_type(element, tuple(shape))


@lru_cache(maxsize=4096)
def _tensor_type(element: Attribute, shape: tuple[int, ...]) -> Tensor:
    return TensorType(element, shape)


def tensor(value: SSAValue) -> Tensor:
    """Return the tensor type of an SSA value; raises ConversionError naming the op that defines another type."""
    found = value.type
    if not isinstance(found, TensorType):
        raise _no_tensor(value)
    return found


def _no_tensor(value: SSAValue) -> ConversionError:
    error = ConversionError(f"a tensor is needed here, found {value.type}")
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    return error if owner is None else error.located(node=describe(owner), op=owner.name, file=place(owner))


def shape(value: SSAValue) -> tuple[int, ...]:
    """Return the static shape of an SSA value."""
    return tensor(value).get_shape()


def element_type(value: SSAValue) -> Attribute:
    """Return the element type of an SSA value: a float, an integer or a quantized type."""
    return tensor(value).element_type


def quantized(value: SSAValue) -> UniformQuantizedType | None:
    """Return the quantized element type of a value, or None if the value is not a quantized tensor."""
    element = value.type.element_type if isinstance(value.type, TensorType) else None
    # xDSL's attributes are abstract classes: isinstance takes ten times as long, and this is asked often.
    return element if type(element) is UniformQuantizedType else None


def quantized_element(value: SSAValue) -> UniformQuantizedType:
    """Return the element type of a value that the caller knows to be quantized."""
    element = quantized(value)
    assert element is not None, f"{value.type} is not quantized"
    return element


def is_float(element: Attribute) -> bool:
    """Return whether an element type is a float (f16, bf16, f32, f64, ...)."""
    return type(element) in _FLOAT_TYPES


def is_complex(element: Attribute) -> bool:
    """Return True for complex numbers."""
    return isinstance(element, ComplexType)


def complex_part(element: Attribute) -> Attribute:
    """Return the type of a complex number's real and imaginary part; other element types are unchanged."""
    return element.element_type if isinstance(element, ComplexType) else element


def is_small_float(element: Attribute) -> bool:
    """Return True for floats of 8 and fewer bits, which hold values; computations widen them."""
    return isinstance(element, AnyFloat) and element.bitwidth <= 8


def has_floats(op: Operation) -> bool:
    """Return True if an op takes or returns floats."""
    return any(map(is_float_tensor, (*op.operands, *op.results)))


def is_float_tensor(value: SSAValue) -> bool:
    """Return whether a value is a tensor of plain floats."""
    return isinstance(value.type, TensorType) and is_float(value.type.element_type)


def expressed(element: Attribute) -> Attribute:
    """Return the type of the values that an element stands for: a quantized element's expressed type, else itself."""
    if (
        type(element) is UniformQuantizedType
        or type(element) is AnyQuantizedType
        or type(element) is CalibratedQuantizedType
    ):
        return element.expressed_type
    return element


def made_types(op: Operation) -> Iterator[Attribute]:
    """Yield the types of an op's results and of the arguments of its regions' blocks."""
    yield from op.result_types
    for region in op.regions:
        for block in region.blocks:
            yield from block.arg_types


def storages(module: Operation) -> set[Storage]:
    """Return the storages of all quantized values in a module."""
    values = (
        value
        for op in module.walk()
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args))
    )
    return {element.storage for value in values if (element := quantized(value)) is not None}


def with_shape(type: Tensor, shape: Sequence[int]) -> Tensor:
    """Return the same element type in another shape."""
    return tensor_type(type.element_type, shape)


def with_element(type: Tensor, element: Attribute) -> Tensor:
    """Return the same shape with another element type."""
    return tensor_type(element, type.get_shape())


def storage_element(element: Attribute) -> Attribute:
    """Return the integer type that holds a quantized element, signless if signed; other elements are unchanged."""
    if isinstance(element, UniformQuantizedType):
        return element.storage_type
    return element


def numpy_dtype(element: Attribute) -> np.dtype[np.generic]:
    """Return the numpy dtype that holds one element in the interpreter; elements below 8 bits take one byte.

    Raises ConversionError for element types the IR does not compute with.
    """
    if isinstance(element, UniformQuantizedType) and element.storage.width == 1:
        return _INTEGERS["i" if element.storage.signed else "u", 1]
    element = storage_element(element)
    if isinstance(element, IntegerType):
        width = element.width.data
        if width == 1:
            return np.dtype(np.bool_)
        kind = "u" if element.signedness.data is Signedness.UNSIGNED else "i"
        if width in _INTEGER_BYTES:
            return _INTEGERS[kind, _INTEGER_BYTES[width]]
    if type(element) in _FLOATS:
        return _FLOATS[type(element)]
    if isinstance(element, IndexType):
        return np.dtype(np.int64)
    row = element_type_of(element)
    if row is None:
        raise ConversionError(f"elements of type {element} are not supported here")
    return row.dtype


def from_numpy_dtype(dtype: np.dtype[np.generic]) -> Attribute:
    """Return the MLIR element type of a numpy (or ml_dtypes) dtype; raises ConversionError for other dtypes."""
    row = element_type_of_dtype(dtype)
    if row is None:
        raise ConversionError(f"elements of type {dtype} are not supported here")
    return row.mlir


def integer_type(width: int, *, signed: bool) -> IntegerType:
    """Return the integer type as StableHLO has it: signed integers are signless, unsigned ones are ``ui8``, ..."""
    return storage_integer(width, signed)


def integer_range(element: IntegerType, *, unsigned: bool = False) -> tuple[int, int]:
    """Return the least and the largest integer of a type: 0 and 1 of ``i1``, -8 and 7 of ``i4``.

    Integers without a sign are read as ``unsigned`` where an op says so.
    """
    bits = element.width.data
    if unsigned or element.signedness.data is Signedness.UNSIGNED or bits == 1:
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
