"""One ONNX model with an open dimension, made of the same conversion at several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto, helper

from qconvert.backends.onnx.model_file import Initializer, ModelFile, model_file
from qconvert.ir.late import first_long, have_one_origin, slabs_of
from qconvert.passes.dynamism.open_size import OpenDimension, OpenSize
from qconvert.support.names import unused_name

_SHAPE_OPERAND = 1
"""The operand of Reshape that is the shape."""


def open_model(files: Sequence[ModelFile], dimension: OpenDimension, *, external_data: bool) -> ModelFile:
    """Return a model whose sizes that follow the dimension's are open: symbols in its interface, computed inside.

    The files are conversions at the dimension's sizes, in order. Large constants are compared a part at a time, and
    read when they are written. Raises ConversionError naming the node where the models differ in more than sizes, or
    the constant that depends on the size.
    """
    model = ModelProto()
    model.CopyFrom(files[0].model)
    graphs = [model.graph, *(file.model.graph for file in files[1:])]
    _check_nodes(files, dimension)
    for port in ("input", "output"):
        for infos in zip(*(getattr(graph, port) for graph in graphs), strict=True):
            _open_port(infos, dimension)
    constants = _Opening(model.graph, dimension).open([file.constants for file in files])
    return model_file(model, constants, external_data=external_data)


def _check_nodes(files: Sequence[ModelFile], dimension: OpenDimension) -> None:
    """Raise ConversionError unless the models have the same nodes and the names of the same constants."""
    graphs = [file.model.graph for file in files]
    same = all(len(graph.node) == len(graphs[0].node) for graph in graphs)
    names = [[constant.name for constant in file.constants] for file in files]
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


def _are_same(one: Initializer, other: Initializer) -> bool:
    """Return True for constants of one type, one shape and the same bytes; of large ones a part is in memory."""
    if one.dtype != other.dtype or one.held.shape != other.held.shape:
        return False
    if not one.is_large:
        return one.proto() == other.proto()
    axis = first_long(one.held.shape)
    slabs = zip(slabs_of(one.held, axis), slabs_of(other.held, axis), strict=True)
    return have_one_origin(one.held, other.held) or all(mine.tobytes() == its.tobytes() for mine, its in slabs)


def _constant(name: str, array: NDArray[Any]) -> Initializer:
    return Initializer(name, array, array.dtype)


class _Opening:
    """The constants of the first graph that follow the open size, as nodes in front of the others."""

    def __init__(self, graph: GraphProto, dimension: OpenDimension) -> None:
        self.graph = graph
        self.dimension = dimension
        self.nodes: list[NodeProto] = []
        self.added: list[Initializer] = []
        self.taken = {name for node in self.graph.node for name in (node.name, *node.input, *node.output)}
        self.known: dict[OpenSize, str] = {}

    def open(self, constants: Sequence[Sequence[Initializer]]) -> list[Initializer]:
        """Add the nodes of the constants that follow the open size; return the others."""
        kept: list[Initializer] = []
        for alike in zip(*constants, strict=True):
            kept += alike[:1] if all(_are_same(alike[0], other) for other in alike[1:]) else self._opened(alike)
        nodes = list(self.graph.node)
        del self.graph.node[:]
        self.graph.node.extend([*self.nodes, *nodes])
        return [*kept, *self.added]

    def _opened(self, constants: Sequence[Initializer]) -> list[Initializer]:
        """Return the constant in place of one that depends on the size, if any; nodes make what is left of it."""
        name, arrays = constants[0].name, [constant.array for constant in constants]
        if all(array.dtype == np.int64 and array.shape == arrays[0].shape and array.ndim == 1 for array in arrays):
            sizes = self.dimension.formulas([array.tolist() for array in arrays])
            if self._is_shape_of_reshape(name) and sum(size.is_open for size in sizes) == 1 and arrays[0].all():
                inferred = [-1 if size.is_open else size.offset for size in sizes]
                return [_constant(name, np.asarray(inferred, np.int64))]
            self._vector(sizes, name)
            return []
        array = self.dimension.unrepeated(arrays, f"the constant '{name}'")
        sizes = self.dimension.formulas([each.shape for each in arrays])
        constant = _constant(self._unused(f"{name}_once"), np.asarray(array, order="C"))
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
        self.added.append(_constant(name, np.asarray([value], np.int64)))
        return name

    def _node(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        name = self._unused(f"{output}_{kind}")
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=name, **attributes))
        return output

    def _unused(self, name: str) -> str:
        return unused_name(name, self.taken)
