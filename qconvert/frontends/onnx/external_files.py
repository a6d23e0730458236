"""The files with the external data of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from onnx import TensorProto

from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.onnx.model import decode_model
from qconvert.frontends.onnx.tensors import TensorReader
from qconvert.support.content import Content


def external_files(content: Content) -> list[Content]:
    """Return the files with the external data of a model, each once.

    Raises ConversionError where the model cannot be read, or a file is missing or outside the model's folder.
    """
    model = decode_model(content, Dimensions({}, {}))
    reader = TensorReader(model.folder)
    external = (tensor for tensor in _tensors(model.proto) if tensor.data_location == TensorProto.EXTERNAL)
    return list({id(file): file for file in map(reader.file_of, external)}.values())


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
