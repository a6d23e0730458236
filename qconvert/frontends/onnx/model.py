"""Decoding of an ONNX file to a checked ModelProto with functions inlined and input shapes fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto, NodeProto, TensorShapeProto, ValueInfoProto
from xdsl.dialects.builtin import TensorType

from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.onnx.functions import inline_functions
from qconvert.frontends.onnx.structure import domain_name
from qconvert.frontends.onnx.tensors import element_dtype
from qconvert.frontends.onnx.wire import split_weights
from qconvert.ir import Tensor, from_numpy_dtype
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError
from qconvert.support.limits import check_shape

FIRST_OPSET, LAST_OPSET = 7, 28


@dataclass(frozen=True, eq=False)
class OnnxModel:
    """A decoded model and its source.

    ``dims`` sizes the symbolic dimensions of inputs. ``weights`` are the large ``raw_data`` of initializers, by name,
    that the proto itself does not hold.
    """

    proto: ModelProto
    folder: Path | None
    dims: Dimensions = field(default_factory=Dimensions)
    weights: Mapping[str, Content] = field(default_factory=dict)

    def opset(self, domain: str) -> int:
        """Return the opset version that the model imports of a domain; raises ConversionError if it imports none."""
        versions = {domain_name(opset.domain): int(opset.version) for opset in self.proto.opset_import}
        if domain not in versions:
            raise ConversionError(
                f"the model uses domain '{domain or 'ai.onnx'}' but imports no opset of it",
                hint="Export the model again, or add the opset import",
            )
        return versions[domain]


def decode_model(content: Content, dims: Dimensions) -> OnnxModel:
    """Decode a model and check its graph, opset and functions.

    Raises ConversionError if the bytes are not an ONNX model or are cut short, or the opset is out of range.
    """
    frame = split_weights(content.held())
    proto = ModelProto()
    try:
        proto.ParseFromString(frame.data)
    except DecodeError as error:
        raise ConversionError(
            "this is not an ONNX model, or it is cut short", hint="Export or download the file again"
        ) from error
    if not proto.HasField("graph") or not (proto.graph.node or proto.graph.output):
        raise ConversionError("the file holds no ONNX graph", hint="Export or download the file again")
    _refuse_broken_names(proto)
    inline_functions(proto)
    weights = {proto.graph.initializer[i].name: raw for i, raw in frame.weights.items()}
    folder = None if content.path is None else content.path.parent
    model = OnnxModel(proto, folder, dims, weights=weights)
    opset = model.opset("")
    if not FIRST_OPSET <= opset <= LAST_OPSET:
        raise ConversionError(
            f"opset {opset} is not supported",
            hint=f"Opsets {FIRST_OPSET} to {LAST_OPSET} are; convert the model with onnx.version_converter first",
        )
    return model


def _refuse_broken_names(proto: ModelProto) -> None:
    """Raise ConversionError for a name that is not UTF-8, which protobuf returns as bytes."""
    for name in _names(proto):
        if not isinstance(name, str):
            raise ConversionError(f"the name {name!r} is not UTF-8", hint="Export the model again with plain names")


def _names(proto: ModelProto) -> Iterator[str | bytes]:
    graph = proto.graph
    for value in chain(graph.input, graph.output):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    for tensor in graph.initializer:
        yield tensor.name
        yield from (text for entry in tensor.external_data for text in (entry.key, entry.value))
    yield from (opset.domain for opset in proto.opset_import)
    yield from _node_names(graph.node)
    for function in proto.functions:
        yield from (function.name, function.domain, function.overload)
        yield from chain(function.input, function.output, function.attribute)
        yield from (opset.domain for opset in function.opset_import)
        yield from _node_names(function.node)


def _node_names(nodes: Iterable[NodeProto]) -> Iterator[str | bytes]:
    for node in nodes:
        yield from (node.name, node.op_type, node.domain, node.overload)
        yield from chain(node.input, node.output)
        yield from (text for attribute in node.attribute for text in (attribute.name, attribute.ref_attr_name))


def input_type(model: OnnxModel, value: ValueInfoProto) -> Tensor:
    """Return the static tensor type of a graph input.

    A symbolic dimension takes its size from ``--dim``. A leading dimension without a size is the batch and becomes 1.
    Raises ConversionError for other unknown dimensions and for types other than tensors.
    """
    type = value.type
    if not type.HasField("tensor_type"):
        kind = type.WhichOneof("value") or "no type given"
        raise ConversionError(f"input '{value.name}' is not a tensor ({kind})", hint="Only tensors can be converted")
    if not type.tensor_type.HasField("shape"):
        raise ConversionError(f"input '{value.name}' has no shape", hint="Export the model with fixed input shapes")
    try:
        element = from_numpy_dtype(element_dtype(type.tensor_type.elem_type))
        sizes = [_size(model, value.name, i, dim) for i, dim in enumerate(type.tensor_type.shape.dim)]
        check_shape(sizes)
    except ConversionError as error:
        raise ConversionError(f"input '{value.name}': {error.found}", hint=error.hint) from error
    return TensorType(element, sizes)


def _size(model: OnnxModel, name: str, position: int, dim: TensorShapeProto.Dimension) -> int:
    if dim.HasField("dim_value") and dim.dim_value >= 0:
        return int(dim.dim_value)
    return model.dims.size(name, position, dim.dim_param)
