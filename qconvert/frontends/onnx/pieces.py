"""The tensors that ONNX nodes read."""

from __future__ import annotations

from onnx import NodeProto


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
