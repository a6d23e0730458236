"""A graph as the bytes of a .tflite file, by the bindings of the schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import flatbuffers
import numpy as np
import tflite
from numpy.typing import ArrayLike, NDArray

from qconvert.backends.flatbuffer import LARGEST, Behind, finished, number_vector, offset_vector
from qconvert.backends.tflite.graph import (
    Field,
    Graph,
    Operator,
    Options,
    Tensor,
    stored_pieces,
    stored_size,
    tensor_type,
)
from qconvert.ir import repeats
from qconvert.support.file_parts import FileParts, Part
from qconvert.support.limits import WrittenOut

_IDENTIFIER = b"TFL3"
_SCHEMA_VERSION = 3
_ALIGNMENT = 16
"""``force_align`` of a buffer's data in the schema, which neither the bindings nor the object API applies."""
_TABLE_BYTES = 512
"""Initial bytes for the tables of one tensor or operator."""
_SCALE_BYTES = 12
"""Bytes of a scale and its zero point."""
_LAST_CODE_OF_ONE_BYTE = 127
"""``deprecated_builtin_code`` has one byte; readers take the larger one of it and ``builtin_code``."""

SIGNATURE = "serving_default"
"""The key of the model's signature, by which users call it."""


def model_parts(graph: Graph) -> FileParts:
    """Return the file of a graph, whose constants stand behind the tables and are made when they are written.

    A vector may stand anywhere behind the offset that leads to it. In a file of more than LARGEST bytes constants are
    no vectors: their buffers have the fields ``offset`` and ``size`` of the schema's version 3c. Raises ConversionError
    naming an operator that reads them if broadcast constants are beyond the budget.
    """
    tensors = graph.tensors
    constants = [tensor for tensor in tensors if tensor.data is not None]
    room = _TABLE_BYTES * (len(tensors) + len(graph.operators) + 8)
    room += _SCALE_BYTES * sum(scales.size for tensor in tensors if (scales := _scales(tensor)) is not None)
    sizes = [stored_size(tensor) for tensor in constants]
    written = WrittenOut()
    for tensor, size in zip(constants, sizes, strict=True):
        if tensor.data is not None and repeats(tensor.data):
            reader = next(operator for operator in graph.operators if any(tensor is each for each in operator.inputs))
            written.add(size, op=reader.name, node=reader.node)
    is_inside = room + sum(size + 2 * _ALIGNMENT for size in sizes) <= LARGEST
    tables = _tables(graph, tensors, constants, room, is_inside=is_inside)
    behind, model = Behind(tables, _ALIGNMENT), tflite.Model.GetRootAs(tables, 0)
    for i, (tensor, size) in enumerate(zip(constants, sizes, strict=True), 1):
        fields = _fields(model.Buffers(i))
        start = behind.add(size, _made(tensor), fields[0] if is_inside else None)
        if not is_inside:
            np.frombuffer(tables, _FIELD, 1, fields[1])[0] = start
            np.frombuffer(tables, _FIELD, 1, fields[2])[0] = size
    return behind.file


_FIELD = np.dtype("<u8")


def _made(tensor: Tensor) -> Part:
    return lambda: stored_pieces(tensor)


def _fields(buffer: tflite.Buffer) -> list[int]:
    """Return the places in the tables of a buffer's fields ``data``, ``offset`` and ``size``."""
    table = buffer._tab
    return [table.Pos + table.Offset(4 + 2 * slot) for slot in range(3)]


def _tables(
    graph: Graph, tensors: Sequence[Tensor], constants: Sequence[Tensor], room: int, *, is_inside: bool
) -> bytearray:
    """Return the flatbuffer without constants."""
    build = flatbuffers.Builder(room)
    buffers = [_buffer(build, None), *(_buffer(build, is_inside) for _ in constants)]
    of_buffer = {tensor: i + 1 for i, tensor in enumerate(constants)}
    of_tensor = {tensor: i for i, tensor in enumerate(tensors)}
    codes = list(dict.fromkeys((operator.code, operator.version) for operator in graph.operators))
    tables = (
        offset_vector(build, buffers),
        offset_vector(build, [_subgraph(build, graph, of_tensor, of_buffer, codes)]),
        offset_vector(build, [_operator_code(build, *code) for code in codes]),
        offset_vector(build, [_signature(build, graph, of_tensor)]),
        build.CreateString("qconvert"),
    )
    tflite.ModelStart(build)
    tflite.ModelAddVersion(build, _SCHEMA_VERSION)
    tflite.ModelAddBuffers(build, tables[0])
    tflite.ModelAddSubgraphs(build, tables[1])
    tflite.ModelAddOperatorCodes(build, tables[2])
    tflite.ModelAddSignatureDefs(build, tables[3])
    tflite.ModelAddDescription(build, tables[4])
    return finished(build, tflite.ModelEnd(build), _IDENTIFIER)


def _buffer(build: flatbuffers.Builder, is_inside: bool | None) -> int:
    """Write a buffer with fields for the place of its data, which follows; None for a buffer without data."""
    tflite.BufferStart(build)
    if is_inside:
        build.PrependUint32Slot(0, 1, 0)
    elif is_inside is not None:
        tflite.BufferAddOffset(build, 1)
        tflite.BufferAddSize(build, 1)
    return int(tflite.BufferEnd(build))


def _scales(tensor: Tensor) -> NDArray[np.float64] | None:
    return tensor.scales if tensor.quantization is None else tensor.quantization.scales


def _quantization(build: flatbuffers.Builder, tensor: Tensor) -> int | None:
    element, scales = tensor.quantization, _scales(tensor)
    zero_points: ArrayLike = 0 if element is None else element.zero_points
    if scales is None:
        return None
    vectors = (
        number_vector(build, scales, "float32"),
        number_vector(build, np.broadcast_to(zero_points, scales.shape), "int64"),
    )
    tflite.QuantizationParametersStart(build)
    tflite.QuantizationParametersAddScale(build, vectors[0])
    tflite.QuantizationParametersAddZeroPoint(build, vectors[1])
    dimension = None if element is None else element.quantization_dimension
    tflite.QuantizationParametersAddQuantizedDimension(build, dimension or 0)
    return int(tflite.QuantizationParametersEnd(build))


def _tensor(build: flatbuffers.Builder, tensor: Tensor, buffer: int) -> int:
    name, sizes = build.CreateString(tensor.name), number_vector(build, tensor.shape, "int32")
    quantization = _quantization(build, tensor)
    tflite.TensorStart(build)
    tflite.TensorAddName(build, name)
    tflite.TensorAddShape(build, sizes)
    tflite.TensorAddType(build, tensor_type(tensor.element))
    tflite.TensorAddBuffer(build, buffer)
    tflite.TensorAddHasRank(build, True)
    tflite.TensorAddIsVariable(build, tensor.is_variable)
    if quantization is not None:
        tflite.TensorAddQuantization(build, quantization)
    return int(tflite.TensorEnd(build))


def _options(build: flatbuffers.Builder, options: Options) -> int | None:
    """Write an operator's options, None where its code has no table."""
    if not options.type:
        return None
    values = {name: _field(build, value) for name, value in options.fields.items()}
    _schema(f"{options.table}Start")(build)
    for name, value in values.items():
        _schema(f"{options.table}Add{name}")(build, value)
    return int(_schema(f"{options.table}End")(build))


def _field(build: flatbuffers.Builder, value: Field) -> Field:
    """Return a field's value; a list is written first, and its offset is the value."""
    return number_vector(build, value, "int32") if isinstance(value, tuple) else value


def _schema(name: str) -> Callable[..., int]:
    """Return a function of the schema's bindings, which are named after tables and fields."""
    function: Callable[..., int] = getattr(tflite, name)
    return function


def _operator(
    build: flatbuffers.Builder,
    operator: Operator,
    codes: Sequence[tuple[int, int]],
    of_tensor: dict[Tensor, int],
) -> int:
    inputs = number_vector(build, [-1 if tensor is None else of_tensor[tensor] for tensor in operator.inputs], "int32")
    outputs = number_vector(build, [of_tensor[tensor] for tensor in operator.outputs], "int32")
    intermediates = number_vector(build, [of_tensor[tensor] for tensor in operator.intermediates], "int32")
    options = _options(build, operator.options)
    tflite.OperatorStart(build)
    tflite.OperatorAddOpcodeIndex(build, codes.index((operator.code, operator.version)))
    tflite.OperatorAddInputs(build, inputs)
    tflite.OperatorAddOutputs(build, outputs)
    if operator.intermediates:
        tflite.OperatorAddIntermediates(build, intermediates)
    if options is not None:
        tflite.OperatorAddBuiltinOptionsType(build, operator.options.type)
        tflite.OperatorAddBuiltinOptions(build, options)
    return int(tflite.OperatorEnd(build))


def _operator_code(build: flatbuffers.Builder, code: int, version: int) -> int:
    tflite.OperatorCodeStart(build)
    tflite.OperatorCodeAddDeprecatedBuiltinCode(build, min(code, _LAST_CODE_OF_ONE_BYTE))
    tflite.OperatorCodeAddBuiltinCode(build, code)
    tflite.OperatorCodeAddVersion(build, version)
    return int(tflite.OperatorCodeEnd(build))


def _subgraph(
    build: flatbuffers.Builder,
    graph: Graph,
    of_tensor: dict[Tensor, int],
    of_buffer: dict[Tensor, int],
    codes: Sequence[tuple[int, int]],
) -> int:
    parts = (
        offset_vector(build, [_tensor(build, tensor, of_buffer.get(tensor, 0)) for tensor in of_tensor]),
        number_vector(build, [of_tensor[tensor] for tensor in graph.inputs], "int32"),
        number_vector(build, [of_tensor[tensor] for tensor in graph.outputs], "int32"),
        offset_vector(build, [_operator(build, operator, codes, of_tensor) for operator in graph.operators]),
        build.CreateString("main"),
    )
    tflite.SubGraphStart(build)
    tflite.SubGraphAddTensors(build, parts[0])
    tflite.SubGraphAddInputs(build, parts[1])
    tflite.SubGraphAddOutputs(build, parts[2])
    tflite.SubGraphAddOperators(build, parts[3])
    tflite.SubGraphAddName(build, parts[4])
    return int(tflite.SubGraphEnd(build))


def _signature(build: flatbuffers.Builder, graph: Graph, of_tensor: dict[Tensor, int]) -> int:
    """Write the signature, which gives the inputs and outputs their names."""
    maps = [
        offset_vector(build, [_port(build, tensor, of_tensor[tensor]) for tensor in tensors])
        for tensors in (graph.inputs, graph.outputs)
    ]
    key = build.CreateString(SIGNATURE)
    tflite.SignatureDefStart(build)
    tflite.SignatureDefAddInputs(build, maps[0])
    tflite.SignatureDefAddOutputs(build, maps[1])
    tflite.SignatureDefAddSignatureKey(build, key)
    tflite.SignatureDefAddSubgraphIndex(build, 0)
    return int(tflite.SignatureDefEnd(build))


def _port(build: flatbuffers.Builder, tensor: Tensor, index: int) -> int:
    name = build.CreateString(tensor.name)
    tflite.TensorMapStart(build)
    tflite.TensorMapAddName(build, name)
    tflite.TensorMapAddTensorIndex(build, index)
    return int(tflite.TensorMapEnd(build))
