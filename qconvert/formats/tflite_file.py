"""A .tflite file as the graph that the writer checks, and what LiteRT's kernels do not take of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tflite

from qconvert.backends.tflite.accepted import acceptance_errors
from qconvert.backends.tflite.graph import Field, Graph, Operator, Options, Tensor
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.tflite.context import element_of
from qconvert.frontends.tflite.model import TfliteGraph, TfliteOperator, TfliteTensor, decode_model
from qconvert.ir import UniformQuantizedType
from qconvert.litert.products import PRODUCTS
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError

_BIASED: dict[str, type[Any]] = {
    "Conv2DOptions": tflite.Conv2DOptions,
    "FullyConnectedOptions": tflite.FullyConnectedOptions,
    "TransposeConvOptions": tflite.TransposeConvOptions,
}
"""The tables of options that name the type of a bias."""


def file_errors(content: Content, dims: Dimensions) -> Iterator[ConversionError]:
    """Yield an error for each operator whose types, scales or dimensions LiteRT's kernels do not take.

    Operators that the writer does not emit are not in its tables, and are not judged. Raises ConversionError for a
    damaged file, as reading does.
    """
    model = decode_model(content, dims)
    for graph in (model.main, *model.subgraphs.values()):
        yield from acceptance_errors(_graph(graph))


def misread(content: Content, dims: Dimensions) -> Iterator[ConversionError]:
    """Yield the errors of operators with weights, which LiteRT runs with a kernel of other types."""
    names = {name for name, code in vars(tflite.BuiltinOperator).items() if code in PRODUCTS}
    return (error for error in file_errors(content, dims) if error.op in names)


def _graph(graph: TfliteGraph) -> Graph:
    tensors = [_tensor(tensor) for tensor in graph.tensors]
    operators = [_operator(operator, tensors) for operator in graph.operators]
    inputs, outputs = ([tensors[i] for i in ports if i >= 0] for ports in (graph.inputs, graph.outputs))
    return Graph(inputs, outputs, operators)


def _tensor(tensor: TfliteTensor) -> Tensor:
    element, given = element_of(tensor), tensor.quantization
    scales = None if given is None or isinstance(element, UniformQuantizedType) else given.scales.astype(float)
    made = Tensor(tensor.name, tensor.shape, element, is_variable=tensor.is_variable, scales=scales)
    made.data = tensor.held
    return made


def _operator(operator: TfliteOperator, tensors: list[Tensor]) -> Operator:
    code = getattr(tflite.BuiltinOperator, operator.op_type)
    inputs = [tensors[index] if index >= 0 else None for index in operator.inputs]
    outputs, intermediates = (
        [tensors[index] for index in places if index >= 0] for places in (operator.outputs, operator.intermediates)
    )
    return Operator(code, 1, inputs, outputs, _options(operator), operator.name, intermediates, follows_litert=True)


def _options(operator: TfliteOperator) -> Options:
    fields: dict[str, Field] = {}
    kind = _BIASED.get(operator.options_kind)
    options = None if kind is None else operator.options(kind)
    if options is not None:
        fields["QuantizedBiasType"] = int(options.QuantizedBiasType())
    return Options(operator.options_kind, fields)
