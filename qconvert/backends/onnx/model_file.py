"""The file of an ONNX model: protobuf, with large constants inside or in a second file.

protobuf's classes hold whole messages in memory, of at most 2 GB. They write everything here but the elements of large
constants, which follow from their parts one window at a time.
Source: onnx.proto (ModelProto, GraphProto, TensorProto), ONNX's page "External Data".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from google.protobuf.message import Message
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

from qconvert.ir import Held, array_of, byte_pieces, converted, packed_pieces, stored_bits
from qconvert.support.errors import ConversionError
from qconvert.support.file_parts import FilePair, FileParts, Part
from qconvert.support.wire_format import field_head

_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
"""The numbers of ModelProto.graph, GraphProto.initializer and TensorProto.raw_data."""

_FEW_BYTES = 1 << 10
"""Constants of fewer bytes are always inside the model, where shape inference reads them."""

MOST_INSIDE = 1_500_000_000
"""The most bytes of large constants that are inside the model by default."""

_LARGEST = 2**31 - 1
_ALIGNMENT = 1 << 12
"""Offsets in the second file are multiples of a page, which runtimes map into memory."""


@dataclass(frozen=True, eq=False)
class Initializer:
    """A constant of the graph; ``dtype`` is the tensor's, and integers below 8 bits may be held in bytes."""

    name: str
    held: Held
    dtype: np.dtype[Any]

    @property
    def array(self) -> NDArray[Any]:
        """The elements in the tensor's type."""
        return array_of(converted(self.held, self.dtype))

    @property
    def size(self) -> int:
        """The number of bytes in the file."""
        return -(-self.held.size * stored_bits(self.dtype) // 8)

    @property
    def is_large(self) -> bool:
        """True if the elements are not in memory with the model's other parts."""
        return self.size >= _FEW_BYTES

    def proto(self) -> TensorProto:
        """Return the tensor, without elements if it is large."""
        if not self.is_large:
            return numpy_helper.from_array(np.asarray(self.array, order="C"), self.name)
        kind = helper.np_dtype_to_tensor_dtype(self.dtype)
        return TensorProto(name=self.name, data_type=kind, dims=self.held.shape)

    def pieces(self) -> Iterator[memoryview]:
        """Yield the bytes as ``raw_data`` has them; they are as many as the shape and the type ask for."""
        bits, written = stored_bits(self.dtype), 0
        for piece in byte_pieces(converted(self.held, self.dtype)) if bits >= 8 else packed_pieces(self.held, bits):
            written += piece.nbytes
            yield piece
        assert written == self.size, f"{self.name} has {written} bytes in place of {self.size}"


@dataclass(frozen=True)
class ModelFile(FilePair):
    """The file of a model; ``model`` has all but its ``constants``."""

    model: ModelProto
    constants: Sequence[Initializer]


def model_file(model: ModelProto, constants: Sequence[Initializer], *, external_data: bool) -> ModelFile:
    """Return the file of a model that gets ``constants`` as initializers, after onnx's checker accepted the model."""
    protos = [constant.proto() for constant in constants]
    _check(model, constants, protos)
    large = [constant for constant in constants if constant.is_large]
    size = sum(constant.size for constant in large)
    places = _places(large)

    def naming(name: str) -> bytes:
        return _with(model, [_placed(proto, places.get(proto.name), name) for proto in protos])

    is_apart = bool(large) and (external_data or size > MOST_INSIDE)
    inside, beside = _inside(model, constants, protos), FileParts(_data_parts(large, places))
    return ModelFile(inside, beside, naming, is_apart, model, constants)


def _with(model: ModelProto, protos: Iterable[TensorProto]) -> bytes:
    whole = ModelProto()
    whole.CopyFrom(model)
    whole.graph.initializer.extend(protos)
    return bytes(whole.SerializeToString(deterministic=True))


def _check(model: ModelProto, constants: Sequence[Initializer], protos: Sequence[TensorProto]) -> None:
    """Let onnx's checker see the model, with inputs in place of large constants: it wants their elements in memory.

    That the elements of a large constant have the size that follows from its shape is checked while they are written.
    """
    shown = ModelProto()
    shown.CopyFrom(model)
    for constant, proto in zip(constants, protos, strict=True):
        if constant.is_large:
            shown.graph.input.append(helper.make_tensor_value_info(proto.name, proto.data_type, proto.dims))
        else:
            shown.graph.initializer.append(proto)
    checker.check_model(shown.SerializeToString(deterministic=True))


def _merged(proto: TensorProto, more: TensorProto) -> TensorProto:
    made = TensorProto()
    made.CopyFrom(proto)
    made.MergeFrom(more)
    return made


def _places(large: Sequence[Initializer]) -> dict[str, tuple[int, int]]:
    """Return the offset and the size of each constant in the second file."""
    places, end = dict[str, tuple[int, int]](), 0
    for constant in large:
        start = -(-end // _ALIGNMENT) * _ALIGNMENT
        places[constant.name] = start, constant.size
        end = start + constant.size
    return places


def _placed(proto: TensorProto, place: tuple[int, int] | None, name: str) -> TensorProto:
    """Return a tensor whose elements are at a place in the second file."""
    if place is None:
        return proto
    made = _merged(proto, TensorProto(data_location=TensorProto.EXTERNAL))
    for key, value in {"location": name, "offset": str(place[0]), "length": str(place[1])}.items():
        made.external_data.add(key=key, value=value)
    return made


def _data_parts(large: Sequence[Initializer], places: Mapping[str, tuple[int, int]]) -> list[Part]:
    """Return the second file, with zeros in front of each constant up to its offset."""
    parts, end = list[Part](), 0
    for constant in large:
        start, size = places[constant.name]
        parts += [bytes(start - end), constant.pieces]
        end = start + size
    return parts


def _inside(model: ModelProto, constants: Sequence[Initializer], protos: Sequence[TensorProto]) -> list[Part]:
    """Return the bytes of the whole model: what protobuf writes, cut where the elements of large constants belong."""
    before, after = _around(model, _GRAPH)
    first, last = _around(model.graph, _INITIALIZER)
    parts, length = list[Part](), 0
    for constant, proto in zip(constants, protos, strict=True):
        content, size = proto.SerializeToString(deterministic=True), constant.size if constant.is_large else 0
        content += field_head(_RAW_DATA, size) if size else b""
        framed = field_head(_INITIALIZER, len(content) + size) + content
        parts += [framed, constant.pieces] if size else [framed]
        length += len(framed) + size
    start = before + field_head(_GRAPH, len(first) + length + len(last)) + first
    end = last + after
    return [start, *parts, end] if len(start) + length + len(end) <= _LARGEST else [_refused]


def _around(message: Message, number: int) -> tuple[bytes, bytes]:
    """Return the bytes of a message's fields with smaller numbers, and of those with larger ones."""
    sides = []
    for sign in (1, -1):
        side = type(message)()
        side.CopyFrom(message)
        for field, _ in message.ListFields():
            if sign * field.number >= sign * number:
                side.ClearField(field.name)
        sides.append(side.SerializeToString(deterministic=True))
    return sides[0], sides[1]


def _refused() -> Iterator[memoryview]:
    raise ConversionError(
        "an ONNX model with its weights inside has at most 2 GB",
        hint="Write it to a file: the weights are then in a second file beside it",
    )
