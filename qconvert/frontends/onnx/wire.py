"""Large ``raw_data`` taken out of a model's bytes before they are decoded, so that weights are never copied.

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


class _MalformedError(ValueError):
    """Not the wire format: the decoder says what is wrong."""


@dataclass
class Frame:
    """A model's bytes without large weights, and these by the position of their initializer."""

    data: bytes
    weights: dict[int, memoryview] = field(default_factory=dict)


def split_weights(data: bytes | memoryview) -> Frame:
    """Take the large ``raw_data`` of initializers out; bytes that are no protobuf come back as they are."""
    frame = Frame(b"")
    view = memoryview(data)
    if len(view) < _LARGE:
        return Frame(bytes(view))
    try:
        frame.data = b"".join(_model(view, frame, count=[0]))
    except _MalformedError:
        return Frame(bytes(view))
    return frame


def _model(view: memoryview, frame: Frame, count: list[int]) -> Iterator[memoryview | bytes]:
    for number, whole, content in _fields(view):
        if number == _GRAPH and content is not None:
            yield from _nested(_GRAPH, b"".join(_graph(content, frame, count)))
        else:
            yield whole


def _graph(view: memoryview, frame: Frame, count: list[int]) -> Iterator[memoryview | bytes]:
    for number, whole, content in _fields(view):
        if number == _INITIALIZER and content is not None:
            at, count[0] = count[0], count[0] + 1
            large = len(content) >= _LARGE
            yield from _nested(_INITIALIZER, b"".join(_tensor(content, frame, at))) if large else (whole,)
        else:
            yield whole


def _tensor(view: memoryview, frame: Frame, at: int) -> Iterator[memoryview]:
    """The tensor without its large ``raw_data``; where there are several, the last one counts."""
    for number, whole, content in _fields(view):
        if number == _RAW_DATA and content is not None:
            frame.weights.pop(at, None)
        if number == _RAW_DATA and content is not None and len(content) >= _LARGE:
            frame.weights[at] = content
        else:
            yield whole


def _nested(number: int, content: bytes) -> tuple[bytes, bytes]:
    return bytes([number << 3 | _BYTES]) + _varint(len(content)), content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _fields(view: memoryview) -> Iterator[tuple[int, memoryview, memoryview | None]]:
    """Each field's number, all its bytes and, where it has a length, its content."""
    position, end = 0, len(view)
    while position < end:
        start = position
        tag, position = _read_varint(view, position)
        kind, content = tag & 7, None
        if kind == _VARINT:
            _, position = _read_varint(view, position)
        elif kind == _BYTES:
            length, begin = _read_varint(view, position)
            position = begin + length
            content = view[begin:position]
        elif kind in (_FIXED64, _FIXED32):
            position += 8 if kind == _FIXED64 else 4
        else:
            raise _MalformedError
        if position > end:
            raise _MalformedError
        yield tag >> 3, view[start:position], content


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
