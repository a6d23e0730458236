"""Differences that are planted in a model: the weights of one node get other integers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


def planted(source: Path, node_name: str, path: Path) -> Path:
    """Write a copy of an ONNX model in which the weights of one node are negated where they are positive."""
    model = onnx.load(source)
    graph = model.graph
    makers = {name: node for node in graph.node for name in node.output}
    held = {tensor.name: tensor for tensor in graph.initializer}
    [node] = [node for node in graph.node if node.name == node_name]
    weights = next(
        held[origin] for name in node.input if (origin := _origin(name, makers)) in held and len(held[origin].dims) > 1
    )
    array = numpy_helper.to_array(weights).copy()
    array[array > 0] //= 2
    weights.CopyFrom(numpy_helper.from_array(np.asarray(array, order="C"), weights.name))
    onnx.save(model, path)
    return path


def _origin(name: str, makers: dict[str, onnx.NodeProto]) -> str:
    """Return the tensor that a chain of DequantizeLinear starts from."""
    while name in makers and makers[name].op_type == "DequantizeLinear":
        name = makers[name].input[0]
    return name
