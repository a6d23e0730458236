"""Removal of large ``raw_data`` from a model's bytes before decoding, so that weights are never copied.

protobuf copies every field it decodes, and Python once more every ``bytes`` it is asked for. Here only the frame of the
file is copied; the weights stay where they are and numpy looks at them there.
Source: the protobuf wire format; field numbers of onnx.proto (ModelProto.graph, GraphProto.initializer,
TensorProto.raw_data).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LARGE = 1 << 16
_MOST_FIELDS = 1 << 18


class _MalformedError(ValueError):
    """The bytes are not the wire format, or have too many fields; protobuf's decoder reports the error."""


@dataclass
class Frame:
    """A model's bytes without large weights, and the weights by the position of their initializer."""

    data: bytes
    weights: dict[int, memoryview] = field(default_factory=dict)


def split_weights(data: bytes | memoryview) -> Frame:
    """Remove the large ``raw_data`` of initializers; bytes that are not protobuf are returned unchanged."""
    view = memoryview(data)
    if len(view) < _LARGE:
        return Frame(bytes(view))
    splitter = _Splitter()
    try:
        return Frame(b"".join(splitter.model(view)), splitter.weights)
    except _MalformedError:
        return Frame(bytes(view))


@dataclass(slots=True)
class _Splitter:
    """Walks one model and counts its initializers and fields."""

    weights: dict[int, memoryview] = field(default_factory=dict)
    initializers: int = 0
    fields: int = 0

    def model(self, view: memoryview) -> Iterator[memoryview | bytes]:
        for number, whole, content in self._fields(view):
            if number == _GRAPH and content is not None:
                yield from _nested(_GRAPH, b"".join(self._graph(content)))
            else:
                yield whole

    def _graph(self, view: memoryview) -> Iterator[memoryview | bytes]:
        for number, whole, content in self._fields(view):
            if number == _INITIALIZER and content is not None:
                at, self.initializers = self.initializers, self.initializers + 1
                large = len(content) >= _LARGE
                yield from _nested(_INITIALIZER, b"".join(self._tensor(content, at))) if large else (whole,)
            else:
                yield whole

    def _tensor(self, view: memoryview, at: int) -> Iterator[memoryview]:
        """Yield the tensor without its large ``raw_data``; of several the last one counts."""
        for number, whole, content in self._fields(view):
            if number == _RAW_DATA and content is not None:
                self.weights.pop(at, None)
            if number == _RAW_DATA and content is not None and len(content) >= _LARGE:
                self.weights[at] = content
            else:
                yield whole

    def _fields(self, view: memoryview) -> Iterator[tuple[int, memoryview, memoryview | None]]:
        """Yield each field's number, all its bytes and, if it has a length, its content."""
        position, end = 0, len(view)
        while position < end:
            self.fields += 1
            start = position
            tag, position = _read_varint(view, position)
            position, content = _field_end(view, tag & 7, position)
            if position > end or self.fields > _MOST_FIELDS:
                raise _MalformedError
            yield tag >> 3, view[start:position], content


def _field_end(view: memoryview, kind: int, position: int) -> tuple[int, memoryview | None]:
    """Return the end of a field's value, and its content if it has a length."""
    if kind == _VARINT:
        return _read_varint(view, position)[1], None
    if kind == _BYTES:
        length, begin = _read_varint(view, position)
        return begin + length, view[begin : begin + length]
    if kind in (_FIXED64, _FIXED32):
        return position + (8 if kind == _FIXED64 else 4), None
    raise _MalformedError


def _nested(number: int, content: bytes) -> tuple[bytes, bytes]:
    return bytes([number << 3 | _BYTES]) + _varint(len(content)), content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


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
