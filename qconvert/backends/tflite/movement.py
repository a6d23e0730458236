"""RESHAPE, TRANSPOSE, CONCATENATION, SLICE, PAD and other operators that move elements."""

from __future__ import annotations

import tflite
from xdsl.ir import SSAValue

from qconvert.backends.tflite.gathered import slices_axis
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.backends.tflite.padding import cropped, pad
from qconvert.backends.tflite.resize import nearest
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.interpreter.core import evaluate_op
from qconvert.ir import UniformQuantizedType, described, element_type, is_litert, quantized, shape
from qconvert.support.errors import ConversionError


def _alike(write: Writer, operand: SSAValue, result: SSAValue) -> Tensor:
    """Return an operand's tensor in the result's type: LiteRT moves integers without regard to their scales."""
    source, element = write[operand], element_type(result)
    if isinstance(element, UniformQuantizedType) and element.is_per_axis and source.element != element:
        raise ConversionError(
            f"TFLite's operators move values of one scale, found {described(source.element)} and {described(element)}"
        )
    return write.requantized(source, element)


@emits(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, write: Writer) -> Tensor:
    """Write RESHAPE."""
    return write.reshape(_alike(write, op.operand, op.result), shape(op.result), write.result(op.result))


@emits(stablehlo.TransposeOp)
def transpose(op: stablehlo.TransposeOp, write: Writer) -> Tensor:
    """Write TRANSPOSE."""
    source = _alike(write, op.operand, op.result)
    return write.transpose(source, stablehlo.as_tuple(op.permutation), write.result(op.result))


@emits(stablehlo.IotaOp)
def iota(op: stablehlo.IotaOp, write: Writer) -> Tensor:
    """Write a constant."""
    (array,) = evaluate_op(op, [])
    return write.constant(array, element_type(op.output), write.named(op.output))


@emits(stablehlo.BroadcastInDimOp)
def broadcast_in_dim(op: stablehlo.BroadcastInDimOp, write: Writer) -> Tensor:
    """Write BROADCAST_TO, after a RESHAPE where dimensions are added."""
    sizes = [1] * len(shape(op.result))
    for axis, size in zip(stablehlo.as_tuple(op.broadcast_dimensions), shape(op.operand), strict=True):
        sizes[axis] = size
    source = write.reshape(write[op.operand], sizes)
    inputs = [source, write.integers(shape(op.result), "shape")]
    options = Options("BroadcastToOptions")
    return write.operator(tflite.BuiltinOperator.BROADCAST_TO, inputs, write.result(op.result), options, version=3)


def _joined(write: Writer, value: SSAValue, result: SSAValue) -> Tensor:
    """Return an input of CONCATENATION, whose kernel rescales unsigned integers itself, in floats."""
    owner, element = value.owner, quantized(result)
    if isinstance(owner, stablehlo.UniformQuantizeOp) and is_litert(owner) and element and not element.storage.signed:
        return write[owner.operand]
    return _alike(write, value, result)


@emits(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, write: Writer) -> Tensor:
    """Write CONCATENATION."""
    inputs, output = [_joined(write, value, op.result) for value in op.inputs], write.result(op.result)
    options = Options("ConcatenationOptions", {"Axis": op.dimension.value.data})
    version = by_width(output, 2, 3)
    return write.operator(tflite.BuiltinOperator.CONCATENATION, inputs, output, options, version=version)


@emits(stablehlo.SliceOp)
def slice_(op: stablehlo.SliceOp, write: Writer) -> Tensor:
    """Write SLICE, or STRIDED_SLICE for strides."""
    source, output = _alike(write, op.operand, op.result), write.result(op.result)
    starts, limits, strides = map(stablehlo.as_tuple, (op.start_indices, op.limit_indices, op.strides))
    if all(step == 1 for step in strides):
        crops = [(low, size - high) for low, high, size in zip(starts, limits, source.shape, strict=True)]
        return cropped(write, source, crops, output)
    inputs = [source, *(write.integers(list(values), "slice") for values in (starts, limits, strides))]
    options, version = Options("StridedSliceOptions"), by_width(output, 2, 4)
    return write.operator(tflite.BuiltinOperator.STRIDED_SLICE, inputs, output, options, version=version)


@emits(stablehlo.PadOp)
def pad_(op: stablehlo.PadOp, write: Writer) -> Tensor:
    """Write PAD with zeros, else PADV2; negative padding is a SLICE."""
    if any(stablehlo.as_tuple(op.interior_padding)):
        raise ConversionError("TFLite pads edges only, not between elements")
    source, element = _alike(write, op.operand, op.result), element_type(op.result)
    padding = list(zip(*map(stablehlo.as_tuple, (op.edge_padding_low, op.edge_padding_high)), strict=True))
    zero = element.zero_point if isinstance(element, UniformQuantizedType) else 0
    filling = constant_array(op.padding_value)
    is_zero = filling is not None and filling.reshape(()).item() == zero
    value = None if is_zero else write.requantized(write[op.padding_value], element)
    return pad(write, source, padding, value, write.result(op.result))


@emits(stablehlo.ReverseOp)
def reverse(op: stablehlo.ReverseOp, write: Writer) -> Tensor:
    """Write REVERSE_V2 for each dimension in turn."""
    axes = stablehlo.as_tuple(op.dimensions)
    made = _alike(write, op.operand, op.result)
    for i, axis in enumerate(axes):
        is_last = i == len(axes) - 1
        output = write.result(op.result) if is_last else write.derived(made, "reversed", made.shape)
        options = Options("ReverseV2Options")
        inputs = [made, write.integers([axis], "axis")]
        made = write.operator(tflite.BuiltinOperator.REVERSE_V2, inputs, output, options, version=3)
    return made


@emits(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp, write: Writer) -> Tensor:
    """Write GATHER of whole slices along one dimension, RESIZE_NEAREST_NEIGHBOR for those that enlarge images.

    Raises ConversionError for other gathers.
    """
    axis = slices_axis(op)
    if axis is None:
        raise ConversionError("TFLite gathers whole slices along one dimension only")
    enlarged = nearest(op, write)
    if enlarged is not None:
        return enlarged
    source, indices = _alike(write, op.operand, op.result), write[op.start_indices]
    vector = op.dimension_numbers.data.index_vector_dim
    at = [size for i, size in enumerate(indices.shape) if i != vector]
    inputs = [source, write.reshape(indices, at)]
    options, output = Options("GatherOptions", {"Axis": axis}), write.result(op.result)
    version = by_width(output, 2, 4)
    return write.operator(tflite.BuiltinOperator.GATHER, inputs, output, options, version=version)
