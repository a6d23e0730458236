"""The parts that the writers of flatbuffers share: vectors, and bytes behind the tables that are made when written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import flatbuffers
import numpy as np
from numpy.typing import NDArray

from qconvert.support.file_parts import FileParts, Part

LARGEST = 2**31 - 1
"""The largest flatbuffer in bytes: readers refuse more, because offsets have 32 bits."""

Field: TypeAlias = bool | int | tuple[int, ...] | bytes
"""A number, a vector of 32-bit integers, or a vector of bytes."""

_LENGTH, _WORD = np.dtype("<u4"), np.dtype("<u8")


def offset_vector(build: flatbuffers.Builder, offsets: Sequence[int]) -> int:
    """Write a vector of tables, strings or vectors that are written already; return its offset."""
    build.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        build.PrependUOffsetTRelative(offset)
    return int(build.EndVector())


def number_vector(build: flatbuffers.Builder, numbers: Sequence[int] | NDArray[np.generic], dtype: str) -> int:
    """Write a vector of numbers; return its offset."""
    return int(build.CreateNumpyVector(np.asarray(numbers, dtype)))


def finished(build: flatbuffers.Builder, root: int, identifier: bytes) -> bytearray:
    """Return the bytes of a flatbuffer with its root table."""
    build.Finish(root, identifier)
    head: int = build.Head()
    return build.Bytes[head:]  # type: ignore[no-any-return]


class Tables:
    """The tables of a flatbuffer under construction; of equal ones the first is used again.

    ``room`` is about how many bytes they take. ``binding`` returns the module of a table in the schema's bindings.
    """

    def __init__(self, room: int, binding: Callable[[str], Any]) -> None:
        self._build = flatbuffers.Builder(room)
        self._binding = binding
        self._made: dict[Hashable, int] = {}

    def _once(self, key: Hashable, make: Callable[[], int]) -> int:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def string(self, text: str) -> int:
        """Write a string; return its offset."""
        return int(self._build.CreateSharedString(text))

    def strings(self, texts: Sequence[str]) -> int:
        """Write a vector of strings; return its offset."""
        return self.offsets([self.string(text) for text in texts])

    def offsets(self, offsets: Sequence[int]) -> int:
        """Write a vector of strings or tables; return its offset."""
        return self._once(("offsets", *offsets), lambda: offset_vector(self._build, offsets))

    def integers(self, numbers: Sequence[int]) -> int:
        """Write a vector of 32-bit integers; return its offset."""
        return self._once(("integers", *numbers), lambda: number_vector(self._build, numbers, "int32"))

    def data(self, content: bytes) -> int:
        """Write a vector of few bytes, filled up with zeros to words of 8 bytes; return its offset."""
        return self._once(content, lambda: self._words(content))

    def _words(self, content: bytes) -> int:
        words = np.frombuffer(content + bytes(-len(content) % _WORD.itemsize), _WORD)
        self._build.StartVector(1, words.nbytes, _WORD.itemsize)
        for word in reversed(words.tolist()):
            self._build.PrependUint64(word)
        return int(self._build.EndVector())

    def field(self, value: Field) -> int:
        """Return a field's number, or the offset of its vector, which is written first."""
        if isinstance(value, bytes):
            return self.data(value)
        return self.integers(value) if isinstance(value, tuple) else value

    def table(self, name: str, **fields: int) -> int:
        """Write a table from its fields by their names in the bindings; return its offset."""
        return self._once((name, *fields.items()), lambda: self._table(name, fields))

    def _table(self, name: str, fields: Mapping[str, int]) -> int:
        schema = self._binding(name)
        schema.Start(self._build)
        for field, value in fields.items():
            getattr(schema, f"Add{field}")(self._build, value)
        return int(schema.End(self._build))

    def finished(self, root: int, identifier: bytes) -> bytearray:
        """Return the bytes of the flatbuffer with its root table."""
        return finished(self._build, root, identifier)


class Behind:
    """The bytes behind the tables of a flatbuffer, each at a multiple of ``alignment``.

    A vector may stand anywhere behind the field that leads to it.
    """

    def __init__(self, tables: bytearray, alignment: int) -> None:
        self.end = len(tables)
        self._tables = tables
        self._alignment = alignment
        self._parts: list[Part] = [tables]

    def add(self, size: int, part: Part, field: int | None = None) -> int:
        """Add ``size`` bytes, and return their place in the file.

        They are a vector if a field leads to them, whose place in the tables is given.
        """
        start = -(-(self.end + _LENGTH.itemsize) // self._alignment) * self._alignment
        length = bytes(_LENGTH.itemsize) if field is None else np.asarray(size, _LENGTH).tobytes()
        self._parts += [bytes(start - self.end - len(length)) + length, part]
        if field is not None:
            np.frombuffer(self._tables, _LENGTH, 1, field)[0] = start - _LENGTH.itemsize - field
        self.end = start + size
        return start

    @property
    def file(self) -> FileParts:
        """The tables and what stands behind them."""
        return FileParts(self._parts)
