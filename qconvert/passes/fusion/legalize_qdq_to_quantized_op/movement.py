"""Ops that move elements: a dequantize sinks below them, a quantize that cannot meet one rises above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, numpy_dtype, quantized_element, tensor, with_element
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import FUSIONS, Outcome, Reason, fuses, requantize, sinks
from qconvert.rewriting.casts import copy_arithmetic, dequantized
from qconvert.rewriting.constants import splat
from qconvert.rewriting.movement import moved_operand
from qconvert.support.errors import ConversionError


@sinks(
    stablehlo.ReshapeOp,
    stablehlo.TransposeOp,
    stablehlo.ReverseOp,
    stablehlo.SliceOp,
    stablehlo.GatherOp,
)
def movement(op: Operation) -> Outcome:
    """``move(dq(x))`` is ``dq(move(x))``."""
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
    """``q(move(f(..)))`` is ``move(q(f(..)))`` where the quantize may then fuse with ``f``."""
    value = op.operands[0]
    if not isinstance(value.owner, Operation) or type(value.owner) not in FUSIONS or not value.has_one_use():
        return None

    def rewrite(build: OpBuilder) -> SSAValue:
        return build.add(moved_operand(op, _raised(build, value, quantize)))

    return rewrite


@sinks(stablehlo.BroadcastInDimOp)
def broadcast(op: stablehlo.BroadcastInDimOp) -> Outcome:
    """``broadcast(dq(x))`` is ``dq(broadcast(x))``; a per-axis type must not be repeated along its axis."""
    source = dequantized(op.operand)
    if source is None:
        return None
    dimensions, target = as_tuple(op.broadcast_dimensions), tensor(op.result).get_shape()
    element = quantized_element(source)
    axis = element.quantization_dimension
    if element.is_sub_channel or (axis is not None and tensor(source).get_shape()[axis] != target[dimensions[axis]]):
        return Reason("the broadcast repeats the slices of the quantization dimension")
    return lambda build: build.add(stablehlo.BroadcastInDimOp(source, target, dimensions))


def _common_sources(values: Sequence[SSAValue]) -> list[SSAValue] | None:
    """The quantized values behind all operands, where they are of one per-tensor element type."""
    sources = [source for value in values if (source := dequantized(value)) is not None]
    elements = {element_type(source) for source in sources}
    if len(sources) != len(values) or len(elements) != 1:
        return None
    element = elements.pop()
    return sources if isinstance(element, UniformQuantizedType) and element.is_per_tensor else None


@sinks(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp) -> Outcome:
    """``concat(dq(a), dq(b))`` is ``dq(concat(a, b))`` where the types agree."""
    sources = _common_sources(op.inputs)
    if sources is None:
        return None
    return lambda build: build.add(stablehlo.ConcatenateOp(sources, op.dimension.value.data))


@sinks(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp) -> Outcome:
    """``select(p, dq(a), dq(b))`` is ``dq(select(p, a, b))`` where the types agree."""
    sources = _common_sources((op.on_true, op.on_false))
    if sources is None:
        return None
    return lambda build: build.add(stablehlo.SelectOp(op.pred, *sources))


@sinks(stablehlo.PadOp)
def pad(op: stablehlo.PadOp) -> Outcome:
    """``pad(dq(x), v)`` is ``dq(pad(x, q))`` where the integer ``q`` stands for exactly ``v``."""
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
    return lambda build: _padded(build, op, source, np.asarray(integer))


def _padded(build: OpBuilder, op: stablehlo.PadOp, source: SSAValue, integer: NDArray[Any]) -> SSAValue:
    element = element_type(source)
    filler = build.constant(integer.astype(numpy_dtype(element)), element)
    result = with_element(tensor(op.result), element)
    return build.add(stablehlo.PadOp.create(operands=[source, filler], result_types=[result], properties=op.properties))


@fuses(stablehlo.ConcatenateOp)
def quantized_concatenate(op: stablehlo.ConcatenateOp, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """``q(concat(dq(a), dq(b)))`` with types that differ is ``concat(q(a), q(b))``: rounding is element by element."""
    if not any(dequantized(value) is not None for value in op.inputs):
        return None

    def rewrite(build: OpBuilder) -> SSAValue:
        return build.add(
            stablehlo.ConcatenateOp([_raised(build, v, quantize) for v in op.inputs], op.dimension.value.data)
        )

    return rewrite


@fuses(stablehlo.SelectOp)
def quantized_select(op: stablehlo.SelectOp, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """``q(select(p, dq(a), dq(b)))`` is ``select(p, q(a), q(b))``."""
    if dequantized(op.on_true) is None and dequantized(op.on_false) is None:
        return None
    return lambda build: build.add(
        stablehlo.SelectOp(op.pred, _raised(build, op.on_true, quantize), _raised(build, op.on_false, quantize))
    )


@fuses(stablehlo.PadOp)
def quantized_pad(op: stablehlo.PadOp, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """``q(pad(dq(x), v))`` is ``pad(q(x), q(v))``."""
    if dequantized(op.operand) is None:
        return None

    def rewrite(build: OpBuilder) -> SSAValue:
        operands = [_raised(build, op.operand, quantize), _raised(build, op.padding_value, quantize)]
        result = with_element(tensor(op.result), element_type(quantize.result))
        return build.add(stablehlo.PadOp.create(operands=operands, result_types=[result], properties=op.properties))

    return rewrite


def _raised(build: OpBuilder, value: SSAValue, quantize: stablehlo.UniformQuantizeOp) -> SSAValue:
    """The quantize applied to one operand: a requantization where it is a dequantized value."""
    source = dequantized(value)
    if source is not None:
        return requantize(build, source, quantize)
    op = stablehlo.UniformQuantizeOp(value, element_type(quantize.result))
    copy_arithmetic(quantize, op)
    return build.add(op)
