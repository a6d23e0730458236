"""Reductions and pools: extremes keep the quantized type, sums and means get 32-bit accumulators."""

from __future__ import annotations

import math

import numpy as np
from xdsl.ir import Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import ACCUMULATOR, UniformQuantizedType, numpy_dtype, quantized, quantized_element, shape
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import Outcome, Reason, sinks
from qconvert.rewriting import INT32_LIMIT, dequantized, magnitude, splat

Reduction = stablehlo.ReduceOp | stablehlo.ReduceWindowOp


@sinks(stablehlo.ReduceOp, stablehlo.ReduceWindowOp)
def reduction(op: Reduction) -> Outcome:
    """Rewrite ``reduce(dq(x))``: an extreme keeps the type, a sum gets an i32 accumulator at the same scale."""
    if len(op.inputs) != 1 or op.has_conversions:
        return None
    source = dequantized(op.inputs[0])
    if source is None:
        return None
    element, combiner = quantized(source), op.combiner
    assert element is not None
    if not element.is_per_tensor:
        return Reason("the reduced tensor is not quantized per tensor")
    initial = splat(op.init_values[0])
    starts = initial is not None and stablehlo.is_neutral(type(combiner), initial, element.expressed_type)
    if isinstance(combiner, stablehlo.MaximumOp | stablehlo.MinimumOp):
        return _extremum(op, source, element, type(combiner)) if starts else Reason("the initial value is not neutral")
    if isinstance(combiner, stablehlo.AddOp) and starts:
        return _sum(op, source, element)
    return Reason("only sums, maxima and minima of quantized values have an exact integer form")


def _extremum(
    op: Reduction,
    source: SSAValue,
    element: UniformQuantizedType,
    kind: type[stablehlo.BinaryOp],
) -> Outcome:
    integer = stablehlo.neutral_element(kind, element)

    def rewrite(build: OpBuilder) -> SSAValue:
        start = build.constant(np.asarray(integer).astype(numpy_dtype(element)), element)
        return build.add(_same_reduction(op, source, start, [stablehlo.binary_body(kind, element)]))

    return rewrite


def _same_reduction(op: Reduction, source: SSAValue, initial: SSAValue, parts: list[Region]) -> Operation:
    if isinstance(op, stablehlo.ReduceOp):
        return stablehlo.ReduceOp(source, initial, op.reduced, parts)
    return stablehlo.ReduceWindowOp(source, initial, op.window, parts)


def _sum(op: Reduction, source: SSAValue, element: UniformQuantizedType) -> Outcome:
    count = _summed(op)
    if element.storage.width > 16 or count * magnitude(element) > INT32_LIMIT:
        return Reason(f"a sum of {count} values of {element.storage} may exceed 32 bits")
    accumulator = UniformQuantizedType.per_tensor(ACCUMULATOR, element.scale, 0, element.expressed_type)

    def rewrite(build: OpBuilder) -> SSAValue:
        start = build.constant(np.asarray(element.zero_point).astype(numpy_dtype(element)), element)
        return build.add(_same_reduction(op, source, start, [stablehlo.binary_body(stablehlo.AddOp, accumulator)]))

    return rewrite


def _summed(op: Reduction) -> int:
    if isinstance(op, stablehlo.ReduceOp):
        return math.prod(shape(op.inputs[0])[i] for i in op.reduced)
    return math.prod(op.window.size)


def mean(op: Operation) -> Outcome:
    """Rewrite ``dq(sum) / N`` to the same accumulator at scale ``s / N``, without any arithmetic."""
    divisor = splat(op.operands[1])
    source = dequantized(op.operands[0])
    if source is None or divisor is None or not quantized_element(source).is_accumulator or divisor <= 0:
        return None
    element = quantized_element(source)
    first = element.data.scales[0]
    scale = first / divisor if isinstance(op, stablehlo.DivideOp) else first * divisor
    if not element.is_per_tensor or not np.finfo(np.float32).tiny <= scale <= np.finfo(np.float32).max:
        return None
    scaled = UniformQuantizedType.per_tensor(ACCUMULATOR, scale, 0, element.expressed_type)
    return lambda build: build.add(stablehlo.BitcastConvertOp(source, scaled))


sinks(stablehlo.DivideOp, stablehlo.MultiplyOp)(mean)
