"""Decoding of a .tflite file to plain data; every index and size is checked against the file.

Source: TensorFlow Lite's schema (schema.fbs), version 3.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import tflite
from flatbuffers.number_types import Int32Flags
from flatbuffers.table import Table
from numpy.typing import NDArray

from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.tflite.large_buffers import table_bytes
from qconvert.frontends.tflite.ranges import range_of
from qconvert.frontends.tflite.sizes import InputSizes
from qconvert.ir import ELEMENT_TYPES, Held, Recent, StoredArray, array_of, stored_elements
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError
from qconvert.support.limits import check_shape
from qconvert.support.names import unique_names

IDENTIFIER = b"TFL3"
Damage = (struct.error, IndexError, ValueError, TypeError, OverflowError, AttributeError)
"""The exceptions that reading a flatbuffer with wrong offsets raises."""

_DAMAGED = "the file is damaged: its tables point outside of it"
_RANK_LIMIT = 16
_DETAILS = "1: custom, 2: blocks of scales, 3: several axes"
_DATA = 4
"""The place of a buffer's data in its table's layout."""

_LEAST_FIELDS = 4
"""The bytes of a list of fields that has none: its own size and that of the table."""

_TINY = np.finfo(np.float32).tiny
Options = TypeVar("Options")

_DTYPES: dict[int, np.dtype[Any]] = {
    getattr(tflite.TensorType, row.tflite): row.dtype for row in ELEMENT_TYPES if row.tflite is not None
}

TENSOR_TYPES = {dtype: kind for kind, dtype in _DTYPES.items()}
"""The type of a tensor in the schema by its dtype."""


def _names(kind: type) -> dict[int, str]:
    return {value: name for name, value in vars(kind).items() if isinstance(value, int)}


OPERATOR_NAMES = _names(tflite.BuiltinOperator)
TYPE_NAMES = _names(tflite.TensorType)
OPTION_NAMES = _names(tflite.BuiltinOptions)


class Quantization(NamedTuple):
    """A tensor's scales and zero points: one, or one for each slice along ``dimension``."""

    scales: NDArray[np.float32]
    zero_points: NDArray[np.int64]
    dimension: int


@dataclass(frozen=True)
class TfliteTensor:
    """A tensor of the graph: its unique name, shape and type.

    ``data`` holds the bytes of a constant, else None. ``range`` is the stored range of a float tensor. ``recent`` keeps
    the constants of the file that were read last.
    """

    index: int
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    quantization: Quantization | None
    data: Content | None
    is_variable: bool
    range: tuple[float, float] | None
    recent: Recent

    @cached_property
    def held(self) -> Held | None:
        """A constant's elements, in memory or not; raises ConversionError if its bytes do not fit its shape."""
        if self.data is None:
            return None
        stored = StoredArray(self.data, self.dtype, self.shape)
        if self.data.size != stored.byte_count:
            raise ConversionError(
                f"tensor '{self.name}' of shape {list(self.shape)} and type {self.dtype} has {self.data.size} bytes"
            )
        return stored_elements(stored, self.recent)

    @property
    def array(self) -> NDArray[Any] | None:
        """A constant's elements, read-only; raises errors as :attr:`held` does."""
        return None if self.held is None else array_of(self.held)


class TfliteOperator(NamedTuple):
    """An operator: its node name, schema name, tensors by index (-1: absent), and options' table."""

    name: str
    op_type: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...]
    options_kind: str
    options_table: Table | None

    def options(self, kind: Callable[[], Options]) -> Options | None:
        """Return the options as a class of the bindings, None if the file has none.

        Raises ConversionError if the file has options of another kind.
        """
        if self.options_table is None:
            return None
        needed = getattr(kind, "__name__", "")
        if self.options_kind != needed:
            raise ConversionError(f"options of kind {self.options_kind}, {needed} is needed", hint=_DAMAGED)
        reader: Any = kind()
        reader.Init(self.options_table.Bytes, self.options_table.Pos)
        found_options: Options = reader
        return found_options


class TfliteGraph(NamedTuple):
    """A subgraph: tensors by index, operators in order, the indices of inputs and outputs."""

    tensors: tuple[TfliteTensor, ...]
    operators: tuple[TfliteOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class TfliteModel:
    """A model's main subgraph, and by index the subgraphs that its operators call.

    ``is_resized`` is True if an input has another shape than in the file; then the file's other shapes do not hold.
    """

    main: TfliteGraph
    subgraphs: Mapping[int, TfliteGraph]
    is_resized: bool


def decode_model(content: Content, dims: Dimensions) -> TfliteModel:
    """Read a file's tables. Unknown sizes come from ``dims``, by the input's ``NAME`` or ``NAME.AXIS``, else are 1.

    Raises ConversionError if the bytes are not a model, are damaged, or use an unsupported feature.
    """
    try:
        return _decode(_File(content, table_bytes(content), Recent()), dims)
    except Damage as error:
        raise ConversionError(_DAMAGED, hint="Convert or download the model again") from error


class _File(NamedTuple):
    """A file: its content, the bytes of its tables, and the constants that were read last."""

    content: Content
    tables: memoryview
    recent: Recent


def _decode(file: _File, dims: Dimensions) -> TfliteModel:
    data = file.tables
    if data[4:8] != IDENTIFIER:
        raise ConversionError("this is not a .tflite model: its identifier is missing")
    model = tflite.Model.GetRootAs(data)
    if not model.SubgraphsLength():
        raise ConversionError("the model has no subgraph")
    _check_signatures(model, data)
    sizes = InputSizes(dims)
    main = _graph(model, 0, file, sizes)
    dims.refuse_unknown()
    found, pending = dict[int, TfliteGraph](), _callees(main)
    while pending:
        index = pending.pop()
        if index not in found:
            found[index] = _graph(model, index, file, InputSizes(Dimensions(), is_main=False))
            pending += _callees(found[index])
    return TfliteModel(main, found, sizes.is_resized)


def _check_signatures(model: Any, data: memoryview) -> None:
    """Raise ConversionError if a signature names another subgraph than the first."""
    signatures = _tables(model.SignatureDefs, model.SignatureDefsLength(), data)
    if any(signature.SubgraphIndex() for signature in signatures):
        names = ", ".join(f"'{_text(signature.SignatureKey())}'" for signature in signatures)
        raise ConversionError(
            f"the model has the signatures {names}, only that of the first subgraph can be converted",
            hint="Export one signature at a time",
        )


_CALLS = {
    "CALL": (tflite.CallOptions, ("Subgraph",)),
    "IF": (tflite.IfOptions, ("ThenSubgraphIndex", "ElseSubgraphIndex")),
    "STABLEHLO_COMPOSITE": (tflite.StableHLOCompositeOptions, ("DecompositionSubgraphIndex",)),
}
"""Operators that run subgraphs: their options and the fields with the subgraphs' indices."""


def callees(operator: TfliteOperator) -> tuple[int, ...]:
    """Return the subgraphs that an operator runs or chooses between; raises ConversionError without options."""
    if operator.op_type not in _CALLS:
        return ()
    kind, fields = _CALLS[operator.op_type]
    options = operator.options(kind)
    if options is None:
        raise ConversionError("its options name no subgraph to run", node=operator.name, op=operator.op_type)
    return tuple(int(getattr(options, field)()) for field in fields)


def _callees(graph: TfliteGraph) -> list[int]:
    return [index for operator in graph.operators for index in callees(operator)]


def _graph(model: Any, index: int, file: _File, sizes: InputSizes) -> TfliteGraph:
    data = file.tables
    if not 0 <= index < model.SubgraphsLength():
        raise IndexError(index)
    graph = model.Subgraphs(index)
    _check_fields(graph._tab)
    tables = _tables(graph.Tensors, graph.TensorsLength(), data)
    names = unique_names([_text(table.Name()) for table in tables])
    inputs = _indices(graph.InputsAsNumpy(), len(names))
    sizes.inputs.update((index, names[index]) for index in inputs)
    buffers = _tables(model.Buffers, model.BuffersLength(), data)
    tensors = tuple(_tensor(buffers, table, (i, names[i]), file, sizes) for i, table in enumerate(tables))
    codes = _tables(model.OperatorCodes, model.OperatorCodesLength(), data)
    operators = tuple(_operator(codes, x, names) for x in _tables(graph.Operators, graph.OperatorsLength(), data))
    return TfliteGraph(tensors, operators, inputs, _indices(graph.OutputsAsNumpy(), len(names)))


def _tables(get: Callable[[int], Any], count: int, data: memoryview) -> list[Any]:
    """Return the tables of a vector; raises IndexError for more than a file of this size holds, and outside of it."""
    if count > len(data):
        raise IndexError(count)
    tables = [get(i) for i in range(count)]
    for table in tables:
        _check_fields(table._tab)
    return tables


def _text(name: bytes | None) -> str:
    return (name or b"").decode("utf-8", "replace")


def _numbers(found: Any) -> list[int]:
    """Return a vector's integers; the bindings return 0 for an absent vector."""
    return [] if isinstance(found, int) else found.tolist()


def _indices(found: Any, count: int) -> tuple[int, ...]:
    """Return tensor indices, -1 for an absent tensor; raises IndexError outside the graph."""
    values = tuple(_numbers(found))
    if any(not -1 <= value < count for value in values):
        raise IndexError(values)
    return values


def _tensor(buffers: Sequence[Any], table: Any, known: tuple[int, str], file: _File, sizes: InputSizes) -> TfliteTensor:
    index, name = known
    if table.ShapeLength() > _RANK_LIMIT:
        raise ConversionError(f"tensor '{name}' has {table.ShapeLength()} dimensions, the limit is {_RANK_LIMIT}")
    shape = sizes.of(index, _numbers(table.ShapeAsNumpy()), _numbers(table.ShapeSignatureAsNumpy()))
    check_shape(shape)
    dtype = _DTYPES.get(table.Type())
    if dtype is None:
        type_name = TYPE_NAMES.get(table.Type(), str(table.Type()))
        hint = "Freeze its variables into constants" if table.Type() == tflite.TensorType.RESOURCE else ""
        raise ConversionError(f"tensor '{name}' has elements of type {type_name}, which are not supported", hint=hint)
    if table.Sparsity() is not None:
        raise ConversionError(f"tensor '{name}' is sparse", hint="Convert the model without sparsity")
    quantization, content = _quantization(table, name, shape), _bytes(buffers, table, file)
    about = (table.IsVariable(), range_of(table, dtype), file.recent)
    return TfliteTensor(index, name, shape, dtype, quantization, content, *about)


def _bytes(buffers: Sequence[Any], table: Any, file: _File) -> Content | None:
    """Return a constant's bytes; None for an empty buffer, which every computed tensor has."""
    index = table.Buffer()
    if index == 0:
        return None
    buffer, content = buffers[index], file.content
    if length := buffer.DataLength():
        start, size = buffer._tab.Vector(buffer._tab.Offset(_DATA)), length
    elif buffer.Offset() > 1 and buffer.Size():  # files beyond 2 GB have their constants after the tables
        start, size = buffer.Offset(), buffer.Size()
    else:
        return None
    if start + size > content.size:
        raise IndexError(start)
    return content.part(start, start + size)


def _quantization(table: Any, name: str, shape: tuple[int, ...]) -> Quantization | None:
    """Return scales and zero points; raises ConversionError if they are not valid."""
    stored = table.Quantization()
    if stored is not None and stored.DetailsType() != tflite.QuantizationDetails.NONE:
        raise ConversionError(
            f"tensor '{name}' has quantization details of kind {stored.DetailsType()} ({_DETAILS})",
            hint="They are not supported: quantize it by tensor or by channel",
        )
    if stored is None:
        return None
    _check_fields(stored._tab)
    if not stored.ScaleLength():
        return None
    scales = np.array(stored.ScaleAsNumpy(), np.float32)
    points = (
        np.zeros(scales.size, np.int64) if stored.ZeroPointIsNone() else np.array(stored.ZeroPointAsNumpy(), np.int64)
    )
    if points.size == 1:
        points = np.repeat(points, scales.size)
    dimension = stored.QuantizedDimension()
    if scales.size > 1 and len(shape) == 1:
        dimension = 0  # a bias is stored with the dimension of its weights
    if scales.size != points.size or (scales.size > 1 and not 0 <= dimension < len(shape)):
        raise ConversionError(
            f"tensor '{name}' has {scales.size} scales and {points.size} zero points along dimension {dimension}"
        )
    if scales.size > 1 and shape[dimension] != scales.size:
        size = shape[dimension]
        raise ConversionError(f"tensor '{name}' has {scales.size} scales for dimension {dimension} of size {size}")
    fine = np.isfinite(scales) & (scales >= _TINY)
    if not fine.all():
        bad = scales[~fine][0]
        raise ConversionError(f"the scale of tensor '{name}' is {bad:g}", hint="A scale must be finite and above 1e-38")
    return Quantization(scales, points, dimension)


def _operator(codes: Sequence[Any], table: Any, names: Sequence[str]) -> TfliteOperator:
    code = codes[table.OpcodeIndex()]
    number = _builtin_code(code)
    listed = (table.InputsAsNumpy(), table.OutputsAsNumpy(), table.IntermediatesAsNumpy())
    inputs, outputs, intermediates = (_indices(found, len(names)) for found in listed)
    name = names[outputs[0]] if outputs and outputs[0] >= 0 else OPERATOR_NAMES.get(number, str(number))
    if number == tflite.BuiltinOperator.CUSTOM:
        custom = _text(code.CustomCode())
        raise ConversionError(
            f"the custom operator '{custom}' is not supported",
            node=name,
            op="CUSTOM",
            hint="Convert the model with builtin operators only",
        )
    operator_name = OPERATOR_NAMES.get(number, str(number))
    return TfliteOperator(name, operator_name, inputs, outputs, intermediates, *_options(table))


def _builtin_code(code: Any) -> int:
    """Return an operator's number: the larger of its two fields, as TFLite does and the bindings do not."""
    offset = code._tab.Offset(10)
    number = code._tab.Get(Int32Flags, code._tab.Pos + offset) if offset else 0
    return int(max(number, code.DeprecatedBuiltinCode()))


def _options(table: Any) -> tuple[str, Table | None]:
    """Return the kind and the table of an operator's options, from either union of the schema."""
    kind, options, names = table.BuiltinOptionsType(), table.BuiltinOptions(), OPTION_NAMES
    if options is None and (options := table.BuiltinOptions2()) is not None:
        kind, names = table.BuiltinOptions2Type(), _names(tflite.BuiltinOptions2)
    if options is not None:
        _check_fields(options)
    return names.get(kind, str(kind)), options


def _check_fields(table: Table) -> None:
    """Raise IndexError if the list of a table's fields is no list, or lies outside the file; options are read later."""
    (distance,) = struct.unpack_from("<i", table.Bytes, table.Pos)
    start = table.Pos - distance
    if start < 0:
        raise IndexError(start)
    (size,) = struct.unpack_from("<H", table.Bytes, start)
    if size < _LEAST_FIELDS or start + size > len(table.Bytes):
        raise IndexError(start + size)
