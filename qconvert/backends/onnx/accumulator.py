"""Contractions of bytes whose sums LiteRT's arithmetic requantizes: the sums stay integers of 32 bits."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.onnx.exact import product_form, write_form
from qconvert.backends.onnx.integers import image_layout, kernel_layout, output_layout
from qconvert.backends.onnx.lowering import ComputedTensor, ConstantTensor, Layout, Tensor, Writer
from qconvert.backends.onnx.tosa.bounds import of_weights, reach
from qconvert.backends.onnx.tosa.contraction import KernelTensor, Window, integer_sums
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_held
from qconvert.ir import broadcast, converted, is_litert, quantized, quantized_element, shape, transposed
from qconvert.rewriting import tail_of

_BYTE = 8
_SUM = 32
_BEYOND = 1 << 31
"""The bound of sums whose weights are computed."""


def stays_integer(accumulator: SSAValue, dimension: int, write: Writer) -> bool:
    """Return True if the only user of sums, or of sums plus a bias, is a requantization that is written in integers.

    ``dimension`` is the dimension of the outputs; the requantization has scales along the last one.
    """
    element = quantized(accumulator)
    if write.forms is None or element is None or element.storage.width < _SUM:
        return False
    tail = tail_of(accumulator, dimension)
    if tail.finer is not None or tail.requantize is None or not is_litert(tail.requantize):
        return False
    is_laid_out = element.is_per_tensor or dimension == len(shape(accumulator)) - 1
    return is_laid_out and write.forms.of(tail.requantize) is not None


def are_bytes(*values: SSAValue) -> bool:
    """Return True if values are quantized with one zero point each in 8 bits, or are constants of fewer bits.

    ConvInteger and MatMulInteger take bytes, which hold such constants as well.
    """
    return all(_is_of_bytes(value) for value in values)


def _is_of_bytes(value: SSAValue) -> bool:
    element = quantized(value)
    if element is None or len(set(element.data.zero_points)) != 1:
        return False
    return element.storage.width == _BYTE or (element.storage.width < _BYTE and constant_held(value) is not None)


def convolves_bytes(op: stablehlo.ConvolutionOp, write: Writer) -> bool:
    """Return True if a convolution is to be written in integers, and ConvInteger expresses its window."""
    edges = [pad for pair in op.window.padding for pad in pair]
    fits = op.batch_groups == 1 and bool(op.numbers.input_spatial) and min(edges, default=0) >= 0
    return fits and are_bytes(op.lhs, op.rhs) and stays_integer(op.result, op.numbers.output_feature, write)


def integer_convolution(op: stablehlo.ConvolutionOp, write: Writer) -> Tensor:
    """Write ConvInteger with channels first, and the bias."""
    numbers, lhs = op.numbers, quantized_element(op.lhs)
    weights = weights_of(op, write)
    sums = integer_sums(
        window_of(op), stored(op.lhs, image_layout(numbers), write), (lhs.zero_point, False), weights, write
    )
    largest = _BEYOND if weights.held is None else of_weights(weights.held, weights.zero_point, (0,)) * _largest(op.lhs)
    tensor = ComputedTensor(sums, output_layout(numbers), stored=True)
    return _with_bias(op.result, numbers.output_feature, tensor, largest, write)


def integer_product(op: stablehlo.DotGeneralOp, write: Writer) -> Tensor:
    """Write MatMulInteger, and the bias."""
    form = product_form(op)
    made = write_form(form, [write[op.lhs], write[op.rhs]], write)
    assert isinstance(made, ComputedTensor)
    tensor = ComputedTensor(made.name, made.layout, stored=True)
    return _with_bias(op.result, len(tensor.layout) - 1, tensor, reach(form.result, write), write)


def weights_of(op: stablehlo.ConvolutionOp | composite.WideConvolutionOp, write: Writer) -> KernelTensor:
    """Return the kernel of a convolution with outputs first."""
    layout, zero_point = kernel_layout(op.numbers), int(quantized_element(op.rhs).zero_points.flat[0])
    known = write.known(op.rhs)
    if known is None:
        return KernelTensor(op.rhs, None, stored(op.rhs, layout, write), zero_point)
    held = transposed(broadcast(known.held, shape(op.rhs)), layout)
    return KernelTensor((op.rhs, layout), converted(held, np.dtype(np.int8)), "", zero_point)


def window_of(op: stablehlo.ConvolutionOp | composite.WideConvolutionOp) -> Window:
    """Return a convolution's window over an image with channels first."""
    image, kernel = ([shape(value)[i] for i in layout] for value, layout in _layouts(op))
    return Window(op.window, tuple(image), tuple(kernel), op.groups)


def _layouts(op: stablehlo.ConvolutionOp | composite.WideConvolutionOp) -> list[tuple[SSAValue, Layout]]:
    return [(op.lhs, image_layout(op.numbers)), (op.rhs, kernel_layout(op.numbers))]


def stored(value: SSAValue, layout: Layout, write: Writer) -> str:
    """Return the tensor of a value's integers in a layout, with all its elements."""
    tensor = write[value]
    if isinstance(tensor, ConstantTensor):
        held = transposed(broadcast(tensor.held, shape(value)), layout)
        return write.initializer(held, write.constant_name("integers"))
    return write.stored_integers(value, layout)


def _largest(value: SSAValue) -> int:
    """Return the largest magnitude of a quantized value's integers minus the zero point."""
    element = quantized_element(value)
    ends = element.storage.minimum, element.storage.maximum
    return max(abs(end - element.zero_point) for end in ends)


def _with_bias(accumulator: SSAValue, dimension: int, tensor: ComputedTensor, largest: int, write: Writer) -> Tensor:
    """Return the tensor of sums of at most ``largest``, and define the sums plus the bias of each output."""
    tail = tail_of(accumulator, dimension)
    write.reaches[accumulator] = largest
    if tail.bias is not None:
        values = tail.bias.astype(np.int32)
        along = [-1 if axis == dimension else 1 for axis in tensor.layout]
        names = [tensor.name, write.initializer(values.reshape(along), write.constant_name("bias"))]
        added = ComputedTensor(write.node("Add", names, name=f"{write.label}_bias"), tensor.layout, stored=True)
        write.define(tail.biased, added)
        write.reaches[tail.biased] = largest + int(np.abs(values.astype(np.int64)).max(initial=0))
    return tensor
