"""A written ONNX model as what is cut: its nodes and the tensors between them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from onnx import ModelProto, ValueInfoProto, helper
from xdsl.dialects.builtin import ModuleOp

from qconvert.engines.modules import Program
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.frontends.onnx import import_model
from qconvert.frontends.onnx.pieces import read_names
from qconvert.support.arrays import Array
from qconvert.support.content import Content
from qconvert.validation.segments.programs import Samples, Value, WrittenOp, WrittenProgram

_CONSTANT = "Constant"
_QUANTIZE = "QuantizeLinear"


class OnnxProgram(WrittenProgram):
    """The main graph of a model whose constants are inside. The nodes' functions stay in every piece."""

    def __init__(self, content: bytes) -> None:
        self._model = ModelProto.FromString(content)
        graph = self._model.graph
        self._initializers = {tensor.name: tensor for tensor in graph.initializer}
        self._constants = {node.output[0]: node for node in graph.node if node.op_type == _CONSTANT}
        self._nodes = [node for node in graph.node if node.op_type != _CONSTANT]
        constants = self._initializers.keys() | self._constants.keys()
        self.inputs = tuple(port.name for port in graph.input if port.name not in self._initializers)
        self.outputs = tuple(port.name for port in graph.output)
        self.ops = tuple(
            WrittenOp(
                f"{node.op_type} '{node.name}'",
                tuple(name for name in read_names(node) if name not in constants),
                tuple(name for name in node.output if name),
            )
            for node in self._nodes
        )

    def bears(self, value: Value, names: Collection[str]) -> bool:
        """Return True if the node that makes a value bears a name, or the one whose result it quantizes."""
        node = self._nodes[self.makers[value]]
        quantized = node.input[0] if node.op_type == _QUANTIZE else ""
        is_made = quantized in self.makers and super().bears(quantized, names)
        return is_made or super().bears(value, names)

    def piece(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> Program:
        """Return a model of some of the nodes; the given arrays tell the types of its inputs."""
        nodes = [self._nodes[place] for place in ops]
        read = {name for node in nodes for name in read_names(node)}
        first = given.arrays[0] if given.arrays else []
        ports = [_port(str(name), array) for name, array in zip(given.inputs, first, strict=True)]
        graph = helper.make_graph(
            [*(node for name, node in self._constants.items() if name in read), *nodes],
            "piece",
            ports,
            [ValueInfoProto(name=str(name)) for name in outputs],
            [tensor for name, tensor in self._initializers.items() if name in read],
        )
        model = helper.make_model(
            graph,
            opset_imports=list(self._model.opset_import),
            functions=list(self._model.functions),
            ir_version=self._model.ir_version,
        )
        return Program(model.SerializeToString(), given.arrays)

    def file(self, piece: Program, results: Sequence[Array]) -> bytes:
        """Return a piece whose outputs have types, which files need and onnxruntime does not."""
        model = ModelProto.FromString(super().file(piece, results))
        for port, array in zip(model.graph.output, results, strict=True):
            port.CopyFrom(_port(port.name, array))
        return bytes(model.SerializeToString(deterministic=True))

    def module(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> ModuleOp:
        """Return a piece as it is read."""
        content = self.piece(ops, given, outputs).text
        assert isinstance(content, bytes)
        return import_model(Content.of(memoryview(content)), Dimensions(), Boundary()).module


def _port(name: str, array: Array) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), list(array.shape))
