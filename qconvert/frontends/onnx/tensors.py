"""TensorProtos as numpy arrays, from every kind of storage; external data is read only from the model's folder.

Source: onnx.proto (TensorProto) and ONNX's external data specification. Sparse tensors are refused.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto
from xdsl.ir import Attribute

from qconvert.ir import (
    ELEMENT_TYPES,
    Held,
    Recent,
    StoredArray,
    array_of,
    from_numpy_dtype,
    stored_bits,
    stored_elements,
)
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError
from qconvert.support.limits import check_shape
from qconvert.support.numbers import whole_number

_DTYPES = {TensorProto.DataType.Value(row.onnx): row.dtype for row in ELEMENT_TYPES if row.onnx is not None}
_FIELDS: dict[int, str] = {
    TensorProto.FLOAT: "float_data",
    TensorProto.DOUBLE: "double_data",
    TensorProto.INT64: "int64_data",
    TensorProto.UINT32: "uint64_data",
    TensorProto.UINT64: "uint64_data",
}
"""The typed field of an element type; all other types use ``int32_data``."""

_SHOWN_CHARACTERS = 100
_AGAIN = "The file is damaged; export or download it again"


def element_dtype(data_type: int) -> np.dtype[Any]:
    """Return the numpy (or ml_dtypes) type of an ONNX element type; raises ConversionError for unsupported types."""
    dtype = _DTYPES.get(data_type)
    if dtype is None:
        numbers = TensorProto.DataType.values()
        name = TensorProto.DataType.Name(data_type) if data_type in numbers else str(data_type)
        hint = "Use integers, bool or floats of 4 to 64 bits"
        raise ConversionError(f"elements of type {name} are not supported", hint=hint)
    return dtype


class TensorReader:
    """Reader of one model's tensors. ``folder`` holds its external data; None allows no external data."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._files: dict[Path, Content] = {}
        self._recent = Recent()

    def array(self, proto: TensorProto, raw: Content | None = None) -> NDArray[Any]:
        """Return the elements in memory; see :meth:`held`."""
        return array_of(self.held(proto, raw))

    def held(self, proto: TensorProto, raw: Content | None = None) -> Held:
        """Return the elements, read-only if they are the proto's own; those narrower than 8 bits take one byte each.

        Many elements of a large file are read when they are needed. ``raw`` replaces ``raw_data`` that is kept outside
        the proto. Raises ConversionError that names the tensor if data and shape do not match, or external data is
        missing, outside the folder, too short, or changes.
        """
        try:
            elements = self._found(proto, raw)
            return stored_elements(elements, self._recent) if isinstance(elements, StoredArray) else elements
        except ConversionError as error:
            raise ConversionError(f"tensor '{proto.name}': {error.found}", hint=error.hint, file=error.file) from error

    def external(self, proto: TensorProto) -> bytes:
        """Return the bytes of a tensor's external data; raises ConversionError as :meth:`held` does."""
        stored = self._external(proto, element_dtype(proto.data_type), tuple(proto.dims))
        return bytes(stored.content.read())

    def check(self) -> None:
        """Raise ConversionError if a file with external data has changed since it was first read."""
        for content in self._files.values():
            content.check()

    @staticmethod
    def element(proto: TensorProto) -> Attribute:
        """Return the MLIR type of the elements."""
        return from_numpy_dtype(element_dtype(proto.data_type))

    def _found(self, proto: TensorProto, raw: Content | None) -> StoredArray | NDArray[Any]:
        dtype, shape = element_dtype(proto.data_type), tuple(proto.dims)
        check_shape(shape)
        if proto.data_location == TensorProto.EXTERNAL:
            return self._external(proto, dtype, shape)
        if raw is None and proto.HasField("raw_data"):
            raw = Content.of(proto.raw_data)
        return _from_field(proto, dtype, shape) if raw is None else _from_raw(raw, dtype, shape)

    def file_of(self, proto: TensorProto) -> Content:
        """Return the file of a tensor with external data; raises ConversionError where it is missing or outside."""
        return self._external_file({entry.key: entry.value for entry in proto.external_data}.get("location", ""))

    def _external(self, proto: TensorProto, dtype: np.dtype[Any], shape: tuple[int, ...]) -> StoredArray:
        entries = {entry.key: entry.value for entry in proto.external_data}
        content = self.file_of(proto)
        needed = StoredArray(content, dtype, shape).byte_count
        offset, length = _integer(entries, "offset", 0), _integer(entries, "length", needed)
        if length != needed or offset + needed > content.size:
            found, given = f"external data '{_shown(entries['location'])}' has {content.size} bytes", f"{length} given"
            raise ConversionError(
                f"{found}; {needed} are needed, {given} from {offset} on",
                hint="Export the model and its data again, and keep them together",
            )
        return StoredArray(content.part(offset, offset + needed), dtype, shape)

    def _external_file(self, location: str) -> Content:
        path = self._external_path(location)
        if path not in self._files:
            self._files[path] = Content.at(path)
        return self._files[path]

    def _external_path(self, location: str) -> Path:
        if self._folder is None:
            raise ConversionError(
                "external data cannot be read from a model that has no folder", hint="Give the model as a file"
            )
        if not location.isprintable() or not location or Path(location).is_absolute():
            raise _outside(location)
        path = _resolved(self._folder / location)
        if path is not None and not path.is_relative_to(self._folder):
            raise _outside(location)
        if path is None or not _is_file(path):
            problem = f"external data '{_shown(location)}' is missing"
            raise ConversionError(problem, hint="Put the file beside the model")
        return path


def _resolved(path: Path) -> Path | None:
    """Return the path without links, None where they go in a circle."""
    try:
        return path.resolve()
    except RuntimeError:
        return None


def _is_file(path: Path) -> bool:
    """Return whether there is a file; a name that is too long for the system has none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _shown(location: str) -> str:
    return location if len(location) <= _SHOWN_CHARACTERS else f"{location[:_SHOWN_CHARACTERS]}..."


def _outside(location: str) -> ConversionError:
    return ConversionError(
        f"external data '{_shown(location)}' is outside the model's folder",
        hint="Only files beside the model are read; move the data there",
    )


def _integer(entries: dict[str, str], key: str, default: int) -> int:
    text = entries.get(key, str(default))
    number = whole_number(text)
    if number is None:
        raise ConversionError(f"external data has {key} '{text}'", hint=_AGAIN)
    return number


def _from_raw(raw: Content, dtype: np.dtype[Any], shape: tuple[int, ...]) -> StoredArray:
    """Return elements from their bytes."""
    stored = StoredArray(raw, dtype, shape)
    if raw.size != stored.byte_count:
        problem = f"{raw.size} bytes do not fill shape {list(shape)} of {dtype}, which takes {stored.byte_count}"
        raise ConversionError(problem, hint=_AGAIN)
    return stored


def _from_field(proto: TensorProto, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return elements from the typed field of their type."""
    name = _FIELDS.get(proto.data_type, "int32_data")
    values, bits = getattr(proto, name), min(stored_bits(dtype), 8)
    needed = -(-prod(shape) * bits // 8)
    if len(values) != needed:
        problem = f"{len(values)} values in {name} do not fill shape {list(shape)}, which takes {needed}"
        raise ConversionError(problem, hint=_AGAIN)
    if proto.data_type in _FIELDS:
        wide = np.asarray(values, np.uint64 if name == "uint64_data" else dtype)
        return wide.astype(dtype, copy=False).reshape(shape)
    small = np.asarray(values, np.int32)
    if bits < 8:
        return StoredArray(Content.of(small.astype(np.uint8).tobytes()), dtype, shape).array()
    if dtype.kind not in "biu":  # the bits of a float
        return small.astype(f"u{dtype.itemsize}").view(dtype).reshape(shape)
    return small.astype(dtype).reshape(shape)
