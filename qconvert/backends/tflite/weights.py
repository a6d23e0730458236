"""Weights and biases as tensors, and the forms of weights with a zero point.

LiteRT's kernels of int8 refuse or ignore zero points of weights. Two forms are exact: unsigned integers of 8 bits by
weights with one zero point, and integers of 16 bits by weights of 16 bits without zero points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, SSAValue

from qconvert.backends.tflite.graph import Tensor
from qconvert.backends.tflite.lowering import Writer, is_dequantized
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array, constant_held, is_constant
from qconvert.ir import (
    Held,
    Storage,
    UniformQuantizedType,
    array_of,
    computed,
    described,
    element_type,
    f32,
    flipped,
    i64,
    is_litert,
    mapped,
    numpy_dtype,
    quantized,
    transposed,
)
from qconvert.numerics import dequantize
from qconvert.support.errors import ConversionError

Contraction = stablehlo.ConvolutionOp | stablehlo.DotGeneralOp | composite.WideConvolutionOp


@dataclass(frozen=True)
class Operands:
    """Activations, weights and bias of an operator, and the type of its result."""

    activations: Tensor
    weights: Tensor
    bias: Tensor
    result: Attribute

    @property
    def inputs(self) -> list[Tensor]:
        """Return the operator's inputs."""
        return [self.activations, self.weights, self.bias]


def known_source(value: SSAValue) -> SSAValue:
    """Return the constant that a value dequantizes, else the value itself."""
    owner = value.owner
    if isinstance(owner, stablehlo.UniformDequantizeOp) and is_constant(owner.operand):
        return owner.operand
    return value


def floats_of(value: SSAValue, write: Writer) -> Tensor:
    """Return the tensor of a value, the floats themselves if it dequantizes a constant.

    LiteRT's BATCH_MATMUL reads such a DEQUANTIZE before it has run.
    """
    source = known_source(value)
    held, element = constant_held(source), quantized(source)
    if source is value or held is None or element is None:
        return write[value]
    return write.constant(floats(held, element), element_type(value), write.named(value))


def floats(held: Held, element: UniformQuantizedType) -> Held:
    """Return the float32 values of storage integers."""
    scales, zero_points = (element.broadcast(part, held.shape) for part in (element.scales, element.zero_points))
    kind = np.dtype(np.float32)
    return computed(held, lambda array: dequantize(array, scales, zero_points, np.float32), kind)


def operand_of(op: Contraction, value: SSAValue, write: Writer) -> Tensor:
    """Return the tensor of an operand, in floats where the other one is: LiteRT would quantize floats at run time."""
    tensor = floats_of(value, write)
    if tensor.quantization is None or is_litert(op) or None not in (quantized(op.lhs), quantized(op.rhs)):
        return tensor
    return write.dequantized(tensor, write.derived(tensor, "dequantized", tensor.shape, f32))


def laid_out(
    op: Contraction, order: Sequence[int], axis: int, write: Writer, reversed_axes: Sequence[int] = ()
) -> Tensor:
    """Return weights in another order of dimensions, which has the outputs at ``axis``.

    Quantized constants for floats that LiteRT does not quantize at run time are dequantized behind the change of order.
    Raises ConversionError for scales along another dimension than the outputs where integers are multiplied: the
    operators read one scale for each output, whatever dimension the file names.
    """
    source = known_source(op.rhs)
    held, element = constant_held(source), element_type(source)
    if held is None:
        if reversed_axes:
            raise ConversionError("a transposed convolution by weights that are computed at run time is not supported")
        return write.transpose(operand_of(op, op.rhs, write), order)
    ordered = transposed(held, order)
    if reversed_axes:
        ordered = flipped(ordered, reversed_axes)
    if not isinstance(element, UniformQuantizedType):
        return write.constant(ordered, element, write.named(op.rhs))
    moved = element.permuted(order)
    if quantized(op.lhs) is not None or is_litert(op):
        _check_outputs(moved, axis)
        return write.constant(ordered, moved, write.named(op.rhs))
    if not is_dequantized(moved):
        return write.constant(floats(ordered, moved), f32, write.named(op.rhs))
    integers = write.constant(ordered, moved, write.named(op.rhs))
    return write.dequantized(integers, write.derived(integers, "dequantized", integers.shape, f32))


def _check_outputs(weights: UniformQuantizedType, axis: int) -> None:
    """Raise ConversionError for scales that are neither of the tensor nor of the outputs."""
    if weights.is_sub_channel or weights.quantization_dimension not in (None, axis):
        raise ConversionError(
            "LiteRT's operators multiply integers by weights with one scale for the tensor or for each output, found "
            f"{'blocks' if weights.is_sub_channel else 'scales along another dimension'}",
            hint="Quantize the weights along their outputs",
        )


def bias_tensor(op: Contraction, bias: NDArray[Any] | None, outputs: int, write: Writer) -> Tensor:
    """Return the bias as a tensor: LiteRT's kernels of quantized convolutions need one, also of zeros.

    It has 64 bits for activations of 16 bits.
    """
    lhs, rhs = quantized(op.lhs), quantized(op.rhs)
    values = np.zeros(outputs, np.int32) if bias is None else np.broadcast_to(bias, (outputs,))
    name = f"{write.named(op.results[0])}_bias"
    if lhs is None or rhs is None:
        return write.constant(values.astype(np.float32), f32, name)
    return scaled_bias(write, values, lhs, rhs, name)


def scaled_bias(
    write: Writer, values: NDArray[Any], lhs: UniformQuantizedType, rhs: UniformQuantizedType, name: str
) -> Tensor:
    """Return integers as a bias at the product of the scales, of 64 bits for activations of 16 bits."""
    scales = lhs.product_scales(rhs)
    if lhs.storage.width == 16:
        return replace(write.constant(values.astype(np.int64), i64, name), scales=scales)
    return write.constant(values, UniformQuantizedType.accumulator(scales, None if rhs.is_per_tensor else 0), name)


def without_zero_point(found: Operands, write: Writer) -> Operands:
    """Return equal operands that LiteRT's kernels accept: weights without a zero point, or in unsigned 8 bits.

    Unsigned activations become signed where the weights have scales along the outputs.
    """
    weights, activations = found.weights.quantization, found.activations.quantization
    is_changed = weights is not None and (np.any(weights.zero_points) or not weights.storage.signed)
    if is_changed and activations is not None and found.weights.data is None:
        raise ConversionError(
            f"weights of {weights} that are computed at run time are not supported", hint="Quantize them to int8"
        )
    if weights is not None and activations is not None and not activations.storage.signed:
        if weights.is_per_tensor and weights.storage.width == activations.storage.width:
            return _unsigned(found, weights, write)
        found = _signed(found, activations, write)
    if weights is None or not np.any(weights.zero_points) or found.activations.quantization is None:
        return found
    return _unsigned(found, weights, write) if weights.is_per_tensor else _without_zero_points(found, weights, write)


def _signed(found: Operands, activations: UniformQuantizedType, write: Writer) -> Operands:
    """Return the activations and the result in signed integers."""
    result = found.result.signed if isinstance(found.result, UniformQuantizedType) else found.result
    return replace(found, activations=write.requantized(found.activations, activations.signed), result=result)


def _unsigned(found: Operands, weights: UniformQuantizedType, write: Writer) -> Operands:
    """Return all operands in unsigned integers of 8 bits: each integer and zero point plus 128."""
    source, result = _unsigned_type(found.activations.element), _unsigned_type(found.result)
    assert found.weights.data is not None
    element = _unsigned_type(weights)
    shift, dtype = int(element.zero_point - weights.zero_point), numpy_dtype(element.storage_type)
    data = mapped(found.weights.data, lambda array: (array.astype(np.int16) + shift).astype(dtype), dtype)
    moved = replace(found.weights, element=element, data=data)
    return Operands(write.requantized(found.activations, source), moved, found.bias, result)


def _unsigned_type(element: Attribute) -> UniformQuantizedType:
    """Return the same quantized type with unsigned storage of 8 bits."""
    if not isinstance(element, UniformQuantizedType) or element.storage.width != 8 or not element.is_per_tensor:
        raise ConversionError(
            f"weights with a zero point are multiplied by 8-bit integers only, found {described(element)}"
        )
    return element.unsigned


def has_zero_points(value: SSAValue) -> bool:
    """Return True for constant weights of channels with zero points that no integers of 8 bits can do without."""
    array, element = constant_array(known_source(value)), quantized(known_source(value))
    if array is None or element is None or element.is_per_tensor or not np.any(element.zero_points):
        return False
    return not _fits(_centred(array, element))


def _centred(array: NDArray[Any], element: UniformQuantizedType) -> NDArray[np.int16]:
    """Return weights without their zero points."""
    zero_points = element.broadcast(element.zero_points, array.shape).astype(np.int16)
    return np.subtract(array, zero_points, dtype=np.int16)


def _fits(centred: NDArray[np.int16]) -> bool:
    return bool(np.abs(centred).max(initial=0) <= np.iinfo(np.int8).max)


def _without_zero_points(found: Operands, weights: UniformQuantizedType, write: Writer) -> Operands:
    """Return operands of 8 bits whose weights have zero points of 0 if they fit, else operands of 16 bits."""
    assert found.weights.data is not None
    if not _fits(_centred(array_of(found.weights.data), weights)):
        return _wide(found, weights, write)
    element, byte = weights.with_storage(Storage.full(8, signed=True), (0,) * weights.scales.size), np.dtype(np.int8)
    data = computed(found.weights.data, lambda array: _centred(array, weights).astype(byte), byte)
    return replace(found, weights=replace(found.weights, element=element, data=data))


def _wide(found: Operands, weights: UniformQuantizedType, write: Writer) -> Operands:
    """Return operands of 16 bits without zero points."""
    assert found.weights.data is not None
    axis = weights.quantization_dimension
    assert axis is not None
    centred = computed(found.weights.data, lambda array: _centred(array, weights), np.dtype(np.int16))
    element = UniformQuantizedType.per_axis(_WIDE, weights.scales, np.zeros(weights.scales.size, np.int64), axis)
    moved = replace(found.weights, element=element, data=centred)
    assert found.bias.data is not None
    bias = write.constant(array_of(found.bias.data).astype(np.int64), i64, found.bias.name)
    source, result = (_wide_type(kind) for kind in (found.activations.element, found.result))
    return Operands(write.requantized(found.activations, source), moved, bias, result)


_WIDE = Storage.full(16, signed=True)


def _wide_type(element: Attribute) -> UniformQuantizedType:
    assert isinstance(element, UniformQuantizedType)
    return UniformQuantizedType.per_tensor(_WIDE, element.scale, 0)
