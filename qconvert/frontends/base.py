"""The results that every frontend returns: an imported model, and an outline of its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from qconvert.ir import Tensor, UniformQuantizedType

Array: TypeAlias = NDArray[Any]


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


class NodeKind(Enum):
    """The kind of a node: it only quantizes, it only dequantizes, or it computes."""

    QUANTIZE = auto()
    DEQUANTIZE = auto()
    COMPUTE = auto()


class OutlineNode(NamedTuple):
    """A node: its name and operator, the tensors that it reads and makes, in order; absent ones are left out."""

    name: str
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    kind: NodeKind = NodeKind.COMPUTE


class Outline(NamedTuple):
    """A source file by the names of its nodes and tensors, its nodes in the order of the file.

    It is read without importing any operator, so that files can be compared that cannot be converted.

    ``inputs`` have static shapes. ``parameters`` are those of quantized tensors that the file states, per tensor.
    """

    inputs: Mapping[str, Tensor]
    outputs: tuple[str, ...]
    nodes: tuple[OutlineNode, ...]
    parameters: Mapping[str, UniformQuantizedType]
