"""Convolutions and matrix products: integer accumulators, integer biases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import (
    UniformQuantizedType,
    element_type,
    quantized,
    quantized_element,
    same_scales,
    shape,
    tensor,
    with_element,
)
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import Outcome, Reason, narrow_source, sinks
from qconvert.rewriting import INT32_LIMIT, Contraction, accumulator_bound, dequantized, known_array
from qconvert.support.errors import ConversionError

_BIAS_BITS = 12
"""A float bias is rounded to 2^-12 of an accumulator's LSB, if the accumulator has room for it."""


@sinks(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp) -> Outcome:
    """Rewrite ``conv(dq(x), dq(w))`` to ``dq(conv(x, w) : i32)`` with the scale ``s_x * s_w``."""
    return _contraction(op, op.numbers.kernel_output_feature, op.numbers.output_feature)


@sinks(stablehlo.DotGeneralOp)
def dot_general(op: stablehlo.DotGeneralOp) -> Outcome:
    """Rewrite ``dot(dq(a), dq(b))`` to ``dq(dot(a, b) : i32)``; per-axis scales of rhs stay on its free dimension."""
    free = op.numbers.rhs_free(len(shape(op.rhs)))
    return _contraction(op, free[-1] if free else None, len(shape(op.result)) - 1)


def _contraction(op: Contraction, rhs_axis: int | None, result_axis: int) -> Outcome:
    """Return the integer contraction. The accumulator's type and range follow from the operands."""
    if dequantized(op.lhs) is None and dequantized(op.rhs) is None:
        return None
    if op.is_hybrid:
        return Reason("it is a hybrid op already: dehybridize comes first")
    if element_type(op.result) != element_type(op.lhs):
        return Reason("its products are summed in another float type")
    lhs, rhs = narrow_source(op.lhs), narrow_source(op.rhs)
    if isinstance(lhs, Reason):
        return lhs
    if isinstance(rhs, Reason):
        return rhs
    reason = _parameters_reason(lhs[1], rhs[1], rhs_axis) or _overflow_reason(op, lhs[1], *rhs)
    if reason is not None:
        return reason
    accumulator = _accumulator_type(lhs[1], rhs[1], result_axis)
    if isinstance(accumulator, Reason):
        return accumulator
    result = with_element(tensor(op.result), accumulator)
    kind: type[Operation] = type(op)
    return lambda build: build.add(
        kind.create(operands=[lhs[0], rhs[0]], result_types=[result], properties=op.properties)
    )


def _parameters_reason(lhs: UniformQuantizedType, rhs: UniformQuantizedType, rhs_axis: int | None) -> Reason | None:
    if not lhs.is_per_tensor:
        return Reason("the activations are not quantized per tensor")
    if rhs.is_sub_channel:
        return Reason("the weights are quantized in blocks, which integer accumulation cannot keep apart")
    if rhs.is_per_axis and rhs.quantization_dimension != rhs_axis:
        axis = rhs.quantization_dimension
        return Reason(f"the weights are quantized along dimension {axis}, which is not their output dimension")
    return None


def _overflow_reason(
    op: Contraction, lhs: UniformQuantizedType, weights: SSAValue, rhs: UniformQuantizedType
) -> Reason | None:
    bound = accumulator_bound(op, lhs, weights, rhs)
    return Reason(f"the accumulator may reach {bound:.3g}, which does not fit 32 bits") if bound > INT32_LIMIT else None


def _accumulator_type(lhs: UniformQuantizedType, rhs: UniformQuantizedType, axis: int) -> UniformQuantizedType | Reason:
    """Return i32 with scale ``s_lhs * s_rhs`` and zero point 0, per axis along ``axis`` if the weights are per axis."""
    scales = lhs.product_scales(rhs)
    limits = np.finfo(np.float32)
    if scales.min() < limits.tiny or scales.max() > limits.max:
        return Reason(f"the accumulator's scale {scales.min():g}..{scales.max():g} is outside the range of f32")
    return UniformQuantizedType.accumulator(scales, axis if rhs.is_per_axis else None, lhs.expressed_type)


@sinks(stablehlo.AddOp)
def bias(op: Operation) -> Outcome:
    """Rewrite ``dq(accumulator) + constant`` to ``dq(accumulator + integers)``, with one integer for each feature."""
    for value, other in (tuple(op.operands), tuple(op.operands)[::-1]):
        source = dequantized(value)
        if source is None or not isinstance(source.owner, Contraction):
            continue
        constant = _bias_vector(other, shape(value)[-1])
        if constant is None:
            return Reason("what is added to the accumulator is not one constant for each output feature")
        if quantized_element(source).quantization_dimension not in (None, len(shape(value)) - 1):
            return Reason("the accumulator has a scale for each output feature, and its last dimension is another")
        return _bias(source, constant, _bias_scales(other))
    return None


def _bias_vector(value: SSAValue, features: int) -> NDArray[Any] | None:
    """Return the real values of a bias, one for each feature; None if the operand is not such a bias."""
    owner = value.owner
    if isinstance(owner, stablehlo.UniformDequantizeOp) and isinstance(owner.operand.owner, stablehlo.BroadcastInDimOp):
        owner = owner.operand.owner
        return _integers_as_real(owner, features)
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        array = known_array(owner.operand)
        return None if array is None else _spread(array, owner, features)
    array = known_array(value)
    if array is None or array.ndim == 0:
        return None
    rows = array.reshape(-1, array.shape[-1])
    return np.asarray(rows[0], order="C") if rows.size and (rows == rows[0]).all() else None


def _integers_as_real(owner: stablehlo.BroadcastInDimOp, features: int) -> NDArray[Any] | None:
    """Return a broadcast quantized constant as exact real numbers in float64."""
    constant, element = owner.operand.owner, quantized(owner.operand)
    if not isinstance(constant, stablehlo.ConstantOp) or element is None or element.is_sub_channel:
        return None
    array = constant.array
    distance = array.astype(np.float64) - element.broadcast(element.zero_points, array.shape)
    return _spread(distance * element.broadcast(element.scales, array.shape), owner, features)


def _spread(array: NDArray[Any], owner: stablehlo.BroadcastInDimOp, features: int) -> NDArray[Any] | None:
    """Return a broadcast constant as one value for each feature; None if it varies along another dimension."""
    if array.size == 1:
        return np.full(features, array.reshape(()), array.dtype)
    last = len(tensor(owner.result).get_shape()) - 1
    dimensions = tuple(int(d) for d in owner.broadcast_dimensions.get_values())
    if array.size == features and last in dimensions and array.shape[dimensions.index(last)] == features:
        return array.reshape(-1)
    return None


def _bias_scales(value: SSAValue) -> NDArray[np.float64] | None:
    """Return the scales of a bias that the model holds in integers; None for a float bias."""
    owner = value.owner
    element = quantized(owner.operand) if isinstance(owner, stablehlo.UniformDequantizeOp) else None
    return None if element is None else element.scales


def _bias(source: SSAValue, real: NDArray[Any], scales: NDArray[np.float64] | None) -> Outcome:
    """Return the bias in LSBs of the accumulator.

    For a float bias the accumulator gets smaller LSBs, scaled exactly.
    """
    element = quantized_element(source)
    room = _headroom(source, real, element)
    if room < 0:
        return Reason("the accumulator and its bias together may exceed 32 bits")
    finer = 0 if scales is not None and same_scales(scales, element.scales) else min(_BIAS_BITS, room)
    steps = element.scales / 2.0**finer
    try:
        integers, _ = numerics.quantize_bias(real, steps)
    except ConversionError as error:
        return Reason(error.found)
    refined = UniformQuantizedType.accumulator(steps, element.quantization_dimension, element.expressed_type)

    def rewrite(build: OpBuilder) -> SSAValue:
        value = source
        if finer:
            value = build.add(stablehlo.UniformQuantizeOp(source, refined))
        constant = build.constant(integers, refined.with_axis(0) if refined.is_per_axis else refined)
        sizes = shape(value)
        spread = build.add(stablehlo.BroadcastInDimOp(constant, sizes, [len(sizes) - 1]))
        return build.add(stablehlo.AddOp(value, spread))

    return rewrite


def _headroom(source: SSAValue, real: NDArray[Any], element: UniformQuantizedType) -> int:
    """Return the number of bits by which the LSB of accumulator and bias can shrink within 32 bits and f32's scales.

    The number is negative if the accumulator and the bias may exceed 32 bits as they are.
    """
    op = source.owner
    assert isinstance(op, Contraction)
    lhs, rhs = quantized_element(op.lhs), quantized_element(op.rhs)
    offset = float(np.abs(real.astype(np.float64) / element.scales).max(initial=0.0)) + 1
    if not math.isfinite(offset):
        return -1
    enough = int((INT32_LIMIT >> _BIAS_BITS) - offset)
    reach = accumulator_bound(op, lhs, op.rhs, rhs, enough) + offset
    scale_bits = math.log2(float(element.scales.min()) / float(np.finfo(np.float32).tiny))
    return math.floor(min(math.log2(INT32_LIMIT / reach), scale_bits))
