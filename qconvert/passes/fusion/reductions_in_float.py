"""Quantized reductions written as a dequantize, the reduction of floats, and a quantize."""

from __future__ import annotations

from xdsl.ir import Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import UniformQuantizedType, element_type, quantized, quantized_element, same_scales
from qconvert.passes.reductions.widen_reductions import converted_outputs, tensor_obstacle, widened
from qconvert.rewriting import (
    builder_before,
    constant_of,
    copy_arithmetic,
    in_float,
    is_widening_sum,
    replace,
    selects_by_comparing,
    split_accumulation,
    with_stages,
)

_KINDS = (stablehlo.AddOp, stablehlo.MaximumOp, stablehlo.MinimumOp)


def has_float_form(op: Operation) -> bool:
    """Return whether a quantized reduction can be one of floats: a 32-bit sum or an extreme of one operand.

    An extreme is the same. A sum of floats is rounded, so that an exact tie behind it may fall the other way.
    """
    if not isinstance(op, stablehlo.ReduceOp | stablehlo.ReduceWindowOp) or quantized(op.operands[0]) is None:
        return False
    accumulator, kind = op.accumulator, _combiner(op)
    if len(op.elements) != 1 or not isinstance(accumulator, UniformQuantizedType) or kind is None:
        return False
    obstacle = tensor_obstacle(op.input_conversion) or tensor_obstacle(op.output_conversion)
    saturates = kind is stablehlo.AddOp and accumulator.storage.width < 32
    return not saturates and obstacle is None and selects_by_comparing(op)


def _combiner(op: stablehlo.ReductionOp) -> type[stablehlo.BinaryOp] | None:
    """Return the kind of the op that combines two accumulators, if it is a sum or an extreme."""
    split = split_accumulation(op.body) if op.is_left_to_right else (None, op.body)
    kind = type(None if split is None else stablehlo.combiner_of(split[1]))
    return kind if kind in _KINDS else None


def reduce_in_float(op: stablehlo.ReductionOp) -> SSAValue:
    """Replace a reduction that :func:`has_float_form`; return the quantized result that takes its place."""
    kind = _combiner(op)
    assert kind is not None
    build = builder_before(op)
    if is_widening_sum(op):
        start = build.filled(0.0, quantized_element(op.elements[0]).expressed_type)
        value = _reduced(op, build, kind, [in_float(build, op.elements[0]), start])
        result = _divided_and_quantized(op, build, value)
        replace(op, result)
        return result
    operands, _ = widened(op, build)
    value = _reduced(op, build, kind, [in_float(build, operands[0]), _start(build, kind, operands[1])])
    accumulated = build.add(stablehlo.UniformQuantizeOp(value, op.accumulator))
    [result] = converted_outputs(op, build, [accumulated])
    replace(op, result)
    return result


def _reduced(
    op: stablehlo.ReductionOp, build: OpBuilder, kind: type[stablehlo.BinaryOp], operands: list[SSAValue]
) -> SSAValue:
    return build.add(with_stages(op, operands, [stablehlo.binary_body(kind, element_type(operands[0]))]))


def _start(build: OpBuilder, kind: type[stablehlo.BinaryOp], initial: SSAValue) -> SSAValue:
    """Return an initial value in float; one that no element can pass is infinite, as in float models."""
    constant, element = constant_of(initial), quantized_element(initial)
    start = stablehlo.neutral_element(kind, element.expressed_type)
    if constant is None or start is None or not stablehlo.is_neutral(kind, int(constant.array[()]), element):
        return in_float(build, initial)
    return build.filled(start, element.expressed_type)


def _divided_and_quantized(op: stablehlo.ReductionOp, build: OpBuilder, value: SSAValue) -> SSAValue:
    """Apply the output conversion of a sum: a change of scale is a division."""
    scale = quantized_element(op.elements[0]).scale
    for inner in _ops(op.output_conversion):
        element = quantized_element(inner.results[0])
        if isinstance(inner, stablehlo.BitcastConvertOp):
            value = build.add(
                stablehlo.DivideOp(value, build.filled_like(ratio_of_scales(scale, element.scale), value))
            )
            scale = element.scale
            continue
        last = stablehlo.UniformQuantizeOp(value, element)
        copy_arithmetic(inner, last)
        copy_arithmetic(op, last)
        return build.add(last)
    return build.add(stablehlo.UniformQuantizeOp(value, element_type(op.results[0])))


def ratio_of_scales(scale: float, divisor: float) -> float:
    """Return the quotient of two scales, as a whole number if it is one but for float32's rounding."""
    ratio = scale / divisor
    near = round(ratio)
    return float(near) if near and same_scales(ratio, near) else ratio


def _ops(region: Region | None) -> list[Operation]:
    return [] if region is None else list(region.block.ops)[:-1]
