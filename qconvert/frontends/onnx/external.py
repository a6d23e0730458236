"""Models with their external data inside, for engines that take a model's bytes."""

from __future__ import annotations

from google.protobuf.message import EncodeError
from onnx import ModelProto, TensorProto

from qconvert.frontends.onnx.tensors import TensorReader
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError


def self_contained(content: Content) -> bytes:
    """Return the bytes of a model that was read, with external data inside.

    Raises ConversionError for a model of more than 2 GB, and where external data is missing or changes.
    """
    raw = bytes(content.read())
    model = ModelProto.FromString(raw)
    outside = [tensor for tensor in model.graph.initializer if tensor.data_location == TensorProto.EXTERNAL]
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
