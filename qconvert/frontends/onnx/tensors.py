"""TensorProtos as numpy arrays, from every kind of storage; external data is read only from the model's folder.

Source: onnx.proto (TensorProto) and ONNX's external data specification. Sparse tensors are refused.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto
from xdsl.ir import Attribute

from qconvert import numerics
from qconvert.ir import from_numpy_dtype
from qconvert.support.errors import ConversionError
from qconvert.support.limits import check_shape
from qconvert.support.numbers import whole_number

Bytes: TypeAlias = bytes | memoryview

_DTYPES: dict[int, np.dtype[Any]] = {
    TensorProto.FLOAT: np.dtype(np.float32),
    TensorProto.DOUBLE: np.dtype(np.float64),
    TensorProto.FLOAT16: np.dtype(np.float16),
    TensorProto.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    TensorProto.FLOAT8E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
    TensorProto.FLOAT8E4M3FNUZ: np.dtype(ml_dtypes.float8_e4m3fnuz),
    TensorProto.FLOAT8E5M2: np.dtype(ml_dtypes.float8_e5m2),
    TensorProto.FLOAT8E5M2FNUZ: np.dtype(ml_dtypes.float8_e5m2fnuz),
    TensorProto.FLOAT8E8M0: np.dtype(ml_dtypes.float8_e8m0fnu),
    TensorProto.FLOAT4E2M1: np.dtype(ml_dtypes.float4_e2m1fn),
    TensorProto.BOOL: np.dtype(np.bool_),
    TensorProto.INT8: np.dtype(np.int8),
    TensorProto.INT16: np.dtype(np.int16),
    TensorProto.INT32: np.dtype(np.int32),
    TensorProto.INT64: np.dtype(np.int64),
    TensorProto.UINT8: np.dtype(np.uint8),
    TensorProto.UINT16: np.dtype(np.uint16),
    TensorProto.UINT32: np.dtype(np.uint32),
    TensorProto.UINT64: np.dtype(np.uint64),
    TensorProto.INT4: np.dtype(ml_dtypes.int4),
    TensorProto.UINT4: np.dtype(ml_dtypes.uint4),
    TensorProto.INT2: np.dtype(ml_dtypes.int2),
    TensorProto.UINT2: np.dtype(ml_dtypes.uint2),
}
_FIELDS: dict[int, str] = {
    TensorProto.FLOAT: "float_data",
    TensorProto.DOUBLE: "double_data",
    TensorProto.INT64: "int64_data",
    TensorProto.UINT32: "uint64_data",
    TensorProto.UINT64: "uint64_data",
}
"""The typed field of an element type; all other types use ``int32_data``."""

_NARROW: dict[int, int] = {
    TensorProto.INT4: 4,
    TensorProto.UINT4: 4,
    TensorProto.INT2: 2,
    TensorProto.UINT2: 2,
    TensorProto.FLOAT4E2M1: 4,
}
"""The width in bits of the element types that share bytes."""

_AGAIN = "The file is damaged; export or download it again"

_AS_BITS: set[int] = {
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
    TensorProto.FLOAT8E4M3FN,
    TensorProto.FLOAT8E4M3FNUZ,
    TensorProto.FLOAT8E5M2,
    TensorProto.FLOAT8E5M2FNUZ,
    TensorProto.FLOAT8E8M0,
}
"""The float types whose bits are in ``int32_data``."""


def element_dtype(data_type: int) -> np.dtype[Any]:
    """Return the numpy (or ml_dtypes) type of an ONNX element type; raises ConversionError for unsupported types."""
    dtype = _DTYPES.get(data_type)
    if dtype is None:
        known = TensorProto.DataType.values()
        name = TensorProto.DataType.Name(data_type) if data_type in known else str(data_type)
        hint = "Use integers, bool or floats of 4 to 64 bits"
        raise ConversionError(f"elements of type {name} are not supported", hint=hint)
    return dtype


class TensorReader:
    """Reader of one model's tensors. ``folder`` holds its external data; None allows no external data."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder.resolve() if folder is not None else None

    def array(self, proto: TensorProto, raw: Bytes | None = None) -> NDArray[Any]:
        """Return the elements, read-only unless unpacked; elements narrower than 8 bits take one byte each.

        ``raw`` replaces ``raw_data`` that is kept outside the proto. Raises ConversionError that names the tensor if
        data and shape do not match, or external data is missing, outside the folder, or too short.
        """
        try:
            return self._array(proto, raw)
        except ConversionError as error:
            raise ConversionError(f"tensor '{proto.name}': {error.found}", hint=error.hint) from error

    @staticmethod
    def element(proto: TensorProto) -> Attribute:
        """Return the MLIR type of the elements."""
        return from_numpy_dtype(element_dtype(proto.data_type))

    def _array(self, proto: TensorProto, raw: Bytes | None) -> NDArray[Any]:
        dtype, shape = element_dtype(proto.data_type), tuple(proto.dims)
        check_shape(shape)
        if proto.data_location == TensorProto.EXTERNAL:
            return self._external(proto, dtype, shape)
        if raw is None and proto.HasField("raw_data"):
            raw = proto.raw_data
        return _from_field(proto, dtype, shape) if raw is None else _from_raw(raw, proto.data_type, dtype, shape)

    def _external(self, proto: TensorProto, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        entries = {entry.key: entry.value for entry in proto.external_data}
        path = self._external_path(entries.get("location", ""))
        needed, size = _byte_count(proto.data_type, dtype, shape), path.stat().st_size
        offset, length = _integer(entries, "offset", 0), _integer(entries, "length", needed)
        if length != needed or offset + needed > size:
            raise ConversionError(
                f"external data '{path.name}' has {size} bytes; {needed} are needed, {length} given from {offset} on",
                hint="Export the model and its data again, and keep them together",
            )
        if not needed:
            return np.zeros(shape, dtype)
        if dtype == np.bool_ or proto.data_type in _NARROW:
            return _from_raw(np.memmap(path, np.uint8, "r", offset, needed).data, proto.data_type, dtype, shape)
        return np.memmap(path, dtype.newbyteorder("<"), "r", offset, shape)

    def _external_path(self, location: str) -> Path:
        if self._folder is None:
            raise ConversionError(
                "external data cannot be read from a model that has no folder", hint="Give the model as a file"
            )
        if not location.isprintable() or not location or Path(location).is_absolute():
            raise _outside(location)
        path = (self._folder / location).resolve()
        if not path.is_relative_to(self._folder):
            raise _outside(location)
        if not _is_file(path):
            raise ConversionError(f"external data '{location}' is missing", hint="Put the file beside the model")
        return path


def _is_file(path: Path) -> bool:
    """Return whether there is a file; a name that is too long for the system has none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _outside(location: str) -> ConversionError:
    return ConversionError(
        f"external data '{location}' is outside the model's folder",
        hint="Only files beside the model are read; move the data there",
    )


def _integer(entries: dict[str, str], key: str, default: int) -> int:
    text = entries.get(key, str(default))
    number = whole_number(text)
    if number is None:
        raise ConversionError(f"external data has {key} '{text}'", hint=_AGAIN)
    return number


def _byte_count(data_type: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    bits = _NARROW.get(data_type, dtype.itemsize * 8)
    return -(-prod(shape) * bits // 8)


def _from_raw(raw: Bytes, data_type: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return elements from little-endian bytes, without a copy if numpy can hold them as they are."""
    needed = _byte_count(data_type, dtype, shape)
    if len(raw) != needed:
        found = f"{len(raw)} bytes do not fill shape {list(shape)} of {dtype}, which takes {needed}"
        raise ConversionError(found, hint=_AGAIN)
    if data_type in _NARROW:
        return _unpacked(np.frombuffer(raw, np.uint8), data_type, prod(shape)).reshape(shape)
    if dtype == np.bool_:
        return np.not_equal(np.frombuffer(raw, np.uint8), 0).reshape(shape)
    return np.frombuffer(raw, dtype.newbyteorder("<")).reshape(shape)


def _from_field(proto: TensorProto, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return elements from the typed field of their type."""
    name = _FIELDS.get(proto.data_type, "int32_data")
    values, bits = getattr(proto, name), _NARROW.get(proto.data_type, 8)
    needed = -(-prod(shape) * bits // 8)
    if len(values) != needed:
        found = f"{len(values)} values in {name} do not fill shape {list(shape)}, which takes {needed}"
        raise ConversionError(found, hint=_AGAIN)
    if proto.data_type in _FIELDS:
        wide = np.asarray(values, np.uint64 if name == "uint64_data" else dtype)
        return wide.astype(dtype, copy=False).reshape(shape)
    small = np.asarray(values, np.int32)
    if proto.data_type in _NARROW:
        return _unpacked(small.astype(np.uint8), proto.data_type, prod(shape)).reshape(shape)
    if proto.data_type in _AS_BITS:
        return small.astype(f"u{dtype.itemsize}").view(dtype).reshape(shape)
    return small.astype(dtype).reshape(shape)


def _unpacked(packed: NDArray[np.uint8], data_type: int, count: int) -> NDArray[Any]:
    dtype = element_dtype(data_type)
    bits = numerics.unpacked(packed, _NARROW[data_type], count, signed=dtype.name.startswith("int"))
    return bits.view(dtype) if data_type == TensorProto.FLOAT4E2M1 else bits
