"""The element types of tensors: one row for each, with its names in the formats.

A new type is one row here. ``tests/ir/test_elements.py`` compares the rows with the tables of the formats' own
libraries. "Add an element type" in CONTRIBUTING.md lists what a type needs besides its row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    ComplexType,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

from qconvert.ir.quant_parameters import storage_integer


@dataclass(frozen=True)
class ElementType:
    """An element type: its type in the IR, its numpy (or ml_dtypes) type, and its names in the formats.

    A name is None where the format lacks the type, or no model of it is read or written with the type.
    """

    mlir: IntegerType | AnyFloat | ComplexType[Any]
    """The type in the IR: signed integers have no sign there."""

    dtype: np.dtype[Any]
    """The type with the elements' bits: ``ml_dtypes.int4`` for 4 bits, ``int64`` for the 48 bits of a TOSA sum."""

    onnx: str | None
    """The name in ``TensorProto.DataType``."""

    onnx_since: int
    """The first opset with the type; 0 where ONNX has no such type."""

    tflite: str | None
    """The name in the schema's ``TensorType``."""

    tosa: str | None
    """The name in the schema's ``DType``."""

    safetensors: str | None
    """The name in the header; U8 for integers below 8 bits, which share bytes there."""

    @property
    def bits(self) -> int:
        """The number of bits of an element."""
        if isinstance(self.mlir, IntegerType):
            return self.mlir.width.data
        return self.mlir.bitwidth if isinstance(self.mlir, AnyFloat) else self.dtype.itemsize * 8

    @property
    def shares_bytes(self) -> bool:
        """True if several elements share a byte in a file."""
        return 1 < self.bits < 8

    @property
    def held_dtype(self) -> np.dtype[Any]:
        """The type of arrays in memory: integers below 8 bits take a byte each."""
        if isinstance(self.mlir, IntegerType) and self.shares_bytes:
            return np.dtype(np.uint8 if self.mlir.signedness.data is Signedness.UNSIGNED else np.int8)
        return self.dtype


def _integer(width: int, sign: bool, dtype: type[Any], *names: Any) -> ElementType:
    return ElementType(storage_integer(width, sign), np.dtype(dtype), *names)


def _float(mlir: AnyFloat, dtype: type[Any], *names: Any) -> ElementType:
    return ElementType(mlir, np.dtype(dtype), *names)


ELEMENT_TYPES = (
    # numpy's type, then the names in ONNX (and its first opset), TFLite, TOSA and safetensors
    _integer(1, True, np.bool_, "BOOL", 1, "BOOL", "BOOL", "BOOL"),
    _integer(2, True, ml_dtypes.int2, "INT2", 25, None, None, "U8"),
    _integer(2, False, ml_dtypes.uint2, "UINT2", 25, None, None, "U8"),
    _integer(4, True, ml_dtypes.int4, "INT4", 21, "INT4", "INT4", "U8"),
    _integer(4, False, ml_dtypes.uint4, "UINT4", 21, None, None, "U8"),
    _integer(8, True, np.int8, "INT8", 1, "INT8", "INT8", "I8"),
    _integer(8, False, np.uint8, "UINT8", 1, "UINT8", None, "U8"),
    _integer(16, True, np.int16, "INT16", 1, "INT16", "INT16", "I16"),
    _integer(16, False, np.uint16, "UINT16", 1, "UINT16", None, "U16"),
    _integer(32, True, np.int32, "INT32", 1, "INT32", "INT32", "I32"),
    _integer(32, False, np.uint32, "UINT32", 1, "UINT32", None, "U32"),
    _integer(48, True, np.int64, None, 0, None, "INT48", None),
    _integer(64, True, np.int64, "INT64", 1, "INT64", None, "I64"),
    _integer(64, False, np.uint64, "UINT64", 1, "UINT64", None, "U64"),
    _float(Float4E2M1FNType(), ml_dtypes.float4_e2m1fn, "FLOAT4E2M1", 23, None, None, None),
    _float(Float8E4M3FNType(), ml_dtypes.float8_e4m3fn, "FLOAT8E4M3FN", 19, None, "FP8E4M3", "F8_E4M3"),
    _float(Float8E4M3FNUZType(), ml_dtypes.float8_e4m3fnuz, "FLOAT8E4M3FNUZ", 19, None, None, None),
    _float(Float8E5M2Type(), ml_dtypes.float8_e5m2, "FLOAT8E5M2", 19, None, "FP8E5M2", "F8_E5M2"),
    _float(Float8E5M2FNUZType(), ml_dtypes.float8_e5m2fnuz, "FLOAT8E5M2FNUZ", 19, None, None, None),
    _float(Float8E8M0FNUType(), ml_dtypes.float8_e8m0fnu, "FLOAT8E8M0", 24, None, None, None),
    _float(Float16Type(), np.float16, "FLOAT16", 1, "FLOAT16", "FP16", "F16"),
    _float(BFloat16Type(), ml_dtypes.bfloat16, "BFLOAT16", 13, "BFLOAT16", "BF16", "BF16"),
    _float(Float32Type(), np.float32, "FLOAT", 1, "FLOAT32", "FP32", "F32"),
    _float(Float64Type(), np.float64, "DOUBLE", 1, "FLOAT64", None, "F64"),
    ElementType(ComplexType(Float32Type()), np.dtype(np.complex64), None, 0, None, None, "C64"),
    ElementType(ComplexType(Float64Type()), np.dtype(np.complex128), None, 0, None, None, None),
)
"""The types by kind and width. The 48 bits of TOSA's sums are the only ones without a numpy type of their own."""

_BY_MLIR: dict[Attribute, ElementType] = {row.mlir: row for row in ELEMENT_TYPES}
_BY_DTYPE = {row.dtype: row for row in ELEMENT_TYPES if row.mlir != storage_integer(48, True)}


def element_type_of(element: Attribute) -> ElementType | None:
    """Return the row of a plain type in the IR, with ``si8`` as ``i8``; None for types without a row."""
    if isinstance(element, IntegerType):
        element = storage_integer(element.width.data, element.signedness.data is not Signedness.UNSIGNED)
    return _BY_MLIR.get(element)


def element_type_of_dtype(dtype: np.dtype[Any]) -> ElementType | None:
    """Return the row of a numpy (or ml_dtypes) type; None for types without a row."""
    return _BY_DTYPE.get(dtype)
