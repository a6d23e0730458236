"""TRANSPOSE_CONV: convolutions of dilated images."""

from __future__ import annotations

from typing import NamedTuple

import tflite

from qconvert.backends.tflite.accumulated import Accumulated
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer
from qconvert.backends.tflite.padding import cropped
from qconvert.backends.tflite.sums import enlarged, widened
from qconvert.backends.tflite.weights import Operands, laid_out, without_zero_point
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.padding import same_padding
from qconvert.ir import shape
from qconvert.support.errors import ConversionError

_MAX_STRIDE = (1 << 15) - 1
"""The largest stride that LiteRT takes (``transpose_conv.cc``, which compares it with INT16_MAX)."""

_Convolution = stablehlo.ConvolutionOp | composite.WideConvolutionOp


class _Crop(NamedTuple):
    """The padding of the operator, and the rows and columns to remove in front of its result and behind it."""

    padding: int
    low: tuple[int, int] = (0, 0)
    high: tuple[int, int] = (0, 0)


def transposed(op: _Convolution, image: Tensor, bias: Tensor, found: Accumulated, write: Writer) -> Tensor:
    """Write TRANSPOSE_CONV with the kernel reversed; what SAME and VALID cannot crop is a SLICE behind it."""
    numbers, window = op.numbers, op.window
    if op.groups != 1 or any(step != 1 for step in (*window.strides, *window.rhs_dilation)):
        raise ConversionError(
            "TFLite's TRANSPOSE_CONV has neither groups nor strides or dilations of the kernel",
            hint="Write each group as a convolution of its own, and zeros between the kernel's elements",
        )
    if max(window.lhs_dilation) > _MAX_STRIDE:
        raise ConversionError(f"TFLite's TRANSPOSE_CONV takes strides up to {_MAX_STRIDE:,}, not {window.lhs_dilation}")
    order = (numbers.kernel_output_feature, *numbers.kernel_spatial, numbers.kernel_input_feature)
    weights = widened(laid_out(op, order, 0, write, reversed_axes=(1, 2)))
    output = write.result(found.value)
    crop = _crop(op, image, output)
    batch, height, width, features = output.shape
    sizes = (batch, height + crop.low[0] + crop.high[0], width + crop.low[1] + crop.high[1], features)
    operands = without_zero_point(Operands(image, weights, bias, output.element), write)
    if not found.follows_litert:
        operands = enlarged(operands, 0, write)
    is_last = sizes == output.shape and operands.result == output.element
    made = output if is_last else write.derived(output, "whole", sizes, operands.result)
    inputs = [write.integers(sizes, "shape"), operands.weights, operands.activations, operands.bias]
    fields = {
        "Padding": crop.padding,
        "StrideH": window.lhs_dilation[0],
        "StrideW": window.lhs_dilation[1],
        "FusedActivationFunction": found.activation,
    }
    options, version = Options("TransposeConvOptions", fields), 4 if found.activation else 3
    write.operator(tflite.BuiltinOperator.TRANSPOSE_CONV, inputs, made, options, version=version)
    crops = [(0, 0), *zip(crop.low, crop.high, strict=True), (0, 0)]
    if operands.result != output.element:
        return write.requantized(cropped(write, made, crops), output.element, output)
    return made if made is output else cropped(write, made, crops, output)


def _crop(op: _Convolution, image: Tensor, output: Tensor) -> _Crop:
    """Return SAME where it crops what the convolution's padding does, else VALID and the rest.

    LiteRT computes the rows that SAME crops in front from the sizes as for the forward convolution. It computes the
    image's sizes from the result's, too. Raises ConversionError for padding that adds as many rows as a stride.
    """
    kernel, steps = [shape(op.rhs)[i] for i in op.numbers.kernel_spatial], op.window.lhs_dilation
    before = [taps - 1 - low for taps, (low, _) in zip(kernel, op.window.padding, strict=True)]
    sizes, given = output.shape[1:3], image.shape[1:3]
    whole = [(size - 1) * step + taps for size, step, taps in zip(given, steps, kernel, strict=True)]
    added = [low + size - wide for wide, low, size in zip(whole, before, sizes, strict=True)]
    if min(before) < 0 or any(more >= step for more, step in zip(added, steps, strict=True)):
        raise ConversionError(
            f"the padding {op.window.padding} of a transposed convolution exceeds its kernel", hint="Pad its result"
        )
    forward = [same_padding(size, taps, step)[0] for size, taps, step in zip(sizes, kernel, steps, strict=True)]
    fits = all(-(-size // step) == count for size, step, count in zip(sizes, steps, given, strict=True))
    if fits and before == forward:
        return _Crop(tflite.Padding.SAME)
    high = [max(0, -more) for more in added]
    return _Crop(tflite.Padding.VALID, (before[0], before[1]), (high[0], high[1]))
