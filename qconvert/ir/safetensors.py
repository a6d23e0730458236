"""The safetensors format, written a window at a time: the format's own library needs all data in memory to write.

A file is the length of the header (8 bytes, the lowest first), the header, and the data. The header is a JSON object:
for each name the element type, the shape and ``data_offsets``, the start and the end in the data; ``__metadata__`` has
texts. The arrays follow each other without gaps, in row-major order, each element with its low bytes first.
Source: https://huggingface.co/docs/safetensors, section Format.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from xdsl.ir import Attribute

from qconvert.ir.byte_pieces import byte_pieces, packed_pieces
from qconvert.ir.elements import ELEMENT_TYPES, element_type_of
from qconvert.ir.late import Held
from qconvert.ir.stored import StoredArray, stored_bits
from qconvert.support.ahead import ahead
from qconvert.support.content import Content

METADATA = "__metadata__"
"""The key of the header that is no array's name."""

CHECKSUM = "checksum"
"""The key of the metadata with the checksum of all data, see :func:`checksum_of_bytes`."""

_ALIGNMENT = 8
_UNKNOWN = "0" * 8
_ROWS = {row.dtype: row for row in ELEMENT_TYPES if row.safetensors is not None}
"""The element types that files have by their numpy types. An array of integers below 8 bits is one of bytes."""


def file_dtype(element: Attribute) -> np.dtype[Any] | None:
    """Return the type that elements have in a file; None if the format has no type for them."""
    row = element_type_of(element)
    return None if row is None or row.safetensors is None else row.dtype


@dataclass(frozen=True)
class NamedArray:
    """An array to write: its name, its elements, and their type in the file, which may have fewer bits."""

    name: str
    held: Held
    dtype: np.dtype[Any]

    @property
    def byte_count(self) -> int:
        """The number of bytes in the file."""
        return StoredArray(Content.of(b""), self.dtype, self.held.shape).byte_count

    def windows(self) -> Iterator[memoryview]:
        """Return the bytes of the file in order."""
        if _ROWS[self.dtype].shares_bytes:
            return packed_pieces(self.held, stored_bits(self.dtype))
        return byte_pieces(self.held)


def stored_as(dtype: np.dtype[Any], shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """Return the element type and the shape that the header has for an array."""
    row, bytes_alone = _ROWS[dtype], (StoredArray(Content.of(b""), dtype, shape).byte_count,)
    return str(row.safetensors), bytes_alone if row.shares_bytes else shape


def aligned(arrays: Iterable[NamedArray]) -> list[NamedArray]:
    """Return arrays in an order in which each begins at a multiple of its elements' size: large elements first."""
    return sorted(arrays, key=lambda array: -array.dtype.itemsize)


def write_arrays(stream: IO[bytes], arrays: Sequence[NamedArray]) -> str:
    """Write a file of arrays to a stream that can go back to its start; return the checksum of the data.

    While one window is written, the next one is summed and the one after it is read, each in a thread.
    """
    total = _Checksum()
    stream.write(_header(arrays, _UNKNOWN))
    for window in ahead(total.taken_of(ahead(_windows(arrays)))):
        stream.write(window)
    stream.seek(0)
    stream.write(_header(arrays, total.digits))
    return total.digits


def checksum_of(arrays: Sequence[NamedArray]) -> str:
    """Return the checksum of the data that a file of the arrays has."""
    return checksum_of_bytes(_windows(arrays))


def checksum_of_bytes(windows: Iterable[memoryview]) -> str:
    """Return the checksum of data, as it stands in a file."""
    total = _Checksum()
    for _ in total.taken_of(windows):
        pass
    return total.digits


@dataclass
class _Checksum:
    """The CRC-32 of gzip and PNG (RFC 1952, section 8).

    It tells files apart that were written with different programs, or that changed by accident. Cryptographic sums
    take longer than writing to a disk.
    """

    value: int = 0

    def taken_of(self, windows: Iterable[memoryview]) -> Iterator[memoryview]:
        """Yield windows of data, each after it is summed."""
        for window in windows:
            self.value = zlib.crc32(window, self.value)
            yield window

    @property
    def digits(self) -> str:
        """The sum in 8 hexadecimal digits."""
        return f"{self.value:08x}"


def _windows(arrays: Sequence[NamedArray]) -> Iterator[memoryview]:
    return (window for array in arrays for window in array.windows())


def _header(arrays: Sequence[NamedArray], checksum: str) -> bytes:
    entries: dict[str, object] = {METADATA: {CHECKSUM: checksum}}
    end = 0
    for array in arrays:
        start, end = end, end + array.byte_count
        code, shape = stored_as(array.dtype, array.held.shape)
        entries[array.name] = {"dtype": code, "shape": shape, "data_offsets": (start, end)}
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    return len(text).to_bytes(8, "little") + text
