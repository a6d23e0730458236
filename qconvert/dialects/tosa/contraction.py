"""Convolutions and the matrix product: NHWC activations, accumulators of a wider type as results.

Source: TOSA specification 1.0, "CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D", "MATMUL".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, Float8E4M3FNType, Float8E5M2Type, TensorType, bf16, f16
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from qconvert.dialects.stablehlo.base import integers
from qconvert.dialects.tosa.base import TosaOp, check_accumulator, listed
from qconvert.dialects.tosa.element_types import FLOATS, FLOATS_8, TypeTable, type_table
from qconvert.dialects.tosa.quantization import i16, i48
from qconvert.ir import Tensor, f32, i32, is_float, shape, tensor, tensor_type
from qconvert.support.errors import ConversionError


class ConvWindow(NamedTuple):
    """Padding (low and high of each spatial dimension in turn), strides and dilations."""

    pad: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]

    def output_size(self, dimension: int, size: int, kernel: int) -> int:
        """Return the extent of one spatial dimension; raises ConversionError if the windows do not cover it exactly."""
        if min(*self.pad, *(step - 1 for step in (*self.stride, *self.dilation)), kernel - 1) < 0:
            raise ConversionError("a kernel, a stride or a dilation is less than 1, or padding is negative")
        low, high = self.pad[2 * dimension : 2 * dimension + 2]
        room = size - 1 + low + high - (kernel - 1) * self.dilation[dimension]
        stride = self.stride[dimension]
        if room < 0 or room % stride:
            raise ConversionError(
                f"windows of {kernel} by {stride} do not cover {size} elements, padded by {low} and {high}, exactly"
            )
        return room // stride + 1


_SUMS = (
    ("i8", "i8", "i32", "i32"),
    ("i8", "i4", "i32", "i32"),
    ("i16", "i8", "i48", "i48"),
    *((name, name, "f16", "f16") for name in (*FLOATS_8, "f16")),
    *((name, name, name, "f32") for name in FLOATS),
)
"""Input, weights, bias and accumulator of a convolution."""

CONVOLUTIONS = type_table(*(f"{a} {b} {bias} {a} {b} {sums} {bias}" for a, b, bias, sums in _SUMS))

_PRODUCTS = (
    *(f"{name} {name} {name} {name} f16" for name in (*FLOATS_8, "f16")),
    *(f"{name} {name} {name} {name} f32" for name in FLOATS),
)
"""Operands, zero points and result of MATMUL of floats."""


class ConvolutionOp(TosaOp):
    """The base of the convolutions: input, weight, bias, two zero points, a window, the accumulator's type."""

    SPATIAL: ClassVar[int] = 2
    TYPES: ClassVar[TypeTable] = CONVOLUTIONS

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    bias = operand_def(TensorType)
    input_zp = operand_def(TensorType)
    weight_zp = operand_def(TensorType)
    SCALARS: ClassVar[tuple[str, ...]] = ("input_zp", "weight_zp")
    pad = prop_def(DenseArrayBase)
    stride = prop_def(DenseArrayBase)
    dilation = prop_def(DenseArrayBase)
    acc_type = prop_def(Attribute)
    local_bound = opt_prop_def(BoolAttr)
    output = result_def(TensorType)

    def __init__(self, operands: Sequence[SSAValue], window: ConvWindow, accumulator: Attribute) -> None:
        """Make the op from its five operands in order; the result has elements of the ``accumulator``'s type."""
        super().__init__(
            operands,
            {
                "pad": integers(window.pad),
                "stride": integers(window.stride),
                "dilation": integers(window.dilation),
                "acc_type": accumulator,
            },
        )

    @property
    def window(self) -> ConvWindow:
        """The window; raises ConversionError where a list has the wrong length."""
        count = self.SPATIAL
        return ConvWindow(listed(self.pad, 2 * count), listed(self.stride, count), listed(self.dilation, count))

    def infer(self) -> Tensor:
        """Return batch, the number of window positions, and the weight's outputs."""
        check_accumulator(self.acc_type)
        image, weight, window = shape(self.input), shape(self.weight), self.window
        if {len(image), len(weight)} != {self.SPATIAL + 2} or image[-1] != self.inputs:
            raise ConversionError(f"an input of shape {image} does not fit weights of shape {weight}")
        sizes = [window.output_size(i, image[1 + i], size) for i, size in enumerate(self.kernel_sizes)]
        outputs = self.outputs
        if shape(self.bias) not in ((outputs,), (1,)):
            raise ConversionError(f"a bias of shape {shape(self.bias)} does not fit {outputs} outputs")
        return tensor_type(self.result_element, [image[0], *sizes, outputs])

    @property
    def result_element(self) -> Attribute:
        """The bias's element type: the accumulator's for integers and floats of 8 bits, else the input's."""
        return tensor(self.bias).element_type

    @property
    def kernel_sizes(self) -> tuple[int, ...]:
        """The weight's spatial extents, of shape (outputs, spatial, inputs)."""
        return shape(self.weight)[1:-1]

    @property
    def inputs(self) -> int:
        """The number of features that a window covers."""
        return shape(self.weight)[-1]

    @property
    def outputs(self) -> int:
        """The number of features of the result."""
        return shape(self.weight)[0]


@irdl_op_definition
class Conv2DOp(ConvolutionOp):
    """Input (N, H, W, inputs), weight (outputs, KH, KW, inputs)."""

    name = "tosa.conv2d"


@irdl_op_definition
class Conv3DOp(ConvolutionOp):
    """Input (N, D, H, W, inputs), weight (outputs, KD, KH, KW, inputs)."""

    name = "tosa.conv3d"
    SPATIAL: ClassVar[int] = 3


@irdl_op_definition
class DepthwiseConv2DOp(ConvolutionOp):
    """Input (N, H, W, channels), weight (KH, KW, channels, multiplier); output ``channel * multiplier + m``."""

    name = "tosa.depthwise_conv2d"

    @property
    def kernel_sizes(self) -> tuple[int, ...]:
        """The weight's leading dimensions."""
        return shape(self.weight)[:2]

    @property
    def inputs(self) -> int:
        """The number of channels; each has its own windows."""
        return shape(self.weight)[2]

    @property
    def outputs(self) -> int:
        """Channels times multiplier."""
        return shape(self.weight)[2] * shape(self.weight)[3]


@irdl_op_definition
class TransposeConv2DOp(TosaOp):
    """Input (N, H, W, inputs), weight (outputs, KH, KW, inputs): each input element spreads the kernel over the output.

    ``out_pad`` (top, bottom, left, right) adds to the output, or crops it where negative.
    """

    name = "tosa.transpose_conv2d"
    TYPES: ClassVar[TypeTable] = CONVOLUTIONS

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    bias = operand_def(TensorType)
    input_zp = operand_def(TensorType)
    weight_zp = operand_def(TensorType)
    SCALARS: ClassVar[tuple[str, ...]] = ("input_zp", "weight_zp")
    out_pad = prop_def(DenseArrayBase)
    stride = prop_def(DenseArrayBase)
    acc_type = prop_def(Attribute)
    local_bound = opt_prop_def(BoolAttr)
    output = result_def(TensorType)

    def __init__(
        self, operands: Sequence[SSAValue], out_pad: Sequence[int], stride: Sequence[int], accumulator: Attribute
    ) -> None:
        """Make the op from its five operands in order; the result has elements of the ``accumulator``'s type."""
        super().__init__(
            operands,
            {"out_pad": integers(out_pad), "stride": integers(stride), "acc_type": accumulator},
        )

    def infer(self) -> Tensor:
        """Return batch, ``(size - 1) * stride + kernel + out_pad`` for each spatial dimension, and outputs."""
        check_accumulator(self.acc_type)
        image, kernel = shape(self.input), shape(self.weight)
        pads, strides = listed(self.out_pad, 4), listed(self.stride, 2)
        if len(image) != 4 or len(kernel) != 4 or image[3] != kernel[3]:
            raise ConversionError(f"an input of shape {image} does not fit weights of shape {kernel}")
        if min(strides) < 1:
            raise ConversionError(f"a stride is less than 1: {list(strides)}")
        if any(pad <= -kernel[1 + i // 2] for i, pad in enumerate(pads)):
            raise ConversionError(f"out_pad {tuple(pads)} crops a whole kernel of shape {kernel[1:3]}")
        sizes = [(image[1 + i] - 1) * strides[i] + pads[2 * i] + pads[2 * i + 1] + kernel[1 + i] for i in range(2)]
        return tensor_type(tensor(self.bias).element_type, [image[0], *sizes, kernel[0]])


@irdl_op_definition
class MatMulOp(TosaOp):
    """The matrix product (N, H, C) x (N, C, W); i8 accumulates in i32, i16 in i48.

    A product of bf16 is in f32, one of f16 in f16 or f32, one of floats of 8 bits in f16.
    """

    name = "tosa.matmul"
    TYPES: ClassVar[TypeTable] = type_table("i8 i8 i8 i8 i32", "i16 i16 i16 i16 i48", *_PRODUCTS)

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    a_zp = operand_def(TensorType)
    b_zp = operand_def(TensorType)
    SCALARS: ClassVar[tuple[str, ...]] = ("a_zp", "b_zp")
    output = result_def(TensorType)

    def __init__(self, operands: Sequence[SSAValue]) -> None:
        """Make the op; ``operands`` are a, b and their zero points."""
        super().__init__(operands, {})

    def infer(self) -> Tensor:
        """Return (N, H, W) in the accumulator's type."""
        a, b = shape(self.a), shape(self.b)
        if len(a) != 3 or len(b) != 3 or a[0] != b[0] or a[2] != b[1]:
            raise ConversionError(f"matrices of shapes {a} and {b} cannot be multiplied")
        element, given = tensor(self.a).element_type, tensor(self.output).element_type
        widened = element == f16 and given == f32
        return tensor_type(given if widened else accumulator_element(element), [a[0], a[1], b[2]])


def accumulator_element(element: Attribute) -> Attribute:
    """Return the element type of sums of products: i32 for 8 bits and fewer, i48 for 16 bits, f32 for bf16.

    f16 for floats of 8 bits and f16, f32 for f32.
    """
    return f32 if element == bf16 else bias_element(element)


def bias_element(element: Attribute) -> Attribute:
    """Return the element type of the bias and the result of a convolution of operands of an element type."""
    if is_float(element):
        return f16 if element in (Float8E4M3FNType(), Float8E5M2Type()) else element
    return i48 if element == i16 else i32
