"""The external data of a model: its files, and the model with the data inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.message import EncodeError
from onnx import ModelProto, TensorProto

from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.onnx.model import decode_model
from qconvert.frontends.onnx.tensors import TensorReader
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError


def external_files(content: Content) -> list[Content]:
    """Return the files with the external data of a model, each once.

    Raises ConversionError where the model cannot be read, or a file is missing or outside the model's folder.
    """
    model = decode_model(content, Dimensions({}, {}))
    reader = TensorReader(model.folder)
    external = (tensor for tensor in _tensors(model.proto) if tensor.data_location == TensorProto.EXTERNAL)
    return list({id(file): file for file in map(reader.file_of, external)}.values())


def self_contained(content: Content) -> bytes:
    """Return the bytes of a model that was read, with external data inside.

    Raises ConversionError for a model of more than 2 GB, and where external data is missing or changes.
    """
    raw = bytes(content.read())
    model = ModelProto.FromString(raw)
    outside = [tensor for tensor in _tensors(model) if tensor.data_location == TensorProto.EXTERNAL]
    if content.path is None or not outside:
        return raw
    reader = TensorReader(content.path.parent)
    for tensor in outside:
        tensor.raw_data = reader.external(tensor)
        tensor.ClearField("data_location")
        tensor.ClearField("external_data")
    try:
        return bytes(model.SerializeToString(deterministic=True))
    except (EncodeError, ValueError) as error:  # protobuf in C raises EncodeError, in Python ValueError
        hint = "Validate a part of it: cut it with --outputs"
        raise ConversionError("a model of more than 2 GB cannot be given to an engine", hint=hint) from error


def _tensors(message: Any) -> Iterator[TensorProto]:
    """Yield the tensors inside a message of protobuf, those of subgraphs included."""
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        inner: Iterable[Any] = value if field.is_repeated else (value,)
        for each in inner:
            if isinstance(each, TensorProto):
                yield each
            else:
                yield from _tensors(each)
