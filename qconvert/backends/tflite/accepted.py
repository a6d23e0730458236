"""The element types, dimensions and numbers that LiteRT's kernels accept.

Measured with LiteRT 2.3.0: one operator a file on its reference kernels, its optimized kernels and XNNPACK. A type
stands here if one of them computes it rightly and no other does wrongly. On other types the kernels return errors,
wrong numbers, or end the process, as ADD of int8 without scales does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from tflite import BuiltinOperator as Code
from tflite import TensorType as Type
from xdsl.dialects.builtin import IntegerType

from qconvert.backends.tflite.factors import check_factor
from qconvert.backends.tflite.graph import Graph, Operator, Options, Tensor, tensor_type
from qconvert.support.errors import ConversionError

_Types = frozenset[int]


def _types(*types: int) -> _Types:
    return frozenset(types)


_FLOATS = _types(Type.FLOAT16, Type.FLOAT32)
_QUANTIZED = _types(Type.INT8, Type.UINT8, Type.INT16)
_TRUTHS = _types(Type.BOOL)
_COUNTED = _types(Type.INT32, Type.INT64) | _FLOATS
_COMPARED = _QUANTIZED | _COUNTED
_MOVED = _TRUTHS | _COMPARED
_WIDE = _types(Type.UINT16, Type.UINT32)
_BYTES = _MOVED | _WIDE | _types(Type.UINT64, Type.FLOAT64)
_CAST = _MOVED | _WIDE | _types(Type.FLOAT64, Type.BFLOAT16)
_RANK = 8
"""The dimensions that operators broadcast over."""


class Accepted(NamedTuple):
    """The types that a kernel takes: of plain tensors, of their results where they differ, of quantized tensors.

    ``operand`` is the input whose type chooses the kernel. ``rank`` is the largest number of dimensions. Operand and
    result have one scale each unless the kernel ``takes_channels``, and no zero point in 16 bits if it ``is_centred``.
    """

    plain: _Types = _FLOATS
    results: _Types | None = None
    quantized: _Types = _QUANTIZED
    operand: int = 0
    rank: int = _RANK
    takes_channels: bool = False
    is_centred: bool = False


_LOGIC = Accepted(_TRUTHS)
_ORDER = Accepted(_COUNTED | _types(Type.INT16), _TRUTHS)
_REDUCED = Accepted(_COMPARED, rank=6)
_PADDED = Accepted(_MOVED, rank=5)
_POSITIONS = Accepted(_types(Type.BOOL, Type.INT8, Type.UINT8, Type.INT32, Type.FLOAT32), _types(Type.INT32))
_CONTRACTED = Accepted(_types(Type.FLOAT32), is_centred=True)
_CAST_OF_4_BITS = Accepted(_types(Type.INT4, Type.FLOAT32), quantized=_types())
_COPIED = Accepted(_BYTES, quantized=_BYTES)

_ACCEPTED: dict[int, Accepted] = {
    Code.ABS: Accepted(_FLOATS | _types(Type.INT16, Type.INT32)),
    Code.ADD: Accepted(_COUNTED | _types(Type.INT16)),
    Code.ARG_MAX: _POSITIONS,
    Code.ARG_MIN: _POSITIONS,
    Code.BATCH_MATMUL: Accepted(_FLOATS | _types(Type.INT8), _FLOATS | _types(Type.INT32), rank=5, is_centred=True),
    Code.BROADCAST_TO: _COPIED,
    Code.CAST: Accepted(_CAST, quantized=_CAST),
    Code.CONCATENATION: Accepted(_MOVED | _types(Type.UINT32), rank=6),
    Code.CONV_2D: _CONTRACTED,
    Code.DEPTHWISE_CONV_2D: _CONTRACTED,
    Code.DEQUANTIZE: Accepted(
        _types(Type.FLOAT16),
        _types(Type.FLOAT32),
        _QUANTIZED | _types(Type.INT4),
        takes_channels=True,
    ),
    Code.DIV: Accepted(_FLOATS | _types(Type.INT32)),
    Code.EQUAL: Accepted(_ORDER.plain | _TRUTHS, _TRUTHS),
    Code.FULLY_CONNECTED: _CONTRACTED,
    Code.GATHER: Accepted(_MOVED),
    Code.GREATER: _ORDER,
    Code.GREATER_EQUAL: _ORDER,
    Code.L2_NORMALIZATION: Accepted(_types(Type.FLOAT32)),
    Code.LESS: _ORDER,
    Code.LESS_EQUAL: _ORDER,
    Code.LOGICAL_AND: _LOGIC,
    Code.LOGICAL_NOT: _LOGIC,
    Code.LOGICAL_OR: _LOGIC,
    Code.LOG_SOFTMAX: Accepted(_types(Type.FLOAT32)),
    Code.MAXIMUM: Accepted(_COMPARED),
    Code.MAX_POOL_2D: Accepted(_QUANTIZED | _types(Type.FLOAT32)),
    Code.MEAN: Accepted(rank=6),
    Code.MINIMUM: Accepted(_COMPARED),
    Code.MUL: Accepted(_COUNTED | _types(Type.INT16, Type.UINT32)),
    Code.NEG: Accepted(_COUNTED | _types(Type.INT8, Type.INT16)),
    Code.NOT_EQUAL: Accepted(_COUNTED | _TRUTHS, _TRUTHS),
    Code.PAD: _PADDED,
    Code.PADV2: _PADDED,
    Code.POW: Accepted(_types(Type.INT32, Type.FLOAT32)),
    Code.PRELU: Accepted(_types(Type.FLOAT32)),
    Code.QUANTIZE: Accepted(
        _types(Type.FLOAT32), _types(), _QUANTIZED | _types(Type.INT4, Type.INT32), takes_channels=True
    ),
    Code.REDUCE_MAX: _REDUCED,
    Code.REDUCE_MIN: _REDUCED,
    Code.RESHAPE: Accepted(_BYTES | _types(Type.BFLOAT16), quantized=_BYTES, takes_channels=True),
    Code.RESIZE_BILINEAR: Accepted(_types(Type.FLOAT32)),
    Code.RESIZE_NEAREST_NEIGHBOR: Accepted((_MOVED | _WIDE) - _types(Type.INT64)),
    Code.REVERSE_V2: Accepted(_MOVED),
    Code.SELECT_V2: Accepted(_BYTES, quantized=_BYTES, operand=1),
    Code.SIGN: Accepted(_types(Type.INT32, Type.FLOAT32, Type.FLOAT64)),
    Code.SLICE: _COPIED,
    Code.SQUARED_DIFFERENCE: Accepted(_FLOATS | _types(Type.INT32)),
    Code.STRIDED_SLICE: _COPIED,
    Code.SUB: Accepted(_COUNTED),
    Code.SUM: Accepted(_COUNTED, rank=6),
    Code.TRANSPOSE: Accepted(_BYTES | _types(Type.BFLOAT16), quantized=_BYTES),
    Code.TRANSPOSE_CONV: Accepted(_types(Type.FLOAT32), operand=2, is_centred=True),
    Code.UNIDIRECTIONAL_SEQUENCE_LSTM: Accepted(_types(Type.FLOAT32)),
}
"""By operator; the operators that are not listed take floats and quantized integers of 8 and 16 bits."""


def check_accepted(graph: Graph) -> None:
    """Raise ConversionError naming an operator with types, sizes, scales or options that LiteRT has no kernel for."""
    for operator in graph.operators:
        name = operator.name
        try:
            _check_operator(name, operator)
        except ConversionError as error:
            raise error.located(node=operator.node or operator.outputs[0].name, op=name) from error
    for tensor in graph.tensors:
        check_integers(tensor.shape, "size")
        _check_scales(tensor)


def _check_operator(name: str, operator: Operator) -> None:
    accepted = _accepted(operator)
    operand = operator.inputs[accepted.operand]
    assert operand is not None
    _check_type(name, operand, accepted.plain, accepted)
    for output in operator.outputs:
        _check_type(name, output, accepted.plain if accepted.results is None else accepted.results, accepted)
    for tensor in operator.tensors:
        _check_scales(tensor)
    for part in (*operator.inputs, *operator.outputs):
        if part is not None:
            _check_sizes(name, part, accepted.rank)
    check_factor(operator)
    _check_options(operator.options)


def _accepted(operator: Operator) -> Accepted:
    if operator.code == Code.CAST and any(tensor_type(tensor.element) == Type.INT4 for tensor in operator.tensors):
        return _CAST_OF_4_BITS
    return _ACCEPTED.get(operator.code, Accepted())


def _check_type(name: str, tensor: Tensor, plain: _Types, accepted: Accepted) -> None:
    element = tensor.quantization
    is_known = tensor_type(tensor.element) in (plain if element is None else accepted.quantized)
    if not is_known and isinstance(tensor.element, IntegerType):
        raise ConversionError(
            f"LiteRT has no {name} of {tensor.element} without a scale", hint="Quantize the model statically"
        )
    if not is_known:
        raise ConversionError(
            f"LiteRT has no {name} of {tensor.element}", hint="Compute it in floats of 32 bits, or quantize it to int8"
        )
    if element is not None and element.is_sub_channel:
        raise ConversionError(
            f"TFLite has no tensors with scales for blocks, found {element.storage} in blocks",
            hint="Quantize activations by one scale a tensor",
        )
    if element is not None and element.is_per_axis and not accepted.takes_channels:
        raise ConversionError(
            f"LiteRT's {name} takes values of one scale, found {tensor.element}",
            hint="Quantize activations by one scale a tensor",
        )
    if accepted.is_centred and element is not None and tensor.width == 16 and np.any(element.zero_points):
        raise ConversionError(
            f"LiteRT's {name} takes 16-bit integers without a zero point, found {tensor.element}",
            hint="Quantize the model's 16-bit values symmetrically",
        )


def _check_sizes(name: str, tensor: Tensor, rank: int) -> None:
    if len(tensor.shape) > rank:
        raise ConversionError(
            f"LiteRT's {name} takes tensors of at most {rank} dimensions, found {list(tensor.shape)}",
            hint="Merge dimensions by reshapes in the model",
        )
    if tensor.data is None and not tensor.is_variable and 0 in tensor.shape:
        raise ConversionError(
            f"LiteRT's {name} takes tensors with elements, found {list(tensor.shape)}",
            hint="Remove what computes nothing from the model",
        )


_LEAST, _LARGEST = (float(limit) for limit in (np.finfo(np.float32).tiny, np.finfo(np.float32).max))


def _check_scales(tensor: Tensor) -> None:
    """Raise ConversionError for a scale that is no normal float32, as the product of two scales may be."""
    scales = tensor.scales if tensor.quantization is None else tensor.quantization.scales
    if scales is not None and not np.all((scales >= _LEAST) & (scales <= _LARGEST)):
        raise ConversionError(
            f"the scales of '{tensor.name}' are {np.min(scales):g} to {np.max(scales):g}, which float32 does not hold",
            hint="Quantize the model with larger ranges, or with smaller ones",
        )


_INT32 = np.iinfo(np.int32)


def _check_options(options: Options) -> None:
    for key, value in options.fields.items():
        for number in value if isinstance(value, tuple) else (value,):
            low, high = (-_LARGEST, _LARGEST) if isinstance(number, float) else (_INT32.min, _INT32.max)
            if not low <= number <= high:
                raise ConversionError(f"{key} is {number:g}, which TFLite's fields of 32 bits do not hold")


def check_integers(values: Iterable[int], role: str) -> None:
    """Raise ConversionError for sizes or positions that do not fit into 32 bits."""
    for value in values:
        if not _INT32.min <= value <= _INT32.max:
            raise ConversionError(f"a {role} is {value}, which TFLite's integers of 32 bits do not hold")
