"""A TFLite graph before it is written: tensors, operators and their options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import tflite
from numpy.typing import NDArray
from xdsl.ir import Attribute

from qconvert.ir import (
    Held,
    UniformQuantizedType,
    byte_pieces,
    element_type_of,
    is_float,
    packed_pieces,
    storage_element,
)
from qconvert.support.errors import ConversionError

Field: TypeAlias = bool | int | float | tuple[int, ...]


def tensor_type(element: Attribute) -> int:
    """Return the schema's TensorType of an element type; raises ConversionError where there is none."""
    row = element_type_of(storage_element(element))
    if row is None or row.tflite is None:
        raise ConversionError(f"TFLite has no tensors of {element}")
    return int(getattr(tflite.TensorType, row.tflite))


@dataclass(eq=False)
class Tensor:
    """A tensor of the graph: a constant where it has ``data``, a variable where an operator keeps it between runs.

    Its name is unique in the graph. ``scales`` are those of a bias of 64 bits, for which the IR has no quantized type.
    """

    name: str
    shape: tuple[int, ...]
    element: Attribute
    data: Held | None = None
    is_variable: bool = False
    scales: NDArray[np.float64] | None = None

    @property
    def quantization(self) -> UniformQuantizedType | None:
        """Return scales and zero points, None for a tensor that is not quantized."""
        return self.element if isinstance(self.element, UniformQuantizedType) else None

    @property
    def width(self) -> int:
        """Return the number of bits of an element of a quantized tensor, 32 for a float one."""
        return 32 if self.quantization is None else self.quantization.storage.width


@dataclass(frozen=True)
class Options:
    """An operator's table of options: its name in the schema, and its fields by their names there."""

    table: str
    fields: Mapping[str, Field] = field(default_factory=dict)

    @property
    def type(self) -> int:
        """Return the table's number in the union BuiltinOptions."""
        found: int = getattr(tflite.BuiltinOptions, self.table)
        return found


NO_OPTIONS = Options("NONE")


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator: its BuiltinOperator code and version, its tensors (None: an input that is absent), its options.

    ``intermediates`` are tensors without elements, which hold the types of values that the kernel computes inside.
    ``source`` is the node, or the place of the op in a text without names.
    ``follows_litert`` is True for an operator of a TFLite file, which is written as it was read.
    """

    code: int
    version: int
    inputs: Sequence[Tensor | None]
    outputs: Sequence[Tensor]
    options: Options = NO_OPTIONS
    node: str = ""
    intermediates: Sequence[Tensor] = ()
    follows_litert: bool = False
    source: str = ""

    @property
    def name(self) -> str:
        """Return the name of the operator in the schema."""
        found: str = _NAMES[self.code]
        return found

    @property
    def has_floats(self) -> bool:
        """Return True if one of the tensors has floats."""
        return any(is_float(tensor.element) for tensor in self.tensors)

    @property
    def tensors(self) -> list[Tensor]:
        """Return all tensors of the operator."""
        return [tensor for tensor in (*self.inputs, *self.intermediates, *self.outputs) if tensor is not None]


_NAMES = {code: name for name, code in vars(tflite.BuiltinOperator).items() if isinstance(code, int)}


class Graph(NamedTuple):
    """The main subgraph."""

    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    operators: Sequence[Operator]

    @property
    def tensors(self) -> list[Tensor]:
        """Return each tensor once: inputs, the operators' tensors in order, outputs."""
        listed = (tensor for op in self.operators for tensor in op.tensors)
        return list(dict.fromkeys((*self.inputs, *listed, *self.outputs)))


def live_operators(operators: Sequence[Operator], outputs: Sequence[Tensor]) -> list[Operator]:
    """Return the operators that the outputs depend on, in order."""
    needed, kept = set(outputs), list[Operator]()
    for operator in reversed(operators):
        if needed.intersection(operator.outputs):
            kept.append(operator)
            needed.update(tensor for tensor in operator.inputs if tensor is not None)
    return kept[::-1]


def stored_size(tensor: Tensor) -> int:
    """Return the number of bytes of a constant in the file."""
    assert tensor.data is not None
    if tensor_type(tensor.element) == tflite.TensorType.INT4:
        return -(-tensor.data.size // 2)
    return tensor.data.nbytes


def stored_pieces(tensor: Tensor) -> Iterator[memoryview]:
    """Return a constant's bytes in row-major, little-endian order; two integers of 4 bits share a byte."""
    assert tensor.data is not None
    is_packed = tensor_type(tensor.element) == tflite.TensorType.INT4
    return packed_pieces(tensor.data, 4) if is_packed else byte_pieces(tensor.data)
