"""ConvInteger for convolutions of 8-bit integers that are widened first.

On x86 processors without VNNI onnxruntime adds products of a signed image and unsigned weights in 16 bits, with
saturation. Weights are signed here, which is exact for every image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from qconvert.backends.onnx.builder import held_dtype
from qconvert.backends.onnx.lowering import ComputedTensor, ConstantTensor, Layout, Tensor, Writer
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ConvDimensionNumbers, ConvolutionWindow
from qconvert.ir import broadcast, element_type, i32, mapped, shape, transposed, windows_of
from qconvert.support.errors import ConversionError

_BYTE = np.iinfo(np.uint8)
_HALF = 128


def image_layout(numbers: ConvDimensionNumbers) -> Layout:
    """Return the layout of an image with channels first."""
    return (numbers.input_batch, numbers.input_feature, *numbers.input_spatial)


def kernel_layout(numbers: ConvDimensionNumbers) -> Layout:
    """Return the layout of a kernel with output channels first."""
    return (numbers.kernel_output_feature, numbers.kernel_input_feature, *numbers.kernel_spatial)


def output_layout(numbers: ConvDimensionNumbers) -> Layout:
    """Return the layout of a result with channels first."""
    return (numbers.output_batch, numbers.output_feature, *numbers.output_spatial)


def conv_integer(
    names: Sequence[str],
    numbers: ConvDimensionNumbers,
    window: ConvolutionWindow,
    kernel: Sequence[int],
    groups: int,
    write: Writer,
) -> str:
    """Write ConvInteger of an image, weights of the shape ``kernel``, and their zero points."""
    return write.node("ConvInteger", names, **attributes_of(numbers, window, kernel, groups))


def attributes_of(
    numbers: ConvDimensionNumbers, window: ConvolutionWindow, kernel: Sequence[int], groups: int
) -> dict[str, Any]:
    """Return the attributes of Conv and ConvInteger for weights of the shape ``kernel``."""
    return {
        "kernel_shape": [kernel[i] for i in numbers.kernel_spatial],
        "strides": window.strides,
        "pads": [pair[side] for side in (0, 1) for pair in window.padding],
        "dilations": window.rhs_dilation,
        "group": groups,
    }


def _has_conv_integer(op: stablehlo.ConvolutionOp) -> bool:
    """Return True if ConvInteger expresses the convolution's window."""
    window = op.window
    is_plain = op.batch_groups == 1 and max(window.lhs_dilation, default=1) == 1 and bool(op.numbers.input_spatial)
    return is_plain and min((pad for pair in window.padding for pad in pair), default=0) >= 0


def plain_convolution(op: stablehlo.ConvolutionOp, write: Writer) -> Tensor:
    """Write ConvInteger for operands that are widened 8-bit integers, minus a zero point each.

    Raises ConversionError for other operands.
    """
    lhs = _bytes(op.lhs, image_layout(op.numbers), "input", write)
    rhs = _bytes(op.rhs, kernel_layout(op.numbers), "weight", write)
    if lhs is None or rhs is None or element_type(op.result) != i32 or not _has_conv_integer(op):
        raise ConversionError(
            "ConvInteger supports only 8-bit operands and a 32-bit result",
            hint="Use floats or quantized types",
        )
    weights = rhs.signed(write)
    names = [lhs.name, weights.name, lhs.zero_point, weights.zero_point]
    made = conv_integer(names, op.numbers, op.window, shape(op.rhs), op.groups, write)
    return ComputedTensor(made, output_layout(op.numbers))


def is_of_few_bytes(value: SSAValue) -> bool:
    """Return True if a value is a widened 8-bit integer, or the sum or difference of two."""
    owner = value.owner
    sides = owner.operands if isinstance(owner, stablehlo.SubtractOp | stablehlo.AddOp) else [value]
    return all(_is_widened_byte(side) for side in sides)


def _is_widened_byte(value: SSAValue) -> bool:
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return all((abs(piece.astype(np.int64)) <= _BYTE.max).all() for piece in windows_of(owner.held))
    return isinstance(owner, stablehlo.ConvertOp) and _is_byte(element_type(owner.operand))


@dataclass(frozen=True)
class _Bytes:
    """The tensors of 8-bit integers and of their zero point."""

    name: str
    zero_point: str
    is_signed: bool

    def signed(self, write: Writer) -> _Bytes:
        """Return equal differences of integers with a sign: both tensors are 128 less."""
        if self.is_signed:
            return self
        return _Bytes(_less(self.name, write), _less(self.zero_point, write), is_signed=True)


def _less(name: str, write: Writer) -> str:
    wide = write.node("Cast", [name], to=TensorProto.INT32)
    half = write.initializer(np.asarray(_HALF, np.int32), write.constant_name("half"))
    return write.node("Cast", [write.node("Sub", [wide, half])], to=TensorProto.INT8)


def _bytes(value: SSAValue, layout: Layout, role: str, write: Writer) -> _Bytes | None:
    """Return the tensors of 8-bit integers and zero point whose difference a value is, or None."""
    known = write.known(value)
    if known is not None:
        return _known_bytes(known, value, layout, role, write)
    owner, zero_point = value.owner, None
    if isinstance(owner, stablehlo.SubtractOp):
        subtract: stablehlo.BinaryOp = owner
        owner, zero_point = subtract.lhs.owner, subtract.rhs
    if not isinstance(owner, stablehlo.ConvertOp) or not _is_byte(element_type(owner.operand)):
        return None
    element = element_type(owner.operand)
    less = _zero_point(zero_point, element, role, write)
    if less is None:
        return None
    return _Bytes(write.floats(owner.operand, layout, role), less, held_dtype(element).kind == "i")


def _known_bytes(known: ConstantTensor, value: SSAValue, layout: Layout, role: str, write: Writer) -> _Bytes | None:
    """Return constants as bytes and their zero point, or None if their range is wider than 8 bits.

    Weights are signed, an image is not: each is exact with whatever the other one is.
    """
    ends = [(int(window.min()), int(window.max())) for window in windows_of(known.held)]
    zero_point = max(0, -min((low for low, _ in ends), default=0))
    if zero_point > _BYTE.max or max((high for _, high in ends), default=0) + zero_point > _BYTE.max:
        return None
    held = transposed(broadcast(known.held, shape(value)), layout)
    label, is_signed = write.constant_name(role), role == "weight"
    less, dtype = (_HALF, np.int8) if is_signed else (0, np.uint8)
    moved = mapped(held, lambda array: (array.astype(np.int64) + zero_point - less).astype(dtype), np.dtype(dtype))
    stored = write.initializer(moved, f"{label}_stored")
    number = write.initializer(np.asarray(zero_point - less, dtype), f"{label}_zero_point")
    return _Bytes(stored, number, is_signed)


def _zero_point(value: SSAValue | None, element: Attribute, role: str, write: Writer) -> str | None:
    """Return an 8-bit scalar for a subtracted value, or None.

    The value is a constant scalar, or an 8-bit scalar that is widened and repeated.
    """
    dtype, known = held_dtype(element), None if value is None else write.known(value)
    if value is None or known is not None:
        number = 0 if known is None else known.number()
        limits = np.iinfo(dtype.name)
        if number is None or not limits.min <= number <= limits.max:
            return None
        return write.initializer(np.asarray(number).astype(dtype), write.constant_name(f"{role}_zero_point"))
    while isinstance(owner := value.owner, stablehlo.BroadcastInDimOp | stablehlo.ConvertOp):
        if element_type(value) == element and not shape(value):
            break
        value = owner.operand
    return write.floats(value) if element_type(value) == element and not shape(value) else None


def _is_byte(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element.width.data == 8
