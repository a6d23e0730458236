"""Pools over height and width."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto

from qconvert.backends.onnx.integers import image_layout
from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits_tosa
from qconvert.backends.onnx.tosa.bounds import reach
from qconvert.backends.onnx.tosa.contraction import KernelTensor, Window, channels_last, constant_zero, integer_sums
from qconvert.backends.onnx.tosa.elementwise import check_nan
from qconvert.backends.onnx.tosa.fixed_point import Factor, cast, saturated, scaled
from qconvert.dialects import tosa
from qconvert.dialects.stablehlo import ConvolutionWindow
from qconvert.dialects.tosa.quantization import i16
from qconvert.ir import element_type, f32, is_float, shape
from qconvert.numerics import average_multiplier

_LAYOUT = image_layout(channels_last(4))


def _attributes(op: tosa.PoolOp) -> dict[str, Any]:
    pads = op.window.pad
    return {"kernel_shape": list(op.sizes), "strides": list(op.window.stride), "pads": [*pads[::2], *pads[1::2]]}


@emits_tosa(tosa.MaxPool2DOp)
def max_pool2d(op: tosa.MaxPool2DOp, write: Writer) -> Tensor:
    """Write MaxPool, of 16-bit integers in floats, which hold them."""
    check_nan(op)
    name, element = write.floats(op.input, _LAYOUT), element_type(op.input)
    held = f32 if element == i16 else element
    made = write.node("MaxPool", [cast(name, element, held, write)], **_attributes(op))
    return ComputedTensor(cast(made, held, element, write), _LAYOUT)


@emits_tosa(tosa.AvgPool2DOp)
def avg_pool2d(op: tosa.AvgPool2DOp, write: Writer) -> Tensor:
    """Divide the sum under each window by its number of elements, without the padding.

    Sums of integers are convolutions by ones, multiplied by a reciprocal in fixed point, as TOSA defines it.
    """
    name, element = write.floats(op.input, _LAYOUT), element_type(op.input)
    if is_float(element):
        return ComputedTensor(write.node("AveragePool", [name], count_include_pad=0, **_attributes(op)), _LAYOUT)
    counts = op.counts
    multiplier, shift = average_multiplier(counts)
    largest, zero_point = reach(op.input, write) + abs(constant_zero(op.input_zp)), constant_zero(op.output_zp)
    most = int(counts.max()) * largest
    averages = scaled(_sums(op, name, write), Factor(multiplier, shift), most, zero_point, write)
    return ComputedTensor(saturated(averages, element, largest + abs(zero_point) + 1, write), _LAYOUT)


def _sums(op: tosa.AvgPool2DOp, name: str, write: Writer) -> str:
    """Write the sum under each window, minus the zero points, in 64 bits: every channel is an image of its own."""
    batch, height, width, channels = shape(op.input)
    pad = op.window.pad
    window = ConvolutionWindow.of(2, strides=op.window.stride, padding=[(pad[0], pad[1]), (pad[2], pad[3])])
    sliding = Window(window, (batch * channels, 1, height, width), (1, 1, *op.sizes), 1)
    images = write.node("Reshape", [name, write.integers(sliding.image, "shape")])
    ones, element = KernelTensor(sliding.kernel, np.ones(sliding.kernel, np.int8), "", 0), element_type(op.input)
    sums = integer_sums(sliding, images, (constant_zero(op.input_zp), element == i16), ones, write)
    sizes = [shape(op.output)[i] for i in _LAYOUT]
    wide = sums if element == i16 else write.node("Cast", [sums], to=TensorProto.INT64)
    return write.node("Reshape", [wide, write.integers(sizes, "shape")])
