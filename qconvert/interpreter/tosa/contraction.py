"""Convolutions and the matrix product; integers are exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.tosa import contraction
from qconvert.interpreter.contraction import convolve
from qconvert.interpreter.implementation import Array, implements_tosa
from qconvert.ir import numpy_dtype, tensor


@implements_tosa(contraction.Conv2DOp, contraction.Conv3DOp)
def convolution(op: contraction.ConvolutionOp, operands: Sequence[Array]) -> Array:
    """Multiply each window by the kernel, (outputs, spatial, inputs), and add the bias."""
    image, weight = _centred(operands)
    return _accumulated(op, convolve(image, _kernel(weight), _window(op.window), 1), operands[2])


@implements_tosa(contraction.DepthwiseConv2DOp)
def depthwise_convolution(op: contraction.DepthwiseConv2DOp, operands: Sequence[Array]) -> Array:
    """Multiply each channel's windows by the channel's kernels, (height, width, channels, multiplier)."""
    image, weight = _centred(operands)
    height, width, channels, multiplier = weight.shape
    kernel = weight.reshape(height, width, 1, channels * multiplier)
    return _accumulated(op, convolve(image, kernel, _window(op.window), channels), operands[2])


@implements_tosa(contraction.TransposeConv2DOp)
def transpose_convolution(op: contraction.TransposeConv2DOp, operands: Sequence[Array]) -> Array:
    """Convolve the input, dilated by the strides, with the reversed kernel."""
    image, weight = _centred(operands)
    pads, sizes = stablehlo.as_tuple(op.out_pad), weight.shape[1:3]
    edges = tuple((sizes[i] - 1 + pads[2 * i], sizes[i] - 1 + pads[2 * i + 1]) for i in range(2))
    window = stablehlo.ConvolutionWindow.of(2, padding=edges, lhs_dilation=stablehlo.as_tuple(op.stride))
    return _accumulated(op, convolve(image, np.flip(_kernel(weight), (0, 1)), window, 1), operands[2])


@implements_tosa(contraction.MatMulOp)
def matmul(op: contraction.MatMulOp, operands: Sequence[Array]) -> Array:
    """Multiply a pair of matrices for each index of the leading dimension."""
    a, b = (_less(operands[i], operands[2 + i]) for i in range(2))
    product = np.matmul(a, b) if a.dtype.kind not in "iu" else numerics.exact_matmul(a, b)
    return np.asarray(product, numpy_dtype(tensor(op.output).element_type))


def _centred(operands: Sequence[Array]) -> tuple[Array, Array]:
    """Return image and weight minus their zero points."""
    return _less(operands[0], operands[3]), _less(operands[1], operands[4])


def _less(array: Array, zero_point: Array) -> Array:
    if array.dtype.kind not in "iu":
        return array
    return array.astype(np.int32) - np.int32(zero_point.item())


def _kernel(weight: Array) -> Array:
    """Return (outputs, spatial, inputs) as (spatial, inputs, outputs)."""
    return np.moveaxis(weight, 0, -1)


def _window(window: contraction.ConvWindow) -> stablehlo.ConvolutionWindow:
    count = len(window.stride)
    padding = [(window.pad[2 * i], window.pad[2 * i + 1]) for i in range(count)]
    return stablehlo.ConvolutionWindow.of(count, strides=window.stride, padding=padding, rhs_dilation=window.dilation)


def _accumulated(op: contraction.ConvolutionOp | contraction.TransposeConv2DOp, sums: Array, bias: Array) -> Array:
    """Add the bias in the accumulator's type; TOSA leaves overflow undefined."""
    dtype = numpy_dtype(tensor(op.output).element_type)
    return np.asarray(sums.astype(dtype, copy=False) + bias.astype(dtype, copy=False))
