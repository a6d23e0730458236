"""TensorProtos to numpy, in every storage the format has; external data only from the model's own folder.

Source: onnx.proto (TensorProto) and ONNX's external data specification. Sparse tensors are refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from xdsl.ir import Attribute

from qconvert.dialects.types import from_numpy_dtype
from qconvert.errors import ConversionError

_PACKED = {TensorProto.INT4, TensorProto.UINT4, TensorProto.INT2, TensorProto.UINT2}


class TensorReader:
    """Reads tensors of one model; ``folder`` is where its external data may lie, None where it may not have any."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder.resolve() if folder is not None else None

    def array(self, proto: TensorProto) -> NDArray[Any]:
        """The elements; those narrower than 8 bits one to a byte as int8 or uint8.

        Raises ConversionError naming the tensor where data and shape do not match, or external data is missing,
        outside the folder, or too short.
        """
        try:
            return self._array(proto)
        except ConversionError as error:
            raise ConversionError(f"tensor '{proto.name}': {error.found}", hint=error.hint) from error
        except (ValueError, TypeError, KeyError) as error:
            raise ConversionError(f"tensor '{proto.name}' is damaged: {error}") from error

    @staticmethod
    def element(proto: TensorProto) -> Attribute:
        """The MLIR type of the elements."""
        return from_numpy_dtype(np.dtype(helper.tensor_dtype_to_np_dtype(proto.data_type)))

    def _array(self, proto: TensorProto) -> NDArray[Any]:
        shape = tuple(proto.dims)
        if any(size < 0 for size in shape):
            raise ConversionError(f"shape {list(shape)} has a negative dimension")
        if proto.data_type in (TensorProto.UNDEFINED, TensorProto.STRING):
            raise ConversionError(f"elements of type {TensorProto.DataType.Name(proto.data_type)} are not supported")
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(proto.data_type))
        if proto.data_location == TensorProto.EXTERNAL:
            return self._widened(self._external(proto, dtype, shape), proto.data_type)
        if proto.HasField("raw_data") and proto.data_type not in _PACKED:
            return _shaped(np.frombuffer(proto.raw_data, dtype.newbyteorder("<")), shape)
        return self._widened(numpy_helper.to_array(proto), proto.data_type)

    @staticmethod
    def _widened(array: NDArray[Any], data_type: int) -> NDArray[Any]:
        if data_type in _PACKED:
            signed = data_type in (TensorProto.INT4, TensorProto.INT2)
            return array.astype(np.int8 if signed else np.uint8)
        return array

    def _external(self, proto: TensorProto, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        entries = {entry.key: entry.value for entry in proto.external_data}
        path = self._external_path(entries.get("location", ""))
        count = int(np.prod(shape, dtype=object))
        needed = (count + 1) // 2 if proto.data_type in _PACKED else count * dtype.itemsize
        offset, length = _integer(entries, "offset", 0), _integer(entries, "length", needed)
        if length != needed or offset < 0 or offset + needed > path.stat().st_size:
            raise ConversionError(
                f"external data '{path.name}' has {path.stat().st_size} bytes; {needed} are needed from offset {offset}"
            )
        if proto.data_type in _PACKED:
            raw = path.open("rb")
            with raw:
                raw.seek(offset)
                inline = TensorProto(data_type=proto.data_type, dims=proto.dims, raw_data=raw.read(needed))
            return numpy_helper.to_array(inline)
        if count == 0:
            return np.zeros(shape, dtype)
        return np.memmap(path, dtype, "r", offset, shape)

    def _external_path(self, location: str) -> Path:
        if self._folder is None:
            raise ConversionError("external data cannot be read from a model that has no folder")
        path = (self._folder / location).resolve()
        if not location or Path(location).is_absolute() or not path.is_relative_to(self._folder):
            raise ConversionError(
                f"external data '{location}' is outside the model's folder",
                hint="Only files beside the model are read; move the data there",
            )
        if not path.is_file():
            raise ConversionError(f"external data '{location}' is missing", hint="Put the file beside the model")
        return path


def _integer(entries: dict[str, str], key: str, default: int) -> int:
    text = entries.get(key, str(default))
    if not text.isdigit():
        raise ConversionError(f"external data has {key} '{text}'")
    return int(text)


def _shaped(flat: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    needed = int(np.prod(shape, dtype=object))
    if flat.size != needed:
        raise ConversionError(f"{flat.size} elements do not fill shape {list(shape)}")
    return flat.reshape(shape)
