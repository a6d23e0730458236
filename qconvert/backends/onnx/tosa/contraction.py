"""Convolutions as ConvInteger, matrix products as MatMulInteger, and both of floats.

ConvInteger takes bytes: a 16-bit activation is 256 times its high byte, which has a sign, plus its low byte, which has
none. The weights of both have a sign: on x86 processors without VNNI onnxruntime adds products of a signed image and
unsigned weights in 16 bits, with saturation.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from qconvert.backends.onnx.builder import check_elements
from qconvert.backends.onnx.integers import attributes_of, image_layout, output_layout
from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits_tosa
from qconvert.backends.onnx.movement import FIRST, sliced, spread
from qconvert.backends.onnx.tosa.fixed_point import number, parameter
from qconvert.dialects import tosa
from qconvert.dialects.stablehlo import ConvolutionWindow
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.dialects.stablehlo.dimension_numbers import ConvDimensionNumbers
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.ir import Held, broadcast, converted, element_type, flipped, i32, is_float, reshaped, shape, transposed
from qconvert.support.errors import ConversionError

Convolution = tosa.ConvolutionOp | tosa.TransposeConv2DOp
_BYTE = 1 << 8


@dataclass(frozen=True)
class KernelTensor:
    """The kernel (outputs, inputs, spatial) of a convolution: a constant, or the tensor of a computed one.

    ``source`` is the value from which the constant is made.
    """

    source: Hashable
    held: Held | None
    name: str
    zero_point: int

    def tensor(self, write: Writer) -> str:
        """Return the tensor of the weights."""
        return self.name if self.held is None else write.once((self.source, "weight"), self.held, "weight")

    def tensors(self, write: Writer) -> list[str]:
        """Return the tensors of the weights and of their zero point."""
        return [self.tensor(write), parameter(self.zero_point, np.int8, write, "weight_zero_point")]


@emits_tosa(tosa.Conv2DOp, tosa.Conv3DOp)
def convolution(op: tosa.ConvolutionOp, write: Writer) -> Tensor:
    """Write a convolution by the kernel (outputs, spatial, inputs), with channels first."""
    rank = len(shape(op.weight))
    return _convolved(op, _weights(op, (0, rank - 1, *range(1, rank - 1)), write), window_of(op), 1, write)


@emits_tosa(tosa.DepthwiseConv2DOp)
def depthwise_convolution(op: tosa.DepthwiseConv2DOp, write: Writer) -> Tensor:
    """Write a convolution of each channel by the kernels (height, width, channel, multiplier)."""
    height, width, channels, multiplier = shape(op.weight)
    found = _weights(op, (2, 3, 0, 1), write)
    sizes = (channels * multiplier, 1, height, width)
    if found.held is not None:
        found = replace(found, held=reshaped(found.held, sizes))
    else:
        found = replace(found, name=write.node("Reshape", [found.name, write.integers(sizes, "shape")]))
    return _convolved(op, found, window_of(op), channels, write)


@emits_tosa(tosa.TransposeConv2DOp)
def transpose_convolution(op: tosa.TransposeConv2DOp, write: Writer) -> Tensor:
    """Write a convolution of the input, with gaps of zeros between its elements, by the reversed kernel."""
    found, pads = _weights(op, (0, 3, 1, 2), write), as_tuple(op.out_pad)
    if found.held is not None:
        found = replace(found, held=flipped(found.held, (2, 3)))
    else:
        found = replace(found, name=sliced(found.name, ([-1, -1], [FIRST, FIRST], [2, 3], [-1, -1]), write))
    sizes = shape(op.weight)[1:3]
    edges = [(sizes[i] - 1 + pads[2 * i], sizes[i] - 1 + pads[2 * i + 1]) for i in range(2)]
    window = ConvolutionWindow.of(2, padding=edges, lhs_dilation=as_tuple(op.stride))
    return _convolved(op, found, window, 1, write)


def window_of(op: tosa.ConvolutionOp) -> ConvolutionWindow:
    """Return a convolution's window."""
    window = op.window
    padding = list(zip(window.pad[::2], window.pad[1::2], strict=True))
    return ConvolutionWindow.of(
        len(window.stride), strides=window.stride, padding=padding, rhs_dilation=window.dilation
    )


def channels_last(rank: int) -> ConvDimensionNumbers:
    """Return the dimensions of images (batch, spatial, features) and a kernel (outputs, inputs, spatial)."""
    last, spatial = rank - 1, tuple(range(1, rank - 1))
    return ConvDimensionNumbers(0, last, spatial, 1, 0, tuple(range(2, rank)), 0, last, spatial)


def constant_zero(value: SSAValue) -> int:
    """Return a constant zero point; raises ConversionError for a computed one."""
    array = parameter_array(value)
    if array is None:
        raise ConversionError("a zero point is not constant")
    return 0 if array.dtype.kind not in "iu" else int(array.item())


def _weights(op: Convolution, layout: Sequence[int], write: Writer) -> KernelTensor:
    known, zero_point = write.known(op.weight), constant_zero(op.weight_zp)
    if known is None:
        return KernelTensor(op.weight, None, write.floats(op.weight, tuple(layout), "weight"), zero_point)
    held = transposed(broadcast(known.held, shape(op.weight)), layout)
    held = held if is_float(element_type(op.weight)) else converted(held, np.dtype(np.int8))
    return KernelTensor((op.weight, type(op)), held, "", zero_point)


@dataclass(frozen=True)
class Window:
    """A window that slides over an image with channels first, whose sizes are ``image``."""

    window: ConvolutionWindow
    image: tuple[int, ...]
    kernel: tuple[int, ...]
    groups: int

    def node(self, kind: str, names: Sequence[str], filler: str, write: Writer) -> str:
        """Write ``kind`` of an image, weights and other operands; ``filler`` is the number that stands for 0."""
        gaps = (0, 0, *(step - 1 for step in self.window.lhs_dilation))
        image = spread(names[0], self.image, gaps, filler, write)
        attributes = attributes_of(channels_last(len(self.kernel)), self.window, self.kernel, self.groups)
        return write.node(kind, [image, *names[1:]], **attributes)


def _convolved(op: Convolution, weights: KernelTensor, window: ConvolutionWindow, groups: int, write: Writer) -> Tensor:
    """Write the sums of products in the accumulator's type, plus the bias."""
    numbers, element = channels_last(len(shape(op.input))), element_type(op.input)
    layout = image_layout(numbers)
    image, sizes = write.floats(op.input, layout, "input"), tuple(shape(op.input)[i] for i in layout)
    kernel = shape(op.weight)[:2] if isinstance(op, tosa.DepthwiseConv2DOp) else shape(op.weight)[1:-1]
    sliding = Window(window, sizes, (1, 1, *kernel), groups)
    if is_float(element):
        return ComputedTensor(_of_floats(op, sliding, image, weights, write), output_layout(numbers))
    zero_point = constant_zero(op.input_zp)
    sums = integer_sums(sliding, image, (zero_point, element == i16), weights, write)
    bias, dtype = write.known(op.bias), np.int32 if element_type(op.output) == i32 else np.int64
    if dtype == np.int64 and element != i16:
        sums = write.node("Cast", [sums], to=TensorProto.INT64)
    if bias is None:
        raise ConversionError("the bias of a convolution is not constant")
    if bias.array.any():
        values = bias.array.astype(dtype).reshape((-1, *(1 for _ in kernel)))
        sums = write.node("Add", [sums, write.once((op.bias, len(kernel)), values, "bias")])
    return ComputedTensor(sums, output_layout(numbers))


def _of_floats(op: Convolution, sliding: Window, image: str, weights: KernelTensor, write: Writer) -> str:
    check_elements("Conv", write.opset, element_type(op.input))
    kernel = weights.tensor(write)
    bias = write.floats(op.bias, (0,), "bias")
    outputs = shape(op.output)[-1]
    if shape(op.bias) != (outputs,):
        bias = write.node("Expand", [bias, write.integers((outputs,), "shape")])
    filler = write.scalar(0.0, op.input, "zero") if isinstance(op, tosa.TransposeConv2DOp) else ""
    return sliding.node("Conv", [image, kernel, bias], filler, write)


def integer_sums(sliding: Window, image: str, about: tuple[int, bool], weights: KernelTensor, write: Writer) -> str:
    """Write sums of products of integers minus zero points: i32 of 8-bit activations, 64 bits of 16-bit ones.

    ``about`` is the zero point of the activations, and True for 16 bits.
    """
    (zero_point, is_wide), kernel = about, weights.tensors(write)
    if not is_wide:
        return _of_bytes(sliding, (image, parameter(zero_point, np.int8, write)), kernel, write)
    high, low = _bytes_of(image, write)
    sums = [
        write.node("Cast", [_of_bytes(sliding, part, kernel, write)], to=TensorProto.INT64)
        for part in ((high, parameter(0, np.int8, write)), (low, parameter(0, np.uint8, write)))
    ]
    return write.node("Add", [write.node("Mul", [sums[0], number(_BYTE, write, "byte")]), sums[1]])


def _of_bytes(sliding: Window, part: tuple[str, str], weights: Sequence[str], write: Writer) -> str:
    """Write ConvInteger of bytes and their zero point."""
    name, zero_point = part
    return sliding.node("ConvInteger", [name, weights[0], zero_point, weights[1]], zero_point, write)


def _bytes_of(name: str, write: Writer) -> tuple[str, str]:
    """Write the high bytes of 16-bit integers, with a sign, and the low bytes, without."""
    low = write.node("Cast", [name], to=TensorProto.UINT8)
    wide = [write.node("Cast", [part], to=TensorProto.INT32) for part in (name, low)]
    rest = write.node("Div", [write.node("Sub", wide), number(_BYTE, write, "byte", np.int32)])
    return write.node("Cast", [rest], to=TensorProto.INT8), low


@emits_tosa(tosa.MatMulOp)
def matmul(op: tosa.MatMulOp, write: Writer) -> Tensor:
    """Write MatMulInteger of 8 bits, MatMul in 64 bits of 16-bit integers, and MatMul of floats."""
    element, own = element_type(op.a), write.own_layout(op.output)
    names = [write.floats(value, role=role) for value, role in ((op.a, "a"), (op.b, "b"))]
    if is_float(element):
        return ComputedTensor(write.node("MatMul", names), own)
    zero_points = [constant_zero(value) for value in (op.a_zp, op.b_zp)]
    if element == i16:
        wide = [_centred(*pair, write) for pair in zip(names, zero_points, strict=True)]
        return ComputedTensor(write.node("MatMul", wide), own)
    ends = [number(value, write, "zero_point", np.int8) for value in zero_points]
    return ComputedTensor(write.node("MatMulInteger", [*names, *ends]), own)


def _centred(name: str, zero_point: int, write: Writer) -> str:
    wide = write.node("Cast", [name], to=TensorProto.INT64)
    return write.node("Sub", [wide, number(zero_point, write, "zero_point")]) if zero_point else wide
