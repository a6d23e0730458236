"""The operators and tensors of a TFLite model's main subgraph by name."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType

from qconvert.frontends.base import NodeKind, Outline, OutlineNode
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.tflite.context import element_of
from qconvert.frontends.tflite.model import TfliteGraph, TfliteOperator, decode_model
from qconvert.ir import UniformQuantizedType
from qconvert.support.content import Content

_KINDS = {"QUANTIZE": NodeKind.QUANTIZE, "DEQUANTIZE": NodeKind.DEQUANTIZE}


def outline(content: Content, dims: Dimensions) -> Outline:
    """Return a model's outline; raises ConversionError if the file is damaged or not of TFLite."""
    main = decode_model(content, dims).main
    types = {tensor.name: element_of(tensor) for tensor in main.tensors if tensor.data is None}
    parameters = {
        name: type for name, type in types.items() if isinstance(type, UniformQuantizedType) and type.is_per_tensor
    }
    ports = [main.tensors[index] for index in main.inputs]
    return Outline(
        {port.name: TensorType(types[port.name], port.shape) for port in ports},
        tuple(main.tensors[index].name for index in main.outputs),
        tuple(_node(main, operator) for operator in main.operators),
        parameters,
    )


def _node(graph: TfliteGraph, operator: TfliteOperator) -> OutlineNode:
    inputs = tuple(graph.tensors[index].name for index in operator.inputs if index >= 0)
    outputs = tuple(graph.tensors[index].name for index in operator.outputs if index >= 0)
    return OutlineNode(operator.name, operator.op_type, inputs, outputs, _KINDS.get(operator.op_type, NodeKind.COMPUTE))
