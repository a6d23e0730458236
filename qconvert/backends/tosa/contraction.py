"""Convolutions and matrix products: one TOSA contraction with its bias, whose accumulator is rescaled after it.

TOSA wants activations as (batch, spatial.., features) and weights as (outputs, spatial.., inputs). The dimension
numbers determine the transposes. Weights are laid out during the conversion.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log2, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.backends.tosa.integers import integer_contraction, is_plain
from qconvert.backends.tosa.lowering import Lowering, lowers, lowers_litert
from qconvert.dialects import composite, stablehlo, tosa
from qconvert.dialects.constants import is_constant
from qconvert.expansion.builder import i16, i48
from qconvert.expansion.contraction import matrix_product, of_element, zero_point_of
from qconvert.expansion.expander import per_tensor
from qconvert.expansion.wide import constant_bias, requantized_sums
from qconvert.ir import element_type, flipped, i32, is_float, quantized, same_scales, shape, sliced
from qconvert.rewriting import INT32_LIMIT, accumulator_bound, tail_of
from qconvert.support.errors import ConversionError

Convolution = stablehlo.ConvolutionOp | composite.WideConvolutionOp
_Contraction = Convolution | stablehlo.DotGeneralOp
Finish = Callable[[SSAValue, slice], SSAValue]
"""A function of the sums of some outputs, which are a slice of all outputs."""


class Accumulated(NamedTuple):
    """The value that an accumulator represents, and the bias that it includes."""

    value: SSAValue
    bias: NDArray[Any]


@lowers(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp, lower: Lowering) -> SSAValue:
    """Lower to an accumulator with its bias, and a RESCALE unless the result is the accumulator."""
    if is_plain(op):
        return integer_contraction(op, lower, _convolution_sums)
    outputs = shape(op.rhs)[op.numbers.kernel_output_feature]
    target = with_bias(op, op.numbers.output_feature, outputs)
    made = _in_type(op, lower, accumulated(op, lower, target.bias), target.value)
    return _defined(op, lower, target, ordered(op, lower, made))


def _convolution_sums(op: stablehlo.ConvolutionOp, lower: Lowering) -> SSAValue:
    """Return the accumulator without a bias as the result."""
    bias = np.zeros(shape(op.rhs)[op.numbers.kernel_output_feature], np.int64)
    return ordered(op, lower, accumulated(op, lower, bias))


def _narrowed(lower: Lowering) -> Finish:
    """Return the function that rescales sums of 48 bits, which CONCAT does not take, to i32."""
    return lambda sums, _: lower.rescale(sums, 1.0, i32) if element_type(sums) == i48 else sums


def accumulated(op: Convolution, lower: Lowering, bias: NDArray[Any], finish: Finish | None = None) -> SSAValue:
    """Return the accumulator of a convolution with its bias.

    If there are several groups, ``finish`` takes the sums of each before they are concatenated.

    The op is DEPTHWISE_CONV2D if every feature is a group, TRANSPOSE_CONV2D if the image is dilated, else CONV2D or
    CONV3D.
    """
    numbers = op.numbers
    _check_dimensions(op)
    image = lower.transpose(lower[op.lhs], (numbers.input_batch, *numbers.input_spatial, numbers.input_feature))
    image = lower.reshape(image, _planar(shape(image), 1))
    if not _is_transposed(op) and op.groups == shape(image)[-1] != 1:
        return _depthwise(op, lower, image, bias)
    weight = _laid_out(op, lower, (numbers.kernel_output_feature, *_spatial_then_inputs(op)))
    if op.groups != 1:
        return _grouped(op, lower, (image, weight), bias, finish or _narrowed(lower))
    return _sums(op, lower, (image, weight), bias)


def _is_transposed(op: Convolution) -> bool:
    return any(step != 1 for step in op.window.lhs_dilation)


def _sums(op: Convolution, lower: Lowering, operands: tuple[SSAValue, SSAValue], bias: NDArray[Any]) -> SSAValue:
    """Return the accumulator of one group of features."""
    if _is_transposed(op):
        return _transposed(op, lower, operands, bias)
    kind = tosa.Conv3DOp if len(shape(operands[0])) == 5 else tosa.Conv2DOp
    return _convolved(op, lower, kind, operands, bias)


def ordered(op: Convolution, lower: Lowering, made: SSAValue) -> SSAValue:
    """Return a convolution's features-last result with its dimensions in the IR's order."""
    numbers = op.numbers
    order = (numbers.output_batch, *numbers.output_spatial, numbers.output_feature)
    made = lower.reshape(made, [shape(op.result)[i] for i in order])
    return lower.transpose(made, np.argsort(order).tolist())


def _check_dimensions(op: Convolution) -> None:
    """Raise ConversionError for dimensions that TOSA's convolutions do not support."""
    spatial = len(op.numbers.input_spatial)
    if spatial not in (1, 2, 3) or op.batch_groups != 1:
        raise ConversionError("TOSA's convolutions need one to three spatial dimensions and support no batch groups")
    if spatial == 3 and (op.groups != 1 or any(step != 1 for step in op.window.lhs_dilation)):
        raise ConversionError(
            "TOSA's CONV3D supports neither groups nor dilated operands",
            hint="Write each group as a convolution of its own",
        )


def _planar(sizes: tuple[int, ...], spatial: int) -> tuple[int, ...]:
    """Return sizes with at least two spatial dimensions from ``spatial`` on; a missing second one has size 1."""
    return sizes if len(sizes) >= 4 else (*sizes[: spatial + 1], 1, *sizes[spatial + 1 :])


def _planar_window(window: stablehlo.ConvolutionWindow) -> stablehlo.ConvolutionWindow:
    if len(window.strides) > 2:
        return window
    return stablehlo.ConvolutionWindow.of(
        2,
        strides=(*window.strides, 1)[:2],
        padding=(*window.padding, (0, 0))[:2],
        lhs_dilation=(*window.lhs_dilation, 1)[:2],
        rhs_dilation=(*window.rhs_dilation, 1)[:2],
    )


def _laid_out(op: Convolution, lower: Lowering, order: tuple[int, ...]) -> SSAValue:
    """Return the weights in an order of dimensions that starts with the outputs or the spatial dimensions.

    A second spatial dimension of size 1 is added if there is only one.
    """
    weight = lower.transpose(lower.whole(op.rhs), order)
    return lower.reshape(weight, _planar(shape(weight), order.index(op.numbers.kernel_spatial[0])))


def _spatial_then_inputs(op: Convolution) -> tuple[int, ...]:
    return (*op.numbers.kernel_spatial, op.numbers.kernel_input_feature)


def _depthwise(op: Convolution, lower: Lowering, image: SSAValue, bias: NDArray[Any]) -> SSAValue:
    """Lower to DEPTHWISE_CONV2D with weights of the shape (height, width, channels, multiplier)."""
    laid_out = _laid_out(op, lower, (*_spatial_then_inputs(op), op.numbers.kernel_output_feature))
    weight = lower.reshape(laid_out, (*shape(laid_out)[:2], op.groups, len(bias) // op.groups))
    return _convolved(op, lower, tosa.DepthwiseConv2DOp, (image, weight), bias)


def _grouped(
    op: Convolution, lower: Lowering, operands: tuple[SSAValue, SSAValue], bias: NDArray[Any], finish: Finish
) -> SSAValue:
    """Lower to one convolution for each group of features, and CONCAT."""
    image, weight = operands
    *sizes, features = shape(image)
    inputs, outputs = features // op.groups, len(bias) // op.groups
    held = weight.owner.held if isinstance(weight.owner, tosa.ConstOp) else None
    parts = []
    for group in range(op.groups):
        starts, taken = lower.shape((0, 0, 0, group * inputs)), lower.shape((*sizes, inputs))
        own = slice(group * outputs, (group + 1) * outputs)
        if held is None:
            part = lower.slice(weight, (own.start, 0, 0, 0), (outputs, *shape(weight)[1:]))
        else:
            part = lower.constant(sliced(held, own.start, own.stop), element_type(weight))
        pair = (lower.add(tosa.SliceOp(image, starts, taken)), part)
        parts.append(finish(_sums(op, lower, pair, bias[own]), own))
    return lower.add(tosa.ConcatOp(parts, 3))


def _transposed(op: Convolution, lower: Lowering, operands: tuple[SSAValue, SSAValue], bias: NDArray[Any]) -> SSAValue:
    """Lower to TRANSPOSE_CONV2D with the kernel reversed and ``out_pad = padding - (kernel - 1)``.

    A SLICE crops what the op cannot.
    """
    window, (image, weight) = _planar_window(op.window), operands
    if any(step != 1 for step in (*window.strides, *window.rhs_dilation)):
        raise ConversionError(
            "TRANSPOSE_CONV2D supports neither strides nor a dilated kernel",
            hint="Write zeros between the kernel's elements, and a slice behind the convolution",
        )
    if element_type(image) == i16 and zero_point_of(op.lhs):
        raise ConversionError(
            "TRANSPOSE_CONV2D supports no zero point of 16-bit integers", hint="Quantize its operand symmetrically"
        )
    kernel = shape(weight)[1:3]
    wanted = [pad - (size - 1) for size, pair in zip(kernel, window.padding, strict=True) for pad in pair]
    pads = [max(pad, 1 - kernel[i // 2]) for i, pad in enumerate(wanted)]  # the op crops less than a kernel
    accumulator = tosa.accumulator_element(element_type(image))
    parts = _parts(op, lower, (image, _turned(lower, weight)), bias, zero_point_of(op.lhs))
    made = lower.add(tosa.TransposeConv2DOp(parts, pads, window.lhs_dilation, accumulator))
    return lower.cropped(made, [pad - held for pad, held in zip(wanted, pads, strict=True)])[0]


def _turned(lower: Lowering, weight: SSAValue) -> SSAValue:
    """Return weights of the shape (outputs, height, width, inputs) with each kernel reversed along both dimensions."""
    if isinstance(weight.owner, tosa.ConstOp):
        return lower.constant(flipped(weight.owner.held, (1, 2)), element_type(weight))
    for axis in (1, 2):
        if shape(weight)[axis] > 1:
            weight = lower.add(tosa.ReverseOp(weight, axis))
    return weight


def _window(op: _Contraction, kernel: tuple[int, ...], image: tuple[int, ...]) -> tosa.ConvWindow:
    """Return the window without the elements after its last position, as TOSA wants it; paddings may be negative."""
    if isinstance(op, stablehlo.DotGeneralOp):
        return tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
    window, pads = _planar_window(op.window), []
    for i, (low, high) in enumerate(window.padding):
        reach = (kernel[i] - 1) * window.rhs_dilation[i] + 1
        pads += [low, high - (image[1 + i] + low + high - reach) % window.strides[i]]
    return tosa.ConvWindow(tuple(pads), window.strides, window.rhs_dilation)


def _convolved(
    op: _Contraction,
    lower: Lowering,
    kind: type[tosa.ConvolutionOp],
    operands: tuple[SSAValue, SSAValue],
    bias: NDArray[Any],
) -> SSAValue:
    """Return the accumulator of one convolution over (batch, spatial.., features)."""
    image, weight = operands
    is_depthwise = kind is tosa.DepthwiseConv2DOp
    kernel = shape(weight)[:2] if is_depthwise else shape(weight)[1:-1]
    window = _window(op, kernel, shape(image))
    image, pads = lower.cropped(image, window.pad)
    window = tosa.ConvWindow(pads, window.stride, window.dilation)
    zero_point = zero_point_of(op.lhs)
    if element_type(image) == i16 and zero_point:
        both = (zero_point, zero_point_of(op.rhs))
        image, window, bias = centred_image(lower, (image, weight), both, window, bias, is_depthwise=is_depthwise)
        zero_point = 0
    parts = _parts(op, lower, (image, weight), bias, zero_point)
    return lower.add(kind(parts, window, tosa.accumulator_element(element_type(image))))


def _parts(
    op: _Contraction, lower: Lowering, operands: tuple[SSAValue, SSAValue], bias: NDArray[Any], zero_point: int
) -> tuple[SSAValue, ...]:
    """Return image, weight, bias and the two zero points."""
    image, weight = operands
    return (
        image,
        weight,
        lower.constant(bias, tosa.bias_element(element_type(image))),
        lower.zero_point(zero_point, element_type(image)),
        lower.zero_point(zero_point_of(op.rhs), element_type(weight)),
    )


def centred_image(
    lower: Lowering,
    operands: tuple[SSAValue, SSAValue],
    zero_points: tuple[int, int],
    window: tosa.ConvWindow,
    bias: NDArray[Any],
    *,
    is_depthwise: bool,
) -> tuple[SSAValue, tosa.ConvWindow, NDArray[Any]]:
    """Return a 16-bit image padded with its zero point, its window, and the bias minus ``zero_point * sum(w)``.

    ``w`` are the weights less their zero point. TOSA supports no zero point for 16-bit images.
    """
    (image, weight), (zero_point, weight_zero_point) = operands, zero_points
    if any(window.pad):
        pads = (0, 0, *window.pad, 0, 0)
        image = lower.add(tosa.PadOp(image, lower.shape(pads), lower.zero_point(zero_point, i16)))
        window = tosa.ConvWindow((0,) * len(window.pad), window.stride, window.dilation)
    if not isinstance(weight.owner, tosa.ConstOp):
        raise ConversionError("16-bit activations with a zero point need constant weights")
    array = weight.owner.array.astype(np.int64) - weight_zero_point
    sums = array.sum(axis=(0, 1)).reshape(-1) if is_depthwise else array.sum(axis=tuple(range(1, array.ndim)))
    return image, window, bias - zero_point * sums


def _in_type(op: _Contraction, lower: Lowering, made: SSAValue, value: SSAValue) -> SSAValue:
    """Return the accumulator as integers of an IR value's type, rescaled unless the type is the accumulator's."""
    element = quantized(value)
    if element is None:
        return of_element(made, element_type(value), lower)
    scales = _product_scales(op)
    if element_type(made) == i48:
        share = 1.0 if element.storage.width == 32 else 2.0 ** -_excess(op)
        made, scales = lower.rescale(made, share, i32), scales / share
    if element.is_accumulator and same_scales(element.scales, scales):
        return made
    return lower.stored(made, scales / per_tensor(value).scale, element)


def _excess(op: _Contraction) -> int:
    """Return the number of bits by which sums of 48 bits, and a bias as large as they are, may exceed 32 bits."""
    lhs, rhs = quantized(op.lhs), quantized(op.rhs)
    assert not isinstance(op, composite.WideConvolutionOp)
    assert lhs is not None
    assert rhs is not None
    limit = INT32_LIMIT // 2
    return max(0, ceil(log2(max(1, accumulator_bound(op, lhs, op.rhs, rhs, limit)) / limit)))


def _product_scales(op: _Contraction) -> NDArray[np.float64]:
    rhs = quantized(op.rhs)
    assert rhs is not None
    return per_tensor(op.lhs).product_scales(rhs)


def with_bias(op: _Contraction, feature_axis: int, outputs: int) -> Accumulated:
    """Return the sums with their bias, at the scale of the sums, else the contraction's result and a bias of zeros."""
    result = op.results[0]
    tail = tail_of(result, feature_axis)
    if tail.bias is not None and tail.finer is None:
        return Accumulated(tail.biased, tail.bias)
    dtype = np.float32 if is_float(element_type(result)) else np.int64
    return Accumulated(result, np.zeros(outputs, dtype))


def _defined(op: _Contraction, lower: Lowering, target: Accumulated, made: SSAValue) -> SSAValue:
    """Let ``made`` represent the target value, and return it for the contraction's own result."""
    if target.value is not op.results[0]:
        lower.define(target.value, made)
    return made


@lowers(stablehlo.DotGeneralOp)
def dot_general(op: stablehlo.DotGeneralOp, lower: Lowering) -> SSAValue:
    """Lower to a convolution with a kernel of one element if the weights are constant, else to MATMUL."""
    if is_plain(op):
        return integer_contraction(op, lower, _product_sums)
    if not _is_dense(op, lower):
        return _in_type(op, lower, matrix_product(op, lower), op.results[0])
    rank, outputs = len(shape(op.lhs)), shape(op.results[0])[-1]
    target = with_bias(op, len(op.numbers.lhs_free(rank)), outputs)
    made = _in_type(op, lower, _dense(op, lower, target.bias), target.value)
    return _defined(op, lower, target, lower.reshape(made, shape(op.results[0])))


def _product_sums(op: stablehlo.DotGeneralOp, lower: Lowering) -> SSAValue:
    """Return the accumulator of a matrix product without a bias as the result."""
    if not _is_dense(op, lower):
        return matrix_product(op, lower)
    bias = np.zeros(shape(op.results[0])[-1], np.int64)
    return lower.reshape(_dense(op, lower, bias), shape(op.results[0]))


def _is_dense(op: stablehlo.DotGeneralOp, lower: Lowering) -> bool:
    """Return True if the right-hand side is a constant matrix that a convolution takes: not of 16 bits."""
    if element_type(lower[op.rhs]) == i16:
        return False
    if op.numbers.lhs_batching_dimensions or len(shape(op.rhs)) != 2 or len(op.numbers.rhs_contracting_dimensions) != 1:
        return False
    return is_constant(op.rhs) or isinstance(lower[op.rhs].owner, tosa.ConstOp)


def _dense(op: stablehlo.DotGeneralOp, lower: Lowering, bias: NDArray[Any]) -> SSAValue:
    """Return the accumulator of a product by constant weights in the shape (1, 1, rows, outputs)."""
    numbers, rank = op.numbers, len(shape(op.lhs))
    [depth_axis], [rows] = numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions
    free = numbers.lhs_free(rank)
    depth, outputs = shape(op.rhs)[rows], shape(op.rhs)[1 - rows]
    image = lower.transpose(lower.whole(op.lhs), (*free, depth_axis))
    image = lower.reshape(image, (1, 1, prod(shape(image)[:-1]), depth))
    weight = lower.reshape(lower.transpose(lower.whole(op.rhs), (1 - rows, rows)), (outputs, 1, 1, depth))
    return _convolved(op, lower, tosa.Conv2DOp, (image, weight), bias)


@lowers_litert(composite.WideConvolutionOp)
def wide_convolution(op: composite.WideConvolutionOp, lower: Lowering) -> SSAValue:
    """Lower to a convolution into i48 and one RESCALE with 16-bit multipliers.

    For 32-bit multipliers the accumulator is rescaled to i32 first.
    """

    def finish(sums: SSAValue, own: slice = slice(None)) -> SSAValue:
        return requantized_sums(op, lower, sums, own) if element_type(sums) == i48 else sums

    return ordered(op, lower, finish(accumulated(op, lower, constant_bias(op), finish)))
