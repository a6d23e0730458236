"""Convolutions and the matrix product, of integers minus their zero points, in the accumulator's type."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ConvolutionWindow
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.dialects.stablehlo.dimension_numbers import ConvDimensionNumbers, DotDimensionNumbers
from qconvert.ir import element_type, shape
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, held, translates

_Convolution = tosa.ConvolutionOp | tosa.TransposeConv2DOp


@translates(tosa.Conv2DOp, tosa.Conv3DOp)
def convolution(op: tosa.ConvolutionOp, build: Translation) -> SSAValue:
    """Multiply each window by the kernel, (outputs, spatial, inputs), and add the bias."""
    image, weight = _centred(op, build)
    return _convolved(op, build, (image, weight), _window(op))


@translates(tosa.DepthwiseConv2DOp)
def depthwise_convolution(op: tosa.DepthwiseConv2DOp, build: Translation) -> SSAValue:
    """Multiply each channel's windows by the channel's kernels, (height, width, channels, multiplier)."""
    image, weight = _centred(op, build)
    height, width, channels, multiplier = shape(op.weight)
    kernel = build.add(stablehlo.ReshapeOp(weight, (height, width, 1, channels * multiplier)))
    outputs_first = build.transpose(kernel, (3, 0, 1, 2))
    return _convolved(op, build, (image, outputs_first), _window(op), channels)


@translates(tosa.TransposeConv2DOp)
def transpose_convolution(op: tosa.TransposeConv2DOp, build: Translation) -> SSAValue:
    """Convolve the input, dilated by the strides, with the reversed kernel."""
    image, weight = _centred(op, build)
    pads, sizes = as_tuple(op.out_pad), shape(op.weight)[1:3]
    edges = [(sizes[i] - 1 + pads[2 * i], sizes[i] - 1 + pads[2 * i + 1]) for i in range(2)]
    window = ConvolutionWindow.of(2, padding=edges, lhs_dilation=as_tuple(op.stride))
    return _convolved(op, build, (image, build.add(stablehlo.ReverseOp(weight, (1, 2)))), window)


@translates(tosa.MatMulOp)
def matmul(op: tosa.MatMulOp, build: Translation) -> SSAValue:
    """Multiply a pair of matrices for each index of the leading dimension."""
    wide = held(element_type(op.output))
    a, b = build.less(op.a, op.a_zp, wide), build.less(op.b, op.b_zp, wide)
    return build.add(stablehlo.DotGeneralOp(a, b, DotDimensionNumbers((0,), (0,), (2,), (1,))))


def _centred(op: _Convolution, build: Translation) -> tuple[SSAValue, SSAValue]:
    """Return image and weight minus their zero points."""
    wide = held(element_type(op.output))
    return build.less(op.input, op.input_zp, wide), build.less(op.weight, op.weight_zp, wide)


def _window(op: tosa.ConvolutionOp) -> ConvolutionWindow:
    window = op.window
    padding = list(zip(window.pad[::2], window.pad[1::2], strict=True))
    return ConvolutionWindow.of(
        len(window.stride), strides=window.stride, padding=padding, rhs_dilation=window.dilation
    )


def _convolved(
    op: _Convolution,
    build: Translation,
    operands: tuple[SSAValue, SSAValue],
    window: ConvolutionWindow,
    groups: int = 1,
) -> SSAValue:
    """Return the convolution of (batch, spatial, features) with (outputs, spatial, inputs), plus the bias."""
    last = len(shape(op.output)) - 1
    spatial = tuple(range(1, last))
    numbers = ConvDimensionNumbers(0, last, spatial, last, 0, spatial, 0, last, spatial)
    sums = build.add(stablehlo.ConvolutionOp(*operands, numbers, window, feature_group_count=groups))
    return build.add(stablehlo.AddOp(sums, build.spread(op.bias, shape(op.output))))
