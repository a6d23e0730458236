"""A model whose nodes and inner tensors have names of a kind."""

from __future__ import annotations

from pathlib import Path

import onnx


def scripted(source: Path, ending: str, path: Path) -> Path:
    """Write a copy of an ONNX model in which the names of nodes and of inner tensors have an ending."""
    model = onnx.load(source)
    graph = model.graph
    ports = {port.name for port in (*graph.input, *graph.output)}
    made = {name for node in graph.node for name in node.output} - ports
    for node in graph.node:
        node.name += ending
        for names in (node.input, node.output):
            names[:] = [f"{name}{ending}" if name in made else name for name in names]
    del graph.value_info[:]
    onnx.save(model, path)
    return path
