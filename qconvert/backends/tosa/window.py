"""Pools: MAX_POOL2D, AVG_POOL2D if the scale stays, and DEPTHWISE_CONV2D with weights of 1 for other sums."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.backends.tosa.contraction import centred_image
from qconvert.backends.tosa.conversion import check_order, narrowed, widened
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.backends.tosa.options import HalfRounding
from qconvert.backends.tosa.reduction import COMBINERS, from_initial, result_factor
from qconvert.backends.tosa.sliding import slid
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array, is_neutral
from qconvert.expansion.builder import i16, i48
from qconvert.expansion.expander import per_tensor
from qconvert.expansion.window import Pool, image_of, pool_of, pooled
from qconvert.ir import UniformQuantizedType, element_type, i8, i32, is_float, quantized, shape, storage_element
from qconvert.support.errors import ConversionError


@lowers(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, lower: Lowering) -> SSAValue:
    """Lower a maximum or a sum over windows of two dimensions to a pool, other windows to ops on their elements."""
    if len(op.inputs) != 1 or type(op.combiner) not in COMBINERS:
        raise ConversionError("TOSA pools one operand by a sum, maximum or minimum only")
    check_order(op.inputs[0])
    if not _has_pool(op):
        return _slid(op, lower)
    pool = pool_of(op)
    image = image_of(op, lower, pool)
    image, pads = lower.cropped(image, pool.window.pad)
    pool = replace(pool, window=tosa.ConvWindow(pads, pool.window.stride, pool.window.dilation))
    if isinstance(op.combiner, stablehlo.MaximumOp):
        made = from_initial(op, lower, lower.add(tosa.MaxPool2DOp(image, pool.sizes, pool.window)))
    elif is_float(element_type(image)):
        made = from_initial(op, lower, _float_sum(lower, image, pool))
    else:
        made = _average(op, lower, image, pool) if _is_average(op, lower, pool) else _sum(op, lower, image, pool)
    return pooled(op, lower, pool, made)


def _has_pool(op: stablehlo.ReduceWindowOp) -> bool:
    """Return True for maxima of floats and of few bits, and for sums of floats and of quantized values of few bits."""
    element = storage_element(element_type(op.inputs[0]))
    is_few_bits = isinstance(element, IntegerType) and element.width.data < 32
    if isinstance(op.combiner, stablehlo.MaximumOp):
        return (is_float(element) or is_few_bits) and not op.has_conversions
    pads_zeros = is_neutral(op) or not any(map(any, op.window.padding))
    is_sum = isinstance(op.combiner, stablehlo.AddOp) and pads_zeros
    return is_sum and (is_float(element) or (is_few_bits and quantized(op.inputs[0]) is not None))


def _slid(op: stablehlo.ReduceWindowOp, lower: Lowering) -> SSAValue:
    """Combine the elements of each window by ops of floats or 32-bit integers."""
    if op.has_conversions:
        raise ConversionError("TOSA pools by a sum only where a reduction converts its elements")
    element, kind = element_type(op.inputs[0]), type(op.combiner)
    centres = isinstance(op.combiner, stablehlo.AddOp) and isinstance(element, UniformQuantizedType)
    value = lower.centred(op.inputs[0]) if centres else widened(lower, op.inputs[0])
    held = element_type(value)
    if isinstance(held, IntegerType) and held != i32:
        value = lower.add(tosa.CastOp(value, i32))
    start = constant_array(op.initials[0])
    fill = (
        None if start is None else start.reshape(-1)[0].item() - (per_tensor(op.inputs[0]).zero_point if centres else 0)
    )
    made = from_initial(op, lower, slid(lower, value, op.window, COMBINERS[kind], fill))
    if centres:
        return lower.offset(made, per_tensor(op.results[0]).zero_point)
    return lower.add(tosa.CastOp(made, held)) if held != element_type(made) else narrowed(lower, made, element)


def _float_sum(lower: Lowering, image: SSAValue, pool: Pool) -> SSAValue:
    """Lower a sum of floats to DEPTHWISE_CONV2D with weights of 1."""
    element, channels = element_type(image), shape(image)[-1]
    ones, none = (
        np.full(sizes, value, np.float32) for sizes, value in (((*pool.sizes, channels, 1), 1), (channels, 0))
    )
    constants = (lower.constant(ones, element), lower.constant(none, element))
    zero_points = (lower.zero_point(0, element), lower.zero_point(0, element))
    return lower.add(tosa.DepthwiseConv2DOp((image, *constants, *zero_points), pool.window, element))


_NEAR_ONE = 2.0**-40


def _is_average(op: stablehlo.ReduceWindowOp, lower: Lowering, pool: Pool) -> bool:
    """Return True if AVG_POOL2D expresses the sum: a mean over the whole window in the operand's type.

    AVG_POOL2D does not count padding, so that the window must have no padding. It rounds halves away from zero.
    """
    factor, target = result_factor(op)
    own_type = target == per_tensor(op.inputs[0]) and (target.storage.width == 8 or not target.zero_point)
    is_mean = abs(factor * prod(pool.sizes) - 1) < _NEAR_ONE
    return own_type and is_mean and not any(pool.window.pad) and lower.rounding is HalfRounding.UP


def _average(op: stablehlo.ReduceWindowOp, lower: Lowering, image: SSAValue, pool: Pool) -> SSAValue:
    element = per_tensor(op.inputs[0])
    zero_points = [lower.zero_point(element.zero_point, element_type(image)) for _ in range(2)]
    averaged = lower.add(tosa.AvgPool2DOp((image, *zero_points), pool.sizes, pool.window, i32))
    return lower.clamp(averaged, element.storage.minimum, element.storage.maximum)


def _sum(op: stablehlo.ReduceWindowOp, lower: Lowering, image: SSAValue, pool: Pool) -> SSAValue:
    """Lower to sums of the integers minus the zero point, rescaled by the output conversion's factor."""
    element = per_tensor(op.inputs[0])
    channels = shape(image)[-1]
    weight = lower.constant(np.ones((*pool.sizes, channels, 1), np.int8), i8)
    bias, window, zero_point = np.zeros(channels, np.int64), pool.window, element.zero_point
    if element_type(image) == i16:
        image, window, bias = centred_image(lower, (image, weight), (zero_point, 0), window, bias, is_depthwise=True)
        zero_point = 0
    accumulator = i48 if element_type(image) == i16 else i32
    operands = (
        image,
        weight,
        lower.constant(bias, accumulator),
        lower.zero_point(zero_point, element_type(image)),
        lower.zero_point(0, i8),
    )
    summed = lower.add(tosa.DepthwiseConv2DOp(operands, window, accumulator))
    if accumulator == i48:
        summed = lower.rescale(summed, 1.0, i32)
    factor, target = result_factor(op)
    return summed if target is None else lower.stored(summed, factor, target)
