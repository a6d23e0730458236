"""The tables of a large .tflite file, read without the data of its large constants.

Source: TensorFlow Lite's schema (schema.fbs), ``Model.buffers`` and ``Buffer``; the layout of flatbuffers' tables.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from qconvert.support.content import Content

_LARGE_BYTES = 1 << 16
"""The size of data from which on it is left in the file."""

_WINDOW_BYTES = 1 << 16
_BUFFERS, _DATA = 4, 0
"""The places of ``Model.buffers`` and ``Buffer.data`` among the fields of their tables."""


def table_bytes(content: Content) -> memoryview:
    """Return a file's bytes; of a large file with zeros in place of the data of large constants.

    Zeros that nothing has written take no memory. Raises struct.error or IndexError if a table points outside the file.
    """
    if not content.is_late:
        return content.read()
    found = np.zeros(content.size, np.uint8)
    start = 0
    for first, last in sorted(_large_data(_Tables(content))):
        for begin in range(start, first, _WINDOW_BYTES << 8):
            end = min(begin + (_WINDOW_BYTES << 8), first)
            found[begin:end] = np.frombuffer(content.read(begin, end), np.uint8)
        start = max(start, last)
    found[start:] = np.frombuffer(content.read(start), np.uint8)
    found.flags.writeable = False
    return found.data


def data_of(content: Content, tables: memoryview, start: int, size: int) -> Content:
    """Return the bytes of a constant, which stay in a large file."""
    if content.is_late and size >= _LARGE_BYTES:
        return content.part(start, start + size)
    return Content.of(tables[start : start + size])


class _Tables:
    """Numbers of a file, of which the last window is kept."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._start = 0
        self._window = content.read(0, _WINDOW_BYTES)
        self.size = content.size

    def number(self, place: int, form: str = "<I") -> int:
        """Return the number at a place."""
        if not self._start <= place <= self._start + len(self._window) - 8:
            self._start = max(0, place)
            self._window = self._content.read(self._start, self._start + _WINDOW_BYTES)
        [number] = struct.unpack_from(form, self._window, place - self._start)
        return int(number)

    def field(self, table: int, index: int) -> int | None:
        """Return the place of a table's field, None if the table lacks it."""
        layout = table - self.number(table, "<i")
        place = 4 + 2 * index
        if place >= self.number(layout, "<H"):
            return None
        offset = self.number(layout + place, "<H")
        return table + offset if offset else None


def _large_data(tables: _Tables) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of the data of each large constant that stands among the tables."""
    buffers = tables.field(tables.number(0), _BUFFERS)
    if buffers is None:
        return
    vector = buffers + tables.number(buffers)
    for index in range(min(tables.number(vector), tables.size)):
        entry = vector + 4 + 4 * index
        data = tables.field(entry + tables.number(entry), _DATA)
        if data is None:
            continue
        start = data + tables.number(data)
        size = tables.number(start)
        if _LARGE_BYTES <= size <= tables.size - start - 4:
            yield start + 4, start + 4 + size
