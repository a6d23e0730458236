"""Movements of elements: a dequantize moves below them; a quantize without a dequantize to meet moves above them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import UniformQuantizedType, element_type, quantized_element, tensor, with_element
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import FUSIONS, Outcome, Reason, fuses, requantize, sinks
from qconvert.rewriting import (
    constant_of,
    copy_arithmetic,
    dequantized,
    known_result,
    moved_operand,
    quantize_like,
    splat,
)
from qconvert.support.errors import ConversionError


@sinks(
    stablehlo.ReshapeOp,
    stablehlo.TransposeOp,
    stablehlo.ReverseOp,
    stablehlo.SliceOp,
    stablehlo.GatherOp,
)
def movement(op: Operation) -> Outcome:
    """Rewrite ``move(dq(x))`` to ``dq(move(x))``."""
    source = dequantized(op.operands[0])
    if source is None:
        return None
    try:
        moved = moved_operand(op, source, tuple(op.operands)[1:])
    except ConversionError as error:
        return Reason(error.found)
    return lambda build: build.add(moved)


@fuses(stablehlo.ReshapeOp, stablehlo.TransposeOp, stablehlo.ReverseOp, stablehlo.SliceOp)
def raised_above(op: Operation, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Rewrite ``q(move(f(..)))`` to ``move(q(f(..)))`` if the quantize may then fuse with ``f``."""
    value = op.operands[0]
    if not isinstance(value.owner, Operation) or type(value.owner) not in FUSIONS or not value.has_one_use():
        return None
    if not quantized_element(quantize.result).is_per_tensor:
        return Reason("the scales of its result lie along a dimension that the movement makes")
    return lambda build: build.add(moved_operand(op, _raised(build, value, quantize)))


@sinks(stablehlo.BroadcastInDimOp)
def broadcast(op: stablehlo.BroadcastInDimOp) -> Outcome:
    """Rewrite ``broadcast(dq(x))`` to ``dq(broadcast(x))``; a per-axis type must not be repeated along its axis."""
    source = dequantized(op.operand)
    if source is None:
        return None
    dimensions, target = stablehlo.as_tuple(op.broadcast_dimensions), tensor(op.result).get_shape()
    element = quantized_element(source)
    axis = element.quantization_dimension
    if element.is_sub_channel or (axis is not None and tensor(source).get_shape()[axis] != target[dimensions[axis]]):
        return Reason("the broadcast repeats the slices of the quantization dimension")
    return lambda build: build.add(stablehlo.BroadcastInDimOp(source, target, dimensions))


def _common_sources(values: Sequence[SSAValue]) -> list[SSAValue] | None:
    """Return the quantized values behind all operands, if they have one per-tensor element type; else None."""
    sources = [source for value in values if (source := dequantized(value)) is not None]
    elements = {element_type(source) for source in sources}
    if len(sources) != len(values) or len(elements) != 1:
        return None
    element = elements.pop()
    return sources if isinstance(element, UniformQuantizedType) and element.is_per_tensor else None


@sinks(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp) -> Outcome:
    """Rewrite ``concat(dq(a), dq(b))`` to ``dq(concat(a, b))`` if the types agree."""
    sources = _common_sources(op.inputs)
    if sources is None:
        return None
    return lambda build: build.add(stablehlo.ConcatenateOp(sources, op.dimension.value.data))


@sinks(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp) -> Outcome:
    """Rewrite ``select(p, dq(a), dq(b))`` to ``dq(select(p, a, b))`` if the types agree."""
    sources = _common_sources((op.on_true, op.on_false))
    if sources is None:
        return None
    return lambda build: build.add(stablehlo.SelectOp(op.pred, *sources))


@sinks(stablehlo.PadOp)
def pad(op: stablehlo.PadOp) -> Outcome:
    """Rewrite ``pad(dq(x), v)`` to ``dq(pad(x, q))`` if the integer ``q`` represents exactly ``v``."""
    source, value = dequantized(op.operand), splat(op.padding_value)
    if source is None or value is None:
        return None
    element = quantized_element(source)
    if not element.is_per_tensor:
        return Reason("a per-axis type cannot be padded")
    steps = value / element.scale
    integer = round(steps) + element.zero_point if np.isfinite(steps) else element.storage.maximum + 1
    exact = (integer - element.zero_point) * element.scale == value
    if not exact or not element.storage.minimum <= integer <= element.storage.maximum:
        return None
    return lambda build: _padded(build, op, source, build.filled(integer, element))


def _padded(build: OpBuilder, op: stablehlo.PadOp, value: SSAValue, filler: SSAValue) -> SSAValue:
    result = with_element(tensor(op.result), element_type(value))
    return build.add(stablehlo.PadOp.create(operands=[value, filler], result_types=[result], properties=op.properties))


@fuses(stablehlo.ConcatenateOp)
def quantized_concatenate(op: stablehlo.ConcatenateOp, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Rewrite ``q(concat(dq(a), dq(b)))`` to ``concat(q(a), q(b))`` if the types of ``a`` and ``b`` differ."""
    if not any(dequantized(value) is not None for value in op.inputs):
        return None

    axis, element = op.dimension.value.data, quantized_element(quantize.result)
    if element.is_sub_channel or element.quantization_dimension == axis:
        return Reason("each operand has a part of the scales of its result")
    return lambda build: build.add(
        stablehlo.ConcatenateOp([_raised(build, value, quantize) for value in op.inputs], axis)
    )


@fuses(stablehlo.SelectOp)
def quantized_select(op: stablehlo.SelectOp, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Rewrite ``q(select(p, dq(a), dq(b)))`` to ``select(p, q(a), q(b))``."""
    if dequantized(op.on_true) is None and dequantized(op.on_false) is None:
        return None
    return lambda build: build.add(
        stablehlo.SelectOp(op.pred, _raised(build, op.on_true, quantize), _raised(build, op.on_false, quantize))
    )


@fuses(stablehlo.PadOp)
def quantized_pad(op: stablehlo.PadOp, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Rewrite ``q(pad(dq(x), v))`` to ``pad(q(x), q(v))``."""
    if dequantized(op.operand) is None:
        return None
    if not quantized_element(quantize.result).is_per_tensor:
        return Reason("the padding value has one scale, its result has several")

    return lambda build: _padded(
        build, op, _raised(build, op.operand, quantize), _raised(build, op.padding_value, quantize)
    )


def _raised(build: OpBuilder, value: SSAValue, quantize: stablehlo.UniformQuantizeOp) -> SSAValue:
    """Return one operand quantized like the result: a dequantized one requantized, a constant as its integers.

    TOSA's PAD and TFLite's PADV2 take integers that are known, and no format needs to quantize a constant in each run.
    """
    source, element = dequantized(value), element_type(quantize.result)
    if source is not None:
        return requantize(build, source, quantize)
    if constant_of(value) is None:
        return quantize_like(quantize, build, value, element)
    quantized = stablehlo.UniformQuantizeOp(value, element)
    copy_arithmetic(quantize, quantized)
    integers = known_result(quantized)
    quantized.drop_all_references()
    return build.constant(integers, element)
