"""One-operator .tflite files, made with the format's own bindings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
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

    @property
    def scales(self) -> list[float]:
        """The scales, none for a plain tensor."""
        given = [self.scale] if isinstance(self.scale, float | int) else list(self.scale)
        return [scale for scale in given if scale]


def constant(array: Any, kind: str = "INT32", scale: float | Sequence[float] = 0.0, **options: int) -> Tensor:
    """A tensor with data."""
    held = np.asarray(array, np.dtype(kind.lower()))
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


def one_op(
    op: str,
    inputs: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    options: str = "",
    fields: Mapping[str, Any] | None = None,
    version: int = 2,
) -> bytes:
    """A .tflite file with one operator; inputs are named in0, in1, ..., outputs out0, ..."""
    b = flatbuffers.Builder(1 << 12)
    given = [(f"in{i}", tensor) for i, tensor in enumerate(inputs) if tensor is not None]
    listed = [*given, *((f"out{i}", tensor) for i, tensor in enumerate(outputs))]
    indices = {name: i for i, (name, _) in enumerate(listed)}
    buffers = [_buffer(b, None), *(_buffer(b, tensor.data) for _, tensor in listed)]
    tensors = [_tensor(b, name, tensor, i + 1) for i, (name, tensor) in enumerate(listed)]
    taken = [indices.get(f"in{i}", -1) for i in range(len(inputs))]
    made = [indices[f"out{i}"] for i in range(len(outputs))]
    operator = _operator(b, taken, made, options, fields or {})
    fed = [indices[name] for name, tensor in given if tensor.data is None]
    graph = _table(
        b,
        "SubGraph",
        Tensors=_offsets(b, "SubGraph", "Tensors", tensors),
        Inputs=_integers(b, fed),
        Outputs=_integers(b, made),
        Operators=_offsets(b, "SubGraph", "Operators", [operator]),
    )
    number = getattr(tflite.BuiltinOperator, op)
    code = _table(b, "OperatorCode", DeprecatedBuiltinCode=min(number, 127), BuiltinCode=number, Version=version)
    model = _table(
        b,
        "Model",
        Version=3,
        OperatorCodes=_offsets(b, "Model", "OperatorCodes", [code]),
        Subgraphs=_offsets(b, "Model", "Subgraphs", [graph]),
        Buffers=_offsets(b, "Model", "Buffers", buffers),
    )
    b.Finish(model, b"TFL3")
    return bytes(b.Output())


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
    return _table(b, "Buffer", Data=_vector(b, np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)))


def _tensor(b: flatbuffers.Builder, name: str, tensor: Tensor, buffer: int) -> int:
    label, sizes, fields = b.CreateString(name), _integers(b, tensor.shape), dict[str, Any]()
    if tensor.scales:
        scales = _vector(b, np.array(tensor.scales, np.float32))
        points = _vector(b, np.full(len(tensor.scales), tensor.zero_point, np.int64))
        fields["Quantization"] = _table(
            b, "QuantizationParameters", Scale=scales, ZeroPoint=points, QuantizedDimension=tensor.dimension
        )
    kind = getattr(tflite.TensorType, tensor.kind)
    return _table(b, "Tensor", Shape=sizes, Type=kind, Buffer=buffer, Name=label, HasRank=True, **fields)


def _operator(
    b: flatbuffers.Builder, inputs: Sequence[int], outputs: Sequence[int], options: str, fields: Mapping[str, Any]
) -> int:
    held = {name: _integers(b, value) if isinstance(value, tuple) else value for name, value in fields.items()}
    more = dict[str, Any]()
    if options:
        more["BuiltinOptions"] = _table(b, options, **held)
        more["BuiltinOptionsType"] = getattr(tflite.BuiltinOptions, options)
    taken, made = _integers(b, inputs), _integers(b, outputs)
    return _table(b, "Operator", OpcodeIndex=0, Inputs=taken, Outputs=made, **more)
