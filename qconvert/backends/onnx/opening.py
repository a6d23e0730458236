"""One ONNX model with an open dimension, made of the same conversion at several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from qconvert.backends.onnx.model_file import model_file, of_tensor
from qconvert.passes.dynamism.open_size import OpenDimension, OpenSize
from qconvert.support.file_parts import FileParts
from qconvert.support.names import unused_name

_SHAPE_OPERAND = 1
"""The operand of Reshape that is the shape."""


def open_model(contents: Sequence[bytes], dimension: OpenDimension, *, external_data: bool) -> FileParts:
    """Return a model whose sizes that follow the dimension's are open: symbols in its interface, computed inside.

    The models are conversions at the dimension's sizes, in order. Raises ConversionError naming the node where they
    differ in more than sizes, or the constant that depends on the size.
    """
    models = [ModelProto.FromString(content) for content in contents]
    graphs = [model.graph for model in models]
    _check_nodes(graphs, dimension)
    for port in ("input", "output"):
        for infos in zip(*(getattr(graph, port) for graph in graphs), strict=True):
            _open_port(infos, dimension)
    _Opening(graphs, dimension).open()
    constants = [of_tensor(proto) for proto in graphs[0].initializer]
    del graphs[0].initializer[:]
    return model_file(models[0], constants, external_data=external_data)


def _check_nodes(graphs: Sequence[GraphProto], dimension: OpenDimension) -> None:
    """Raise ConversionError unless the graphs have the same nodes and the names of the same constants."""
    same = all(len(graph.node) == len(graphs[0].node) for graph in graphs)
    names = [[tensor.name for tensor in graph.initializer] for graph in graphs]
    if not same or any(listed != names[0] for listed in names):
        raise dimension.refusal("the conversion makes other nodes at another size")
    for nodes in zip(*(graph.node for graph in graphs), strict=True):
        if any(node != nodes[0] for node in nodes):
            found = dimension.refusal("an attribute or an input of the node depends on it")
            raise found.located(node=nodes[0].name, op=nodes[0].op_type)


def _open_port(infos: Sequence[ValueInfoProto], dimension: OpenDimension) -> None:
    """Write a symbol for each open size of an input or an output."""
    shapes = [[dim.dim_value for dim in info.type.tensor_type.shape.dim] for info in infos]
    for dim, size in zip(infos[0].type.tensor_type.shape.dim, dimension.formulas(shapes), strict=True):
        if size.is_open:
            dim.dim_param = size.text(dimension.name)


class _Opening:
    """The constants of the first graph that follow the open size, as nodes in front of the others."""

    def __init__(self, graphs: Sequence[GraphProto], dimension: OpenDimension) -> None:
        self.graphs = graphs
        self.graph = graphs[0]
        self.dimension = dimension
        self.nodes: list[NodeProto] = []
        self.added: list[TensorProto] = []
        self.taken = {name for node in self.graph.node for name in (node.name, *node.input, *node.output)}
        self.known: dict[OpenSize, str] = {}

    def open(self) -> None:
        """Replace the constants that follow the open size."""
        kept: list[TensorProto] = []
        for tensors in zip(*(graph.initializer for graph in self.graphs), strict=True):
            if any(tensor != tensors[0] for tensor in tensors):
                kept += self._opened(tensors)
            else:
                kept.append(tensors[0])
        nodes = list(self.graph.node)
        del self.graph.initializer[:], self.graph.node[:]
        self.graph.initializer.extend([*kept, *self.added])
        self.graph.node.extend([*self.nodes, *nodes])

    def _opened(self, tensors: Sequence[TensorProto]) -> list[TensorProto]:
        """Return the constant in place of one that depends on the size, if any; nodes make what is left of it."""
        name, arrays = tensors[0].name, [numpy_helper.to_array(tensor) for tensor in tensors]
        if all(array.dtype == np.int64 and array.shape == arrays[0].shape and array.ndim == 1 for array in arrays):
            sizes = self.dimension.formulas([array.tolist() for array in arrays])
            if self._is_shape_of_reshape(name) and sum(size.is_open for size in sizes) == 1 and arrays[0].all():
                inferred = [-1 if size.is_open else size.offset for size in sizes]
                return [numpy_helper.from_array(np.asarray(inferred, np.int64), name)]
            self._vector(sizes, name)
            return []
        array = self.dimension.unrepeated(arrays, f"the constant '{name}'")
        sizes = self.dimension.formulas([each.shape for each in arrays])
        constant = numpy_helper.from_array(np.ascontiguousarray(array), self._unused(f"{name}_once"))
        self._node("Expand", [constant.name, self._vector(sizes, self._unused(f"{name}_shape"))], name)
        return [constant]

    def _is_shape_of_reshape(self, name: str) -> bool:
        users = [node for node in self.graph.node if name in node.input]
        return all(user.op_type == "Reshape" and list(user.input).index(name) == _SHAPE_OPERAND for user in users)

    def _vector(self, sizes: Sequence[OpenSize], output: str) -> str:
        """Add the nodes that make a list of sizes; return ``output``."""
        return self._node("Concat", [self._scalar(size) for size in sizes], output, axis=0)

    def _scalar(self, size: OpenSize) -> str:
        """Return a list of one size."""
        if size not in self.known:
            self.known[size] = self._made(size)
        return self.known[size]

    def _made(self, size: OpenSize) -> str:
        if not size.is_open:
            return self._number(size.offset)
        if size.is_itself:
            return self._read()
        name = self._scalar(OpenSize(1, 0))
        if size.factor != 1:
            name = self._node("Mul", [name, self._number(size.factor)], self._unused("open_product"))
        if size.offset:
            name = self._node("Add", [name, self._number(size.offset)], self._unused("open_sum"))
        return name

    def _read(self) -> str:
        """Return the open size, read from an input that has it."""
        for info in self.graph.input:
            for axis, dim in enumerate(info.type.tensor_type.shape.dim):
                if dim.dim_param == self.dimension.name:
                    shape = self._node("Shape", [info.name], self._unused("open_shape"))
                    return self._node("Gather", [shape, self._number(axis)], self._unused("open_size"), axis=0)
        raise self.dimension.refusal("no input has the size itself")

    def _number(self, value: int) -> str:
        name = self._unused(f"open_{value}")
        self.added.append(numpy_helper.from_array(np.asarray([value], np.int64), name))
        return name

    def _node(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        name = self._unused(f"{output}_{kind}")
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=name, **attributes))
        return output

    def _unused(self, name: str) -> str:
        return unused_name(name, self.taken)
