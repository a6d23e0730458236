"""One-operator .tflite files, made with the format's own bindings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import ml_dtypes
import numpy as np
import tflite
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Tensor:
    """A tensor of a file: its type's name, one scale or several along ``dimension``, a constant's data."""

    shape: tuple[int, ...]
    scale: float | Sequence[float] = 0.0
    zero_point: int = 0
    kind: str = "INT8"
    data: Array | None = None
    dimension: int = 0
    details: int = 0
    """The kind of the quantization's details, 0 for none; their table is empty."""

    @property
    def scales(self) -> list[float]:
        """The scales, none for a plain tensor."""
        given = [self.scale] if isinstance(self.scale, float | int) else list(self.scale)
        return [scale for scale in given if scale]


def constant(array: Any, kind: str = "INT32", scale: float | Sequence[float] = 0.0, **options: int) -> Tensor:
    """A tensor with data."""
    held = np.asarray(array, ml_dtypes.int4 if kind == "INT4" else np.dtype(kind.lower()))
    return Tensor(held.shape, scale, kind=kind, data=held, **options)


@dataclass(frozen=True)
class Case:
    """One operator: its inputs (None is an absent one) and outputs, and its options by their setters' names."""

    op: str
    inputs: Sequence[Tensor | None]
    outputs: Sequence[Tensor]
    options: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    version: int = 2
    most: int = 0
    """How many steps the interpreter and TOSA may be away from LiteRT."""

    apart: int | None = 1
    """How many steps StableHLO's arithmetic may be away from LiteRT's, None where LiteRT's is another function."""

    in_tosa: bool = True
    """False where TOSA has no form of it."""

    resolver: str = "reference"
    low: float | None = None
    high: float | None = None
    """The storage integers that are drawn lie between these, where the operator is not defined on all of them."""

    @property
    def fed(self) -> dict[str, Tensor]:
        """The inputs without data by name."""
        return {f"in{i}": t for i, t in enumerate(self.inputs) if t is not None and t.data is None}

    def model(self) -> bytes:
        """The file."""
        return one_op(self.op, self.inputs, self.outputs, self.options, self.fields, self.version)


@dataclass(frozen=True)
class Node:
    """One operator of a graph: its tensors by name (None is an absent one), and its options as in ``Case``."""

    op: str
    inputs: Sequence[str | None]
    outputs: Sequence[str]
    options: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    version: int = 2


@dataclass(frozen=True)
class Graph:
    """A subgraph: tensors by name, operators in order, and the names of inputs and outputs.

    ``signatures`` have -1 for sizes that the file leaves open.
    """

    tensors: Mapping[str, Tensor]
    nodes: Sequence[Node]
    inputs: Sequence[str]
    outputs: Sequence[str]
    signatures: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def index(self, name: str | None) -> int:
        """A tensor's place, -1 for an absent one."""
        return -1 if name is None else list(self.tensors).index(name)


def one_op(
    op: str,
    inputs: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    options: str = "",
    fields: Mapping[str, Any] | None = None,
    version: int = 2,
) -> bytes:
    """A .tflite file with one operator; inputs are named in0, in1, ..., outputs out0, ..."""
    given = {f"in{i}": tensor for i, tensor in enumerate(inputs) if tensor is not None}
    made = {f"out{i}": tensor for i, tensor in enumerate(outputs)}
    taken = [f"in{i}" if tensor is not None else None for i, tensor in enumerate(inputs)]
    fed = [name for name, tensor in given.items() if tensor.data is None]
    node = Node(op, taken, list(made), options, fields or {}, version)
    return write(Graph({**given, **made}, [node], fed, list(made)))


def write(*graphs: Graph, entries: Mapping[str, int] | None = None) -> bytes:
    """A .tflite file of subgraphs; ``entries`` are signatures with their subgraphs."""
    b = flatbuffers.Builder(1 << 12)
    codes = list(dict.fromkeys((node.op, node.version) for graph in graphs for node in graph.nodes))
    tensors = [tensor for graph in graphs for tensor in graph.tensors.values()]
    buffers = [_buffer(b, None), *(_buffer(b, tensor.data) for tensor in tensors)]
    subgraphs, first = [], 1
    for graph in graphs:
        subgraphs.append(_subgraph(b, graph, codes, first))
        first += len(graph.tensors)
    keys = [(b.CreateString(key), index) for key, index in (entries or {}).items()]
    signatures = [_table(b, "SignatureDef", SignatureKey=key, SubgraphIndex=index) for key, index in keys]
    model = _table(
        b,
        "Model",
        Version=3,
        OperatorCodes=_offsets(b, "Model", "OperatorCodes", [_code(b, *code) for code in codes]),
        Subgraphs=_offsets(b, "Model", "Subgraphs", subgraphs),
        Buffers=_offsets(b, "Model", "Buffers", buffers),
        SignatureDefs=_offsets(b, "Model", "SignatureDefs", signatures),
    )
    b.Finish(model, b"TFL3")
    return bytes(b.Output())


def _code(b: flatbuffers.Builder, op: str, version: int) -> int:
    number = getattr(tflite.BuiltinOperator, op)
    return _table(b, "OperatorCode", DeprecatedBuiltinCode=min(number, 127), BuiltinCode=number, Version=version)


def _subgraph(b: flatbuffers.Builder, graph: Graph, codes: Sequence[tuple[str, int]], first: int) -> int:
    tensors = [
        _tensor(b, name, tensor, first + i, graph.signatures.get(name))
        for i, (name, tensor) in enumerate(graph.tensors.items())
    ]
    operators = [_operator(b, node, graph, codes.index((node.op, node.version))) for node in graph.nodes]
    return _table(
        b,
        "SubGraph",
        Tensors=_offsets(b, "SubGraph", "Tensors", tensors),
        Inputs=_integers(b, [graph.index(name) for name in graph.inputs]),
        Outputs=_integers(b, [graph.index(name) for name in graph.outputs]),
        Operators=_offsets(b, "SubGraph", "Operators", operators),
    )


def _table(b: flatbuffers.Builder, kind: str, **fields: Any) -> int:
    getattr(tflite, f"{kind}Start")(b)
    for name, value in fields.items():
        getattr(tflite, f"{kind}Add{name}")(b, value)
    offset: int = getattr(tflite, f"{kind}End")(b)
    return offset


def _vector(b: flatbuffers.Builder, array: Array) -> int:
    offset: int = b.CreateNumpyVector(array)
    return offset


def _integers(b: flatbuffers.Builder, values: Sequence[int]) -> int:
    return _vector(b, np.array(values, np.int32))


def _offsets(b: flatbuffers.Builder, kind: str, name: str, offsets: Sequence[int]) -> int:
    start: Callable[[flatbuffers.Builder, int], Any] = getattr(tflite, f"{kind}Start{name}Vector")
    start(b, len(offsets))
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    made: int = b.EndVector()
    return made


def _buffer(b: flatbuffers.Builder, data: Array | None) -> int:
    if data is None:
        return _table(b, "Buffer")
    held = _packed(data) if data.dtype == ml_dtypes.int4 else np.asarray(data, order="C")
    return _table(b, "Buffer", Data=_vector(b, np.frombuffer(held.tobytes(), np.uint8)))


def _packed(data: Array) -> Array:
    """Two integers of 4 bits in each byte, the first in the low half."""
    low, high = (np.resize(data.astype(np.uint8) & 15, -(-data.size // 2) * 2)[start::2] for start in (0, 1))
    return low | high << 4


def _tensor(b: flatbuffers.Builder, name: str, tensor: Tensor, buffer: int, signature: tuple[int, ...] | None) -> int:
    label, sizes, fields = b.CreateString(name), _integers(b, tensor.shape), dict[str, Any]()
    if signature is not None:
        fields["ShapeSignature"] = _integers(b, signature)
    if tensor.scales:
        scales = _vector(b, np.array(tensor.scales, np.float32))
        points = _vector(b, np.full(len(tensor.scales), tensor.zero_point, np.int64))
        details: dict[str, Any] = {}
        if tensor.details:
            details = {"DetailsType": tensor.details, "Details": _table(b, "CustomQuantization")}
        fields["Quantization"] = _table(
            b, "QuantizationParameters", Scale=scales, ZeroPoint=points, QuantizedDimension=tensor.dimension, **details
        )
    kind = getattr(tflite.TensorType, tensor.kind)
    return _table(b, "Tensor", Shape=sizes, Type=kind, Buffer=buffer, Name=label, HasRank=True, **fields)


def _operator(b: flatbuffers.Builder, node: Node, graph: Graph, code: int) -> int:
    held = {name: _held(b, value) for name, value in node.fields.items()}
    more = dict[str, Any]()
    if node.options:
        suffix, kinds = ("2", tflite.BuiltinOptions2) if node.options in _NEWER else ("", tflite.BuiltinOptions)
        more[f"BuiltinOptions{suffix}"] = _table(b, node.options, **held)
        more[f"BuiltinOptions{suffix}Type"] = getattr(kinds, node.options)
    taken, made = (_integers(b, [graph.index(name) for name in names]) for names in (node.inputs, node.outputs))
    return _table(b, "Operator", OpcodeIndex=code, Inputs=taken, Outputs=made, **more)


_NEWER = ("StableHLOCompositeOptions",)
"""Options of the schema's second union."""


def _held(b: flatbuffers.Builder, value: Any) -> Any:
    if isinstance(value, str):
        return b.CreateString(value)
    if isinstance(value, bytes):
        return _vector(b, np.frombuffer(value, np.uint8))
    return _integers(b, value) if isinstance(value, tuple) else value
