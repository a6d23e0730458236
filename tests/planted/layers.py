"""Which names stand for one layer of a source."""

from __future__ import annotations

import onnx
from onnx import NodeProto

from qconvert.api import Model

_MERGED = ("Relu", "Clip", "QuantizeLinear", "DequantizeLinear")
"""The operators that files compute together with what makes their input."""


class SourceLayers:
    """The layers of an ONNX model: each is a node with its quantizers and its activation function."""

    def __init__(self, model: Model) -> None:
        graph = onnx.load_from_string(bytes(model.content)).graph
        self._nodes = {node.name: node for node in graph.node}
        self._makers = {tensor: node for node in graph.node for tensor in node.output}
        self._readers: dict[str, list[NodeProto]] = {}
        for node in graph.node:
            for tensor in node.input:
                self._readers.setdefault(tensor, []).append(node)

    def same(self, name: str) -> frozenset[str]:
        """Return the names of the nodes and tensors of a node's layer."""
        node = self._nodes[name]
        while node.op_type in _MERGED and (maker := self._makers.get(node.input[0])) is not None:
            node = maker
        found: dict[str, NodeProto] = {}
        self._follow(node, found)
        for operand in node.input[1:]:
            maker = self._makers.get(operand)
            if maker is not None and maker.op_type == "DequantizeLinear" and maker.input[0] not in self._makers:
                found[maker.name] = maker
        return frozenset({*found, *(tensor for each in found.values() for tensor in each.output)})

    def _follow(self, node: NodeProto, found: dict[str, NodeProto]) -> None:
        found[node.name] = node
        for reader in self._readers.get(node.output[0], ()):
            if reader.op_type in _MERGED:
                self._follow(reader, found)
