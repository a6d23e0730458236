"""Movements of elements: the same movement of another operand."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import UniformQuantizedType, describe, element_type, quantized, tensor
from qconvert.support.errors import ConversionError


def moved_operand(op: Operation, value: SSAValue, others: Sequence[SSAValue] = ()) -> Operation:
    """Return the same movement of another operand, such as the integers behind a dequantize.

    Raises ConversionError if the movement mixes elements of different scales.
    """
    element = quantized(value)
    if element is not None and not element.is_per_tensor:
        _refuse_mixing(op, element)
    if isinstance(op, stablehlo.ReshapeOp):
        return stablehlo.ReshapeOp(value, tensor(op.result).get_shape())
    if isinstance(op, stablehlo.TransposeOp):
        return stablehlo.TransposeOp(value, stablehlo.permutation_of(op))
    result = tensor(op.results[0])
    return type(op).create(
        operands=[value, *others],
        result_types=[type(result)(element_type(value), result.get_shape())],
        properties=op.properties,
    )


def _refuse_mixing(op: Operation, element: UniformQuantizedType) -> None:
    axis = element.quantization_dimension
    if element.is_sub_channel and not isinstance(op, stablehlo.TransposeOp):
        raise ConversionError("blocks of scales do not survive a movement", node=describe(op), op=op.name)
    if isinstance(op, stablehlo.ReshapeOp | stablehlo.TransposeOp):
        return
    source, result = tensor(op.operands[0]).get_shape(), tensor(op.results[0]).get_shape()
    untouched = len(source) == len(result) and axis is not None and source[axis] == result[axis]
    if isinstance(op, stablehlo.ReverseOp):
        untouched = untouched and axis not in stablehlo.as_tuple(op.dimensions)
    if not untouched or not isinstance(op, stablehlo.ReverseOp | stablehlo.SliceOp):
        reason = f"it mixes the slices of quantization dimension {axis}"
        raise ConversionError(reason, node=describe(op), op=op.name)
