"""The tables of a large .tflite file, read without its large constants.

Source: TensorFlow Lite's schema (schema.fbs), ``Model.buffers`` and ``Buffer``; the layout of flatbuffers' tables.
"""

from __future__ import annotations

import struct
from functools import lru_cache

import numpy as np

from qconvert.support.content import Content

_LARGE_BYTES = 1 << 16
"""The size of data from which on it is left in the file."""

_PAGE_BYTES = 1 << 16
_PAGES = 64
_PIECE_BYTES = 1 << 24

_BUFFERS = 4
"""The place of ``buffers`` among the fields of the table ``Model``."""

_DATA, _OFFSET = 0, 1
"""The places of fields of the table ``Buffer``."""


def table_bytes(content: Content) -> memoryview:
    """Return a file's bytes; of a large file those of its flatbuffer, with zeros in place of large constants.

    Zeros that nothing has written take no memory. Raises struct.error or IndexError if a table points outside the file.
    """
    if not content.is_late:
        return content.read()
    inside, outside = _constants(_Numbers(content))
    end = min((content.size, *outside))
    found, start = np.zeros(end, np.uint8), 0
    for first, last in (*sorted(inside), (end, end)):
        for begin in range(start, min(first, end), _PIECE_BYTES):
            stop = min(begin + _PIECE_BYTES, first, end)
            found[begin:stop] = np.frombuffer(content.read(begin, stop), np.uint8)
        start = max(start, last)
    found.flags.writeable = False
    return found.data


class _Numbers:
    """Numbers of a file's tables, read in pages."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._page = lru_cache(_PAGES)(self._read)
        self.size = content.size

    def _read(self, page: int) -> memoryview:
        """Return a page and the start of the next one: a number may lie in both."""
        start = page * _PAGE_BYTES
        return self._content.read(start, start + _PAGE_BYTES + 8)

    def number(self, place: int, form: str = "<I") -> int:
        """Return the number at a place."""
        if place < 0:
            raise IndexError(place)
        page, start = divmod(place, _PAGE_BYTES)
        [number] = struct.unpack_from(form, self._page(page), start)
        return int(number)

    def field(self, table: int, index: int) -> int | None:
        """Return the place of a table's field, None if the table lacks it."""
        layout = table - self.number(table, "<i")
        place = 4 + 2 * index
        if place >= self.number(layout, "<H"):
            return None
        offset = self.number(layout + place, "<H")
        return table + offset if offset else None


def _constants(numbers: _Numbers) -> tuple[list[tuple[int, int]], list[int]]:
    """Return start and end of each large constant in the flatbuffer, and the starts of constants behind it."""
    inside: list[tuple[int, int]] = []
    outside: list[int] = []
    buffers = numbers.field(numbers.number(0), _BUFFERS)
    if buffers is None:
        return inside, outside
    vector = buffers + numbers.number(buffers)
    for index in range(min(numbers.number(vector), numbers.size)):
        entry = vector + 4 + 4 * index
        table = entry + numbers.number(entry)
        data, offset = numbers.field(table, _DATA), numbers.field(table, _OFFSET)
        if data is not None:
            start = data + numbers.number(data) + 4
            size = numbers.number(start - 4)
            if _LARGE_BYTES <= size <= numbers.size - start:
                inside.append((start, start + size))
        elif offset is not None and numbers.number(offset, "<Q") > 1:
            outside.append(numbers.number(offset, "<Q"))
    return inside, outside
