"""Removal of large ``raw_data`` from a model's bytes before decoding, so that weights are never copied.

protobuf copies every field it decodes, and Python once more every ``bytes`` it is asked for. Here only the frame of the
file is copied; the weights stay where they are until they are needed.
Source: the protobuf wire format; field numbers of onnx.proto (ModelProto.graph, GraphProto.initializer,
TensorProto.raw_data).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from qconvert.support.content import Content
from qconvert.support.wire_format import BYTES, field_head

_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
_VARINT, _FIXED64, _FIXED32 = 0, 1, 5
_LARGE = 1 << 16
_MOST_FIELDS = 1 << 18
_WINDOW_BYTES = 1 << 16
_HEAD_BYTES = 20
"""The largest size of a field's tag and length."""


class _MalformedError(ValueError):
    """The bytes are not the wire format, or have too many fields; protobuf's decoder reports the error."""


class Frame(NamedTuple):
    """A model's bytes without large weights, and the weights by the position of their initializer."""

    data: bytes
    weights: dict[int, Content]


def split_weights(content: Content) -> Frame:
    """Remove the large ``raw_data`` of initializers; bytes that are not protobuf are returned unchanged."""
    if content.size < _LARGE:
        return Frame(bytes(content.read()), {})
    splitter = _Splitter()
    try:
        return Frame(b"".join(splitter.model(content)), splitter.weights)
    except _MalformedError:
        return Frame(bytes(content.read()), {})


class _Field(NamedTuple):
    """A field by its positions: it starts at ``start``, its content (of a field with a length) at ``begin``."""

    number: int
    start: int
    begin: int | None
    end: int

    @property
    def size(self) -> int:
        """The size of the content."""
        return 0 if self.begin is None else self.end - self.begin


class _Message:
    """A message's bytes, of which one window is in memory."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self._window, self._start = content.read(0, content.size if content.data else _WINDOW_BYTES), 0

    def head(self, position: int) -> memoryview:
        """Return the bytes from a position on, at least a field's tag and length."""
        begin = position - self._start
        if begin + _HEAD_BYTES > len(self._window) and self._start + len(self._window) < self.content.size:
            self._window, self._start = self.content.read(position, position + _WINDOW_BYTES), position
            begin = 0
        return self._window[begin:]

    def whole(self, found: _Field) -> memoryview:
        """Return all bytes of a field."""
        begin, end = found.start - self._start, found.end - self._start
        is_here = begin >= 0 and end <= len(self._window)
        return self._window[begin:end] if is_here else self.content.read(found.start, found.end)

    def inner(self, found: _Field) -> Content:
        """Return the content of a field that has a length."""
        assert found.begin is not None
        return self.content.part(found.begin, found.end)


@dataclass(slots=True)
class _Splitter:
    """Walks one model and counts its initializers and fields."""

    weights: dict[int, Content] = field(default_factory=dict)
    initializers: int = 0
    fields: int = 0

    def model(self, content: Content) -> Iterator[memoryview | bytes]:
        message = _Message(content)
        for found in self._fields(message):
            if found.number == _GRAPH and found.begin is not None:
                yield from _nested(_GRAPH, b"".join(self._graph(message.inner(found))))
            else:
                yield message.whole(found)

    def _graph(self, content: Content) -> Iterator[memoryview | bytes]:
        message = _Message(content)
        for found in self._fields(message):
            is_large = found.size >= _LARGE
            if found.number == _INITIALIZER and found.begin is not None:
                at, self.initializers = self.initializers, self.initializers + 1
                if is_large:
                    yield from _nested(_INITIALIZER, b"".join(self._tensor(message.inner(found), at)))
                    continue
            yield message.whole(found)

    def _tensor(self, content: Content, at: int) -> Iterator[memoryview]:
        """Yield the tensor without its large ``raw_data``; of several the last one counts."""
        message = _Message(content)
        for found in self._fields(message):
            if found.number == _RAW_DATA and found.begin is not None:
                self.weights.pop(at, None)
            if found.number == _RAW_DATA and found.size >= _LARGE:
                self.weights[at] = message.inner(found)
            else:
                yield message.whole(found)

    def _fields(self, message: _Message) -> Iterator[_Field]:
        start, end = 0, message.content.size
        while start < end:
            self.fields += 1
            head = message.head(start)
            tag, length = _read_varint(head, 0)
            begin, stop = _field_end(head, tag & 7, length)
            if start + stop > end or self.fields > _MOST_FIELDS:
                raise _MalformedError
            yield _Field(tag >> 3, start, None if begin is None else start + begin, start + stop)
            start += stop


def _field_end(view: memoryview, kind: int, position: int) -> tuple[int | None, int]:
    """Return the start of a field's content, if it has a length, and the field's end."""
    if kind == _VARINT:
        return None, _read_varint(view, position)[1]
    if kind == BYTES:
        length, begin = _read_varint(view, position)
        return begin, begin + length
    if kind in (_FIXED64, _FIXED32):
        return None, position + (8 if kind == _FIXED64 else 4)
    raise _MalformedError


def _nested(number: int, content: bytes) -> tuple[bytes, bytes]:
    return field_head(number, len(content)), content


def _read_varint(view: memoryview, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(view):
            raise _MalformedError
        byte = view[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise _MalformedError
