"""CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and BATCH_MATMUL with bias and activation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import tflite

from qconvert.backends.tflite.accumulated import Accumulated, accumulated
from qconvert.backends.tflite.activation_range import fused_activation
from qconvert.backends.tflite.graph import Field, Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits, is_unsigned_byte
from qconvert.backends.tflite.matmul import batched, with_run_time_zero_points
from qconvert.backends.tflite.padding import padded
from qconvert.backends.tflite.rows import Rows
from qconvert.backends.tflite.sums import enlarged, narrowed, widened
from qconvert.backends.tflite.transposed import transposed
from qconvert.backends.tflite.weights import (
    Operands,
    bias_tensor,
    known_source,
    laid_out,
    without_zero_point,
)
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array, is_constant
from qconvert.ir import ACCUMULATOR, array_of, litert_arithmetic, quantized, shape
from qconvert.rewriting import has_addition
from qconvert.support.errors import ConversionError

_BYTE = 8
_NHWC = (0, 1, 2, 3)
_Convolution = stablehlo.ConvolutionOp | composite.WideConvolutionOp


@emits(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp, write: Writer) -> Tensor:
    """Write a convolution with its bias, requantization and activation."""
    found = accumulated(op.result, op.numbers.output_feature)
    bias = bias_tensor(op, found.bias, shape(op.rhs)[op.numbers.kernel_output_feature], write)
    return found.defined(_convolved(op, bias, found, write), write)


@emits(composite.WideConvolutionOp)
def wide_convolution(op: composite.WideConvolutionOp, write: Writer) -> Tensor:
    """Write a convolution of 16-bit activations with a bias of 64 bits."""
    values = constant_array(op.bias)
    if values is None:
        raise ConversionError("a bias that is computed at run time is not supported")
    fused = fused_activation(op.result)
    found = Accumulated(values, fused.function, (op.result, fused.value))
    bias = bias_tensor(op, values, values.size, write)
    follows = litert_arithmetic(op)
    if follows is not None and follows.multiplier_width == ACCUMULATOR.width:
        return _matrix_product(op, bias, found, write)
    return found.defined(_convolved(op, bias, found, write), write)


def _matrix_product(op: composite.WideConvolutionOp, bias: Tensor, found: Accumulated, write: Writer) -> Tensor:
    """Write FULLY_CONNECTED, which rescales sums with 32 bits, for a convolution of one row by a kernel of 1 x 1."""
    order = (op.numbers.kernel_output_feature, *op.numbers.kernel_spatial, op.numbers.kernel_input_feature)
    kernel = laid_out(op, order, 0, write)
    assert kernel.data is not None
    weights, rows = replace(kernel, shape=(kernel.shape[0], kernel.shape[3])), Rows.of(op, found)
    output = write.result(rows.found.value)
    inputs, options = [write[rows.operand], weights, bias], rows.options
    is_wide = weights.width > _BYTE
    options, version = (named_bias(options), 11) if is_wide else (options, 7)
    write.operator(tflite.BuiltinOperator.FULLY_CONNECTED, inputs, output, options, version=version)
    return rows.found.defined(output, write)


def named_bias(options: Options) -> Options:
    """Return options that name a bias of 64 bits: by weights of 16 bits LiteRT reads another one as 32 bits."""
    return Options(options.table, {**options.fields, "QuantizedBiasType": tflite.TensorType.INT64})


def _check_layout(op: _Convolution) -> None:
    numbers = op.numbers
    if len(numbers.input_spatial) != 2 or op.batch_groups != 1:
        raise ConversionError("TFLite convolves images of two spatial dimensions, without batch groups")
    if (numbers.output_batch, *numbers.output_spatial, numbers.output_feature) != _NHWC:
        raise ConversionError("the result of a convolution must have its features last")


def _convolved(op: _Convolution, bias: Tensor, found: Accumulated, write: Writer) -> Tensor:
    """Write DEPTHWISE_CONV_2D if every feature is a group, TRANSPOSE_CONV if the image is dilated, else CONV_2D."""
    _check_layout(op)
    numbers = op.numbers
    image = write.transpose(write[op.lhs], (numbers.input_batch, *numbers.input_spatial, numbers.input_feature))
    if any(step > 1 for step in op.window.lhs_dilation):
        return transposed(op, image, bias, found, write)
    fields: dict[str, Field] = {
        "StrideH": op.window.strides[0],
        "StrideW": op.window.strides[1],
        "DilationHFactor": op.window.rhs_dilation[0],
        "DilationWFactor": op.window.rhs_dilation[1],
        "FusedActivationFunction": found.activation,
    }
    is_depthwise = op.groups == image.shape[3] and op.groups > 1
    weights = _kernel(op, write, is_depthwise=is_depthwise)
    weights = widened(weights) if image.quantization is not None and image.width > _BYTE else weights
    output = write.result(found.value)
    operands = without_zero_point(Operands(image, weights, bias, output.element), write)
    kernel = [shape(op.rhs)[i] for i in numbers.kernel_spatial]
    image, fields["Padding"] = padded(write, operands.activations, op.window, kernel)
    operands = replace(operands, activations=image)
    axis = 3 if is_depthwise else 0
    if not found.follows_litert:
        operands = enlarged(operands, axis, write)
    narrow = None if isinstance(op, composite.WideConvolutionOp) else narrowed(operands, axis, write)
    if narrow is not None:
        return _of_narrow_sums(write, narrow, output, fields, is_depthwise=is_depthwise)
    if is_depthwise:
        fields["DepthMultiplier"] = output.shape[3] // op.groups
        options = Options("DepthwiseConv2DOptions", fields)
        return _typed(
            write, tflite.BuiltinOperator.DEPTHWISE_CONV_2D, operands, output, options, _versions(image, 3, 5)
        )
    options = Options("Conv2DOptions", fields)
    version = 6 if op.groups > 1 else _versions(operands.weights, 3, 4)
    return _typed(write, tflite.BuiltinOperator.CONV_2D, operands, output, options, version)


def _of_narrow_sums(
    write: Writer, operands: Operands, output: Tensor, fields: dict[str, Field], *, is_depthwise: bool
) -> Tensor:
    """Write CONV_2D of 16-bit activations with a bias of 32 bits, which DEPTHWISE_CONV_2D does not take."""
    if is_depthwise:
        weights = operands.weights
        assert weights.data is not None
        assert weights.quantization is not None
        data = np.moveaxis(array_of(weights.data), 3, 0)[..., np.newaxis].reshape(-1, *weights.shape[1:3], 1)
        element = weights.quantization.with_axis(0) if weights.quantization.is_per_axis else weights.quantization
        operands = replace(operands, weights=replace(weights, shape=data.shape, element=element, data=data))
    options = Options("Conv2DOptions", {**fields, "QuantizedBiasType": tflite.TensorType.INT32})
    return _typed(write, tflite.BuiltinOperator.CONV_2D, operands, output, options, 8)


def _versions(tensor: Tensor, of_8_bits: int, of_16_bits: int) -> int:
    """Return the version for a tensor's integers; unsigned ones have the first."""
    element = tensor.quantization
    return 1 if element is not None and not element.storage.signed else by_width(tensor, of_8_bits, of_16_bits)


def _typed(write: Writer, code: int, operands: Operands, output: Tensor, options: Options, version: int) -> Tensor:
    """Write an operator, and QUANTIZE where its result has another type than the output."""
    if operands.result == output.element:
        return write.operator(code, operands.inputs, output, options, version=version)
    made = write.derived(output, "unshifted", output.shape, operands.result)
    write.operator(code, operands.inputs, made, options, version=version)
    return write.requantized(made, output.element, output)


def _kernel(op: _Convolution, write: Writer, *, is_depthwise: bool) -> Tensor:
    """Return the weights as (outputs, height, width, inputs), or as (1, height, width, outputs)."""
    numbers = op.numbers
    ends = (numbers.kernel_output_feature, numbers.kernel_input_feature)
    first, last = reversed(ends) if is_depthwise else ends
    return laid_out(op, (first, *numbers.kernel_spatial, last), 3 if is_depthwise else 0, write)


@emits(stablehlo.DotGeneralOp)
def dot_general(op: stablehlo.DotGeneralOp, write: Writer) -> Tensor:
    """Write FULLY_CONNECTED if the weights are a constant matrix, else BATCH_MATMUL."""
    if not is_dense(op):
        return batched(op, write)
    found = accumulated(op.result, len(shape(op.result)) - 1)
    rows = Rows.of(op, found) if _sums_last(op) else Rows(op.lhs, found, keeps_dims=len(shape(op.lhs)) != 2)
    return rows.found.defined(_dense(op, rows, write), write)


def is_dense(op: stablehlo.DotGeneralOp) -> bool:
    """Return True for a product by a constant matrix which FULLY_CONNECTED computes.

    Scales along the matrix's outputs and a bias are for this operator only, whichever dimension of the other operand is
    summed.
    """
    element = quantized(op.rhs)
    if len(shape(op.rhs)) != 2 or not is_constant(known_source(op.rhs)) or op.numbers.lhs_batching_dimensions:
        return False
    is_alone = element is not None and len(op.numbers.lhs_contracting_dimensions) == 1
    needs_it = element is not None and (element.is_per_axis or has_addition(op.result))
    return (is_alone and needs_it) or _sums_last(op)


def _sums_last(op: stablehlo.DotGeneralOp) -> bool:
    return bool(op.numbers.lhs_contracting_dimensions == (len(shape(op.lhs)) - 1,))


def _dense(op: stablehlo.DotGeneralOp, around: Rows, write: Writer) -> Tensor:
    """Write FULLY_CONNECTED, whose kernels of 8 bits take one zero point of weights."""
    numbers, lhs = op.numbers, write[around.operand]
    (rows,) = numbers.rhs_contracting_dimensions
    weights, output = laid_out(op, (1 - rows, rows), 0, write), write.result(around.found.value)
    if not _sums_last(op):
        lhs = write.transpose(lhs, (*numbers.lhs_free(len(lhs.shape)), *numbers.lhs_contracting_dimensions))
    bias = bias_tensor(op, around.found.bias, weights.shape[0], write)
    operands = Operands(lhs, weights, bias, output.element)
    if weights.quantization is not None and (not weights.quantization.is_per_tensor or is_unsigned_byte(lhs.element)):
        operands = without_zero_point(operands, write)
    version = max(_versions(operands.weights, 4, 7), 5 if around.keeps_dims else 1)
    options = with_run_time_zero_points(op, around.options)
    version = version if options is around.options else 9
    if operands.weights.quantization is not None and operands.weights.width > _BYTE:
        options, version = named_bias(options), 11
    return _typed(write, tflite.BuiltinOperator.FULLY_CONNECTED, operands, output, options, version)
