"""Convolutions and matrix products: one TOSA contraction with its bias, the accumulator left for a RESCALE.

TOSA wants activations as (batch, spatial.., features) and weights as (outputs, spatial.., inputs); dimension numbers
say what to transpose. Weights are laid out at conversion.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, SSAValue

from qconvert.backends.tosa.builder import i16, i48
from qconvert.backends.tosa.lowering import Lowering, constant_of, lowers
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.quant import UniformQuantizedType
from qconvert.dialects.tosa.contraction import accumulator_element
from qconvert.dialects.types import element_type, i32, is_float, quantized, shape
from qconvert.errors import ConversionError

_Contraction = stablehlo.ConvolutionOp | stablehlo.DotGeneralOp


@dataclass(frozen=True)
class Accumulated:
    """The value of the IR that an accumulator stands for, and what is added to each output on the way to it."""

    value: SSAValue
    bias: NDArray[Any]


@lowers(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp, lower: Lowering) -> SSAValue:
    """CONV2D, or DEPTHWISE_CONV2D where every feature is a group of its own."""
    numbers, window = op.numbers, op.window
    if len(numbers.input_spatial) != 2 or any(step != 1 for step in window.lhs_dilation):
        raise ConversionError("only convolutions over two dimensions have a lowering")
    image = lower.transpose(lower[op.lhs], (numbers.input_batch, *numbers.input_spatial, numbers.input_feature))
    outputs = shape(op.rhs)[numbers.kernel_output_feature]
    target = with_bias(op, numbers.output_feature, outputs)
    kind: type[tosa.Conv2DOp | tosa.DepthwiseConv2DOp] = tosa.Conv2DOp
    if op.groups == 1:
        order = (numbers.kernel_output_feature, *numbers.kernel_spatial, numbers.kernel_input_feature)
        weight = lower.transpose(lower[op.rhs], order)
    elif op.groups == shape(image)[-1]:
        order = (*numbers.kernel_spatial, numbers.kernel_input_feature, numbers.kernel_output_feature)
        sizes = [shape(op.rhs)[i] for i in numbers.kernel_spatial]
        weight = lower.reshape(lower.transpose(lower[op.rhs], order), (*sizes, op.groups, outputs // op.groups))
        kind = tosa.DepthwiseConv2DOp
    else:
        raise ConversionError(f"a convolution with {op.groups} groups of several features has no lowering")
    made = _convolve(op, lower, kind, (image, weight), target, _window(op, shape(image)))
    back = np.argsort((numbers.output_batch, *numbers.output_spatial, numbers.output_feature))
    return _defined(op, lower, target, lower.transpose(made, back.tolist()))


def _window(op: stablehlo.ConvolutionOp, image: tuple[int, ...]) -> tosa.ConvWindow:
    """The window with what lies beyond the last position cut off the padding, as TOSA wants it."""
    window, numbers = op.window, op.numbers
    pads = []
    for i, (low, high) in enumerate(window.padding):
        reach = (shape(op.rhs)[numbers.kernel_spatial[i]] - 1) * window.rhs_dilation[i] + 1
        spare = (image[1 + i] + low + high - reach) % window.strides[i]
        pads += [low, high - spare]
    if min(pads) < 0:
        raise ConversionError(f"windows that leave the last {-min(pads)} elements out have no lowering")
    return tosa.ConvWindow(tuple(pads), window.strides, window.rhs_dilation)


def _convolve(
    op: _Contraction,
    lower: Lowering,
    kind: type[tosa.Conv2DOp | tosa.DepthwiseConv2DOp],
    operands: tuple[SSAValue, SSAValue],
    target: Accumulated,
    window: tosa.ConvWindow,
) -> SSAValue:
    """One convolution over (batch, height, width, features), its accumulator brought to the type of its target."""
    image, weight = operands
    lhs_zp, rhs_zp = _zero_point(op.lhs), _zero_point(op.rhs)
    bias = target.bias
    if element_type(image) == i16 and lhs_zp:
        is_depthwise = kind is tosa.DepthwiseConv2DOp
        image, window, bias = _centred(lower, operands, lhs_zp, window, bias, is_depthwise=is_depthwise)
        lhs_zp = 0
    accumulator = accumulator_element(element_type(image))
    parts = (
        image,
        weight,
        lower.constant(bias, accumulator),
        lower.zero_point(lhs_zp, element_type(image)),
        lower.zero_point(rhs_zp, element_type(weight)),
    )
    made = lower.add(kind(parts, window, accumulator))
    return _in_type(op, lower, made, element_type(target.value))


def _centred(
    lower: Lowering,
    operands: tuple[SSAValue, SSAValue],
    zero_point: int,
    window: tosa.ConvWindow,
    bias: NDArray[Any],
    *,
    is_depthwise: bool,
) -> tuple[SSAValue, tosa.ConvWindow, NDArray[Any]]:
    """A 16-bit image whose zero point is not TOSA's affair: padded with it, ``zero_point * sum(w)`` off the bias."""
    image, weight = operands
    if any(window.pad):
        pads = (0, 0, *window.pad, 0, 0)
        image = lower.add(tosa.PadOp(image, lower.shape(pads), lower.zero_point(zero_point, i16)))
        window = tosa.ConvWindow((0,) * len(window.pad), window.stride, window.dilation)
    if not isinstance(weight.owner, tosa.ConstOp):
        raise ConversionError("16-bit activations with a zero point need constant weights")
    array = weight.owner.array.astype(np.int64)
    sums = array.sum(axis=(0, 1)).reshape(-1) if is_depthwise else array.sum(axis=(1, 2, 3))
    return image, window, bias - zero_point * sums


def _in_type(op: _Contraction, lower: Lowering, made: SSAValue, element: Attribute) -> SSAValue:
    """The accumulator as integers of an IR type: itself where that is the accumulator, else rescaled."""
    if not isinstance(element, UniformQuantizedType):
        return made
    scales = _product_scales(op)
    if element_type(made) == i48:
        made = lower.rescale(made, 1.0, i32)
    if element.storage.width == 32 and np.allclose(element.scales, scales, rtol=1e-6, atol=0):
        return made
    return lower.stored(made, scales / element.scale, element)


def _product_scales(op: _Contraction) -> NDArray[np.float64]:
    lhs, rhs = quantized(op.lhs), quantized(op.rhs)
    assert lhs is not None
    assert rhs is not None
    return lhs.scale * rhs.scales


def _zero_point(value: SSAValue) -> int:
    """The one zero point of an operand; 0 for floats. Raises ConversionError where slices have different ones."""
    element = quantized(value)
    if element is None:
        return 0
    first, *others = set(element.data.zero_points)
    if others:
        raise ConversionError(f"weights with several zero points have no lowering, found {element}")
    return first


def with_bias(op: _Contraction, feature_axis: int, outputs: int) -> Accumulated:
    """The sum with a constant for each output where that is all that becomes of a contraction, else its result."""
    result = op.results[0]
    users = [use.operation for use in result.uses]
    if len(users) == 1 and isinstance(users[0], stablehlo.AddOp) and users[0].result.type == result.type:
        add = users[0]
        constant = constant_of(add.rhs if add.lhs is result else add.lhs)
        vector = None if constant is None else _per_output(constant, feature_axis)
        if vector is not None:
            return Accumulated(add.result, vector)
    dtype = np.float32 if is_float(element_type(result)) else np.int64
    return Accumulated(result, np.zeros(outputs, dtype))


def _per_output(constant: NDArray[Any], axis: int) -> NDArray[Any] | None:
    """The values along one axis of an array that is the same along all others; None where it is not."""
    first = constant[tuple(slice(None) if i == axis else slice(0, 1) for i in range(constant.ndim))]
    return first.reshape(-1) if np.array_equal(np.broadcast_to(first, constant.shape), constant) else None


def _defined(op: _Contraction, lower: Lowering, target: Accumulated, made: SSAValue) -> SSAValue:
    """``made`` stands for the target; the contraction's own result, which nobody else uses, too."""
    if target.value is not op.results[0]:
        lower.define(target.value, made)
    return made


@lowers(stablehlo.DotGeneralOp)
def dot_general(op: stablehlo.DotGeneralOp, lower: Lowering) -> SSAValue:
    """A convolution with a kernel of one element where the weights are constant, else MATMUL."""
    numbers = op.numbers
    is_dense = not numbers.lhs_batching_dimensions and len(shape(op.rhs)) == 2
    if is_dense and constant_of(op.rhs) is not None:
        return _dense(op, lower)
    return _matmul(op, lower)


def _dense(op: stablehlo.DotGeneralOp, lower: Lowering) -> SSAValue:
    numbers, rank = op.numbers, len(shape(op.lhs))
    [depth_axis], [rows] = numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions
    free = numbers.lhs_free(rank)
    depth, outputs = shape(op.rhs)[rows], shape(op.rhs)[1 - rows]
    image = lower.transpose(lower[op.lhs], (*free, depth_axis))
    image = lower.reshape(image, (1, 1, prod(shape(image)[:-1]), depth))
    weight = lower.reshape(lower.transpose(lower[op.rhs], (1 - rows, rows)), (outputs, 1, 1, depth))
    target = with_bias(op, len(free), outputs)
    window = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
    made = _convolve(op, lower, tosa.Conv2DOp, (image, weight), target, window)
    return _defined(op, lower, target, lower.reshape(made, shape(op.results[0])))


def _matmul(op: stablehlo.DotGeneralOp, lower: Lowering) -> SSAValue:
    """MATMUL of (batch, rows, depth) by (batch, depth, columns)."""
    numbers = op.numbers
    lhs, rhs = lower[op.lhs], lower[op.rhs]
    lhs_free, rhs_free = numbers.lhs_free(len(shape(lhs))), numbers.rhs_free(len(shape(rhs)))
    batch = prod(shape(lhs)[i] for i in numbers.lhs_batching_dimensions)
    rows, columns = prod(shape(lhs)[i] for i in lhs_free), prod(shape(rhs)[i] for i in rhs_free)
    depth = prod(shape(lhs)[i] for i in numbers.lhs_contracting_dimensions)
    lhs_order = (*numbers.lhs_batching_dimensions, *lhs_free, *numbers.lhs_contracting_dimensions)
    rhs_order = (*numbers.rhs_batching_dimensions, *numbers.rhs_contracting_dimensions, *rhs_free)
    left = lower.reshape(lower.transpose(lhs, lhs_order), (batch, rows, depth))
    right = lower.reshape(lower.transpose(rhs, rhs_order), (batch, depth, columns))
    if element_type(left) == i16 and (_zero_point(op.lhs) or _zero_point(op.rhs)):
        raise ConversionError("a product of 16-bit matrices with a zero point has no lowering")
    zero_points = (
        lower.zero_point(_zero_point(op.lhs), element_type(left)),
        lower.zero_point(_zero_point(op.rhs), element_type(right)),
    )
    made = lower.reshape(lower.add(tosa.MatMulOp((left, right, *zero_points))), shape(op.results[0]))
    return _in_type(op, lower, made, element_type(op.results[0]))
