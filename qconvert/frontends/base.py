"""The result that every frontend returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp


@dataclass(frozen=True)
class Imported:
    """An imported model.

    ``op_types`` gives the operator of every source node by the node's name. ``opset`` is the version of ONNX's
    operators. ``node_tensors`` gives the first tensor that a node makes where it is not called as the node is.
    """

    module: ModuleOp
    op_types: Mapping[str, str] = field(default_factory=dict)
    opset: int | None = None
    node_tensors: Mapping[str, str] = field(default_factory=dict)
