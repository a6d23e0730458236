"""The nodes and tensors of an ONNX model by name, with the scales that its operators state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto

from qconvert.frontends.base import NodeKind, Outline, OutlineNode
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.onnx.model import OnnxModel, decode_model, input_type
from qconvert.frontends.onnx.quantization import storage_of
from qconvert.frontends.onnx.tensors import TensorReader
from qconvert.ir import UniformQuantizedType, from_numpy_dtype
from qconvert.support.content import Content

Array: TypeAlias = NDArray[Any]

_KINDS = {"QuantizeLinear": NodeKind.QUANTIZE, "DequantizeLinear": NodeKind.DEQUANTIZE}


def outline(content: Content, dims: Dimensions) -> Outline:
    """Return a model's outline; operators of any domain are allowed.

    Raises ConversionError if the bytes are not an ONNX model, or an input has no size.
    """
    model = decode_model(content, dims)
    graph = model.proto.graph
    constants = {tensor.name for tensor in graph.initializer}
    inputs = {value.name: input_type(model, value) for value in graph.input if value.name not in constants}
    dims.refuse_unknown()
    nodes = tuple(map(_node, graph.node))
    return Outline(inputs, tuple(value.name for value in graph.output), nodes, dict(_parameters(model)))


def _node(node: NodeProto) -> OutlineNode:
    op = node.op_type if not node.domain else f"{node.domain}.{node.op_type}"
    outputs = tuple(filter(None, node.output))
    kind = _KINDS.get(node.op_type, NodeKind.COMPUTE)
    return OutlineNode(node.name or next(iter(outputs), op), op, tuple(filter(None, node.input)), outputs, kind)


def _parameters(model: OnnxModel) -> Iterator[tuple[str, UniformQuantizedType]]:
    """Yield the parameters of activations by tensor.

    In all operators with quantized operands a scale and a zero point follow their tensor; those of the result are the
    last ones, but the first ones in QLinearConcat. QuantizeLinear has only those of its result.
    """
    scalars = dict(_scalars(model))
    for node in model.proto.graph.node:
        places = [i for i in range(len(node.input)) if _type_at(node, i, scalars) is not None]
        for i in places:
            parameters = _type_at(node, i, scalars)
            owner = _owner(node, i, places)
            if owner and parameters is not None:
                yield owner, parameters


def _owner(node: NodeProto, place: int, places: list[int]) -> str:
    """Return the tensor to which the scale at a place belongs, '' for a constant that is not looked at."""
    is_result = place == 0 or (place == places[-1] and 0 not in places and len(places) > 1)
    if is_result or _KINDS.get(node.op_type) is NodeKind.QUANTIZE:
        return str(node.output[0])
    return str(node.input[place - 1])


def _type_at(node: NodeProto, place: int, known: Mapping[str, Array]) -> UniformQuantizedType | None:
    """Return the type with the scale at a place of a node's inputs and the zero point behind it, or None."""
    scale = known.get(node.input[place])
    if scale is None or scale.dtype.kind != "f":
        return None
    zero_point = known.get(node.input[place + 1]) if place + 1 < len(node.input) else None
    if zero_point is None and _KINDS.get(node.op_type) is NodeKind.QUANTIZE and place == len(node.input) - 1:
        zero_point = np.zeros((), np.uint8)  # ONNX's default
    if zero_point is None or zero_point.dtype.itemsize > 2 or zero_point.dtype.kind not in "iu":
        return None
    storage = storage_of(from_numpy_dtype(zero_point.dtype))
    return UniformQuantizedType.per_tensor(storage, scale.item(), int(zero_point.item()))


def _scalars(model: OnnxModel) -> Iterator[tuple[str, Array]]:
    """Yield the constants of one element by name: initializers, and what Constant makes."""
    graph, reader = model.proto.graph, TensorReader(model.folder)
    constants = [
        (node.output[0], each.t) for node in graph.node for each in node.attribute if node.op_type == "Constant"
    ]
    for name, tensor in (*((each.name, each) for each in graph.initializer), *constants):
        if len(tensor.dims) <= 1 and tensor.data_type != TensorProto.UNDEFINED and list(tensor.dims) in ([], [1]):
            yield name, reader.array(tensor)
