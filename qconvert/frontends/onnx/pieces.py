"""Pieces of an ONNX model: the nodes between some tensors as a model of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onnx import ModelProto, NodeProto, ValueInfoProto, helper

from qconvert.frontends.base import Array, Cutter, Piece
from qconvert.frontends.onnx.external_files import self_contained
from qconvert.support.content import Content


class OnnxCutter(Cutter):
    """A model that is cut. The nodes' functions stay in every piece."""

    def __init__(self, content: Content) -> None:
        self._model = ModelProto.FromString(self_contained(content))
        self._nodes = list(self._model.graph.node)
        self._makers = {name: place for place, node in enumerate(self._nodes) for name in node.output}

    def inputs(self, output: str, cuts: Iterable[str]) -> list[str]:
        """Return the cuts at which the piece that makes a tensor starts, in the order of the cuts."""
        cuts = list(cuts)
        read = {name for node in self._behind(output, cuts) for name in read_names(node)}
        return [name for name in cuts if name in read]

    def piece(self, inputs: Mapping[str, Array], output: tuple[str, Array]) -> Piece:
        """Return the nodes that make a tensor from others as a model; arrays give the ports' types and shapes."""
        model, graph, (name, array) = self._model, self._model.graph, output
        nodes = self._behind(name, inputs)
        read = {each for node in nodes for each in read_names(node)}
        kept = [tensor for tensor in graph.initializer if tensor.name in read and tensor.name not in inputs]
        ports = [_port(each, held) for each, held in inputs.items()]
        made = helper.make_graph(nodes, f"{graph.name} up to {name}", ports, [_port(name, array)], kept)
        whole = helper.make_model(
            made, opset_imports=list(model.opset_import), functions=list(model.functions), ir_version=model.ir_version
        )
        return Piece(whole.SerializeToString(deterministic=True), len(nodes))

    def _behind(self, output: str, cuts: Iterable[str]) -> list[NodeProto]:
        """Return the nodes that make a tensor, without those in front of the cuts, in order."""
        known, stack, found = set(cuts), [output], set[int]()
        while stack:
            place = self._makers.get(stack.pop())
            if place is not None and place not in found:
                found.add(place)
                stack.extend(name for name in read_names(self._nodes[place]) if name not in known)
        return [self._nodes[place] for place in sorted(found)]


def read_names(node: NodeProto) -> list[str]:
    """Return the tensors that a node and the graphs inside it read."""
    inner = [
        name
        for attribute in node.attribute
        for graph in (attribute.g, *attribute.graphs)
        for each in graph.node
        for name in read_names(each)
    ]
    return [name for name in (*node.input, *inner) if name]


def _port(name: str, array: Array) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), list(array.shape))
