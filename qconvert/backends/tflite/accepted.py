"""The check of a graph before it is written: types, dimensions and numbers that LiteRT's kernels accept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from tflite import BuiltinOperator as Code
from tflite import TensorType as Type
from xdsl.dialects.builtin import IntegerType

from qconvert.backends.tflite.accepted_products import check_matrices, check_product
from qconvert.backends.tflite.factors import check_factor
from qconvert.backends.tflite.graph import Graph, Operator, Options, Tensor, tensor_type
from qconvert.backends.tflite.overflow import check_overflow
from qconvert.ir import described
from qconvert.litert.kernels import CAST_OF_4_BITS, FIXED, TAKEN, Accepted
from qconvert.litert.products import PRODUCTS
from qconvert.support.errors import ConversionError


def check_accepted(graph: Graph) -> None:
    """Raise ConversionError naming an operator with types, sizes, scales or options that LiteRT has no kernel for."""
    assert all(operator.code in PRODUCTS or operator.code in TAKEN for operator in graph.operators)
    for error in acceptance_errors(graph):
        raise error
    for tensor in graph.tensors:
        check_integers(tensor.shape, "size")
        _check_scales(tensor)


def acceptance_errors(graph: Graph) -> Iterator[ConversionError]:
    """Yield an error for each operator that LiteRT has no kernel for; operators that are not emitted are not judged."""
    for operator in graph.operators:
        if operator.code in PRODUCTS or operator.code in TAKEN:
            try:
                _check_operator(operator.name, operator)
            except ConversionError as error:
                yield error.located(node=operator.node or operator.outputs[0].name, op=operator.name)


def _check_operator(name: str, operator: Operator) -> None:
    for tensor in operator.tensors:
        _check_scales(tensor)
    accepted = _accepted(operator)
    for part in (*operator.inputs, *operator.outputs):
        if part is not None:
            _check_sizes(name, part, accepted.rank)
    if operator.code in PRODUCTS:
        check_product(operator)
    else:
        _check_types(name, operator, accepted)
    if operator.code == Code.BATCH_MATMUL:
        check_matrices(operator)
    check_factor(operator)
    check_overflow(operator)
    _check_options(operator.options)


def _accepted(operator: Operator) -> Accepted:
    if operator.code == Code.CAST and any(tensor_type(tensor.element) == Type.INT4 for tensor in operator.tensors):
        return CAST_OF_4_BITS
    return TAKEN.get(operator.code, _PRODUCT)


_PRODUCT = Accepted()
"""Only its rank is read for operators with weights."""


def _check_types(name: str, operator: Operator, accepted: Accepted) -> None:
    places = range(len(operator.inputs)) if accepted.operands is None else accepted.operands
    operands = [tensor for tensor in (operator.inputs[place] for place in places) if tensor is not None]
    results = accepted._replace(
        is_centred=accepted.is_centred and operands[0].width == 16,
        plain=accepted.plain if accepted.results is None else accepted.results,
        quantized=accepted.quantized if accepted.quantized_results is None else accepted.quantized_results,
    )
    for tensor in operands:
        _check_type(name, tensor, accepted)
    for tensor in operator.outputs:
        _check_type(name, tensor, results)
    _check_fixed(name, operator, operands[0])
    alike = operands if accepted.results is not None or accepted.converts else [*operands, *operator.outputs]
    _check_alike(name, alike, accepted._replace(moves=accepted.moves and not _takes_scales(operator)))


def _takes_scales(operator: Operator) -> bool:
    """Return True if operands and result may have one scale each: a kernel rescales, or RESHAPE copies for a reader."""
    if operator.code == Code.RESHAPE:
        return all(tensor.quantization is None or tensor.quantization.is_per_tensor for tensor in operator.tensors)
    is_unsigned: bool = tensor_type(operator.tensors[0].element) == Type.UINT8
    return operator.code == Code.CONCATENATION and is_unsigned


def _check_fixed(name: str, operator: Operator, operand: Tensor) -> None:
    """Raise ConversionError for a result with another scale than its kernel's."""
    for result in operator.outputs:
        element, fixed = result.quantization, FIXED.get(operator.code, {}).get(result.width)
        if element is None or fixed is None or operand.width != result.width:
            continue
        fixed = fixed if element.storage.signed else fixed.unsigned
        if (element.scale, element.zero_point) != (fixed.scale, fixed.zero_point):
            raise ConversionError(
                f"LiteRT's {name} returns {described(fixed)}, found {described(element)}", hint="Requantize the result"
            )


def _check_alike(name: str, tensors: Sequence[Tensor], accepted: Accepted) -> None:
    """Raise ConversionError for operands and results of several types, or scales where integers are moved."""
    first = tensors[0]
    for tensor in tensors[1:]:
        kinds = tensor_type(first.element), tensor_type(tensor.element)
        is_alike = kinds[0] == kinds[1] or kinds in accepted.mixed
        is_alike = is_alike and (tensor.quantization is None) == (first.quantization is None)
        if not is_alike or (accepted.moves and not _have_one_scale(first, tensor)):
            raise ConversionError(
                f"LiteRT's {name} takes values of one {'type and scale' if accepted.moves else 'type'}, found "
                f"{described(first.element)} and {described(tensor.element)}",
                hint="Requantize them to one type",
            )


def _have_one_scale(one: Tensor, other: Tensor) -> bool:
    """Return True for tensors of the same parameters, as float32 holds them, whichever their dimensions."""
    ours, theirs = one.quantization, other.quantization
    if ours is None or theirs is None:
        return True
    scales = np.array_equal(np.float32(ours.scales), np.float32(theirs.scales))
    return scales and np.array_equal(ours.zero_points, theirs.zero_points)


def _check_type(name: str, tensor: Tensor, accepted: Accepted) -> None:
    element = tensor.quantization
    is_known = tensor_type(tensor.element) in (accepted.plain if element is None else accepted.quantized)
    if not is_known and isinstance(tensor.element, IntegerType):
        raise ConversionError(
            f"LiteRT has no {name} of {tensor.element} without a scale", hint="Quantize the model statically"
        )
    if not is_known:
        raise ConversionError(
            f"LiteRT has no {name} of {described(tensor.element)}",
            hint="Compute it in floats of 32 bits, or quantize it to int8",
        )
    if element is None:
        return
    takes_channels = accepted.takes_channels and tensor.width in _WIDTHS_OF_CHANNELS.get(name, (tensor.width,))
    if element.is_per_axis and not takes_channels:
        raise ConversionError(
            f"LiteRT's {name} takes {element.storage} of one scale, found {described(element)}",
            hint="Quantize activations by one scale a tensor",
        )
    if accepted.is_centred and tensor.width == 16 and np.any(element.zero_points):
        raise ConversionError(
            f"LiteRT's {name} takes 16-bit integers without a zero point, found {described(element)}",
            hint="Quantize the model's 16-bit values symmetrically",
        )


_WIDTHS_OF_CHANNELS = {"DEQUANTIZE": (4, 8), "QUANTIZE": (8, 16)}
"""The widths of integers with scales along a dimension, where not all that the kernel takes."""


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
    """Raise ConversionError for scales of blocks, or one that is no normal float32, as a product of two may be."""
    if tensor.quantization is not None and tensor.quantization.is_sub_channel:
        raise ConversionError(
            f"TFLite has no tensors with scales for blocks, found {described(tensor.element)}",
            hint="Quantize activations by one scale a tensor",
        )
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
