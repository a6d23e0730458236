"""Elementwise ops: in integers if the result is the same, else as dequantize, float op, quantize."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.interpreter.core import dequantize, quantize
from qconvert.interpreter.elementwise import adds_integers
from qconvert.interpreter.implementation import Array
from qconvert.ir import (
    Arithmetic,
    UniformQuantizedType,
    element_type,
    expressed,
    i32,
    numpy_dtype,
    quantized,
    shape,
    tensor,
    with_element,
)
from qconvert.passes.rescaling.legalize_quant_to_math.arithmetic import (
    centred,
    clamped,
    dequantized,
    quantized_integers,
    requantized,
    spread,
)
from qconvert.passes.rescaling.legalize_quant_to_math.rules import RuleContext, lowers, on_storage
from qconvert.passes.rescaling.legalize_quant_to_math.scales import share_scales
from qconvert.rewriting import converted, rebuilt

_TRIED_BITS = 8


def through_float(op: Operation, context: RuleContext) -> tuple[SSAValue, ...]:
    """Return the float op between dequantize and quantize; a comparison's result is not quantized."""
    build = context.build
    reals = [real(build, value, old) for value, old in zip(context.operands, op.operands, strict=True)]
    types = [with_element(tensor(result), expressed(element_type(result))) for result in op.results]
    computed = rebuilt(op, reals, types)
    build.add(computed)
    return tuple(
        made if (target := quantized(old)) is None else quantized_integers(build, made, target, context.follows)
        for old, made in zip(op.results, computed.results, strict=True)
    )


def real(build: OpBuilder, value: SSAValue, old: SSAValue) -> SSAValue:
    """Return the real values of ``value``, which holds the storage integers of ``old`` if ``old`` is quantized."""
    element = quantized(old)
    return value if element is None else dequantized(build, value, element)


@lowers(stablehlo.MaximumOp, stablehlo.MinimumOp, stablehlo.ClampOp)
def order(op: Operation, context: RuleContext) -> tuple[SSAValue, ...]:
    """Compare the integers if all types are the same, as scales are positive."""
    return _on_storage_of_one_type(op, context, (*op.operands, *op.results))


def _on_storage_of_one_type(op: Operation, context: RuleContext, values: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    is_one = len({element_type(value) for value in values}) == 1
    return on_storage(op, context) if is_one else through_float(op, context)


@lowers(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, context: RuleContext) -> tuple[SSAValue, ...]:
    """Choose between integers if the values have one type."""
    return _on_storage_of_one_type(op, context, (op.on_true, op.on_false, op.result))


@lowers(stablehlo.AddOp, stablehlo.SubtractOp)
def sum_(op: Operation, context: RuleContext) -> SSAValue | tuple[SSAValue, ...]:
    """Return an integer sum if all scales are equal: ``a + b`` plus the difference of the zero points."""
    if isinstance(op, stablehlo.AddOp) and adds_integers(op):
        return on_storage(op, context)
    lhs, rhs, result = (quantized(value) for value in (*op.operands, *op.results))
    if lhs is None or rhs is None or result is None or not share_scales(lhs, rhs, result):
        return through_float(op, context)
    build = context.build
    sign = 1 if isinstance(op, stablehlo.AddOp) else -1
    sides = [converted(build, value, i32) for value in context.operands]
    total = build.add(type(op).create(operands=sides, result_types=[with_element(tensor(op.results[0]), i32)]))
    offset = result.zero_points - lhs.zero_points - sign * rhs.zero_points
    if offset.any():
        total = build.add(stablehlo.AddOp(total, spread(build, result.broadcast(offset, shape(total)), i32, total)))
    return converted(build, clamped(build, total, result.storage), result.storage_type)


@lowers(stablehlo.MultiplyOp)
def product(op: Operation, context: RuleContext) -> SSAValue | tuple[SSAValue, ...]:
    """Return an integer product, scaled once, if that gives the float op's integer for every pair of operands."""
    lhs, rhs, result = (quantized(value) for value in (*op.operands, *op.results))
    if lhs is None or rhs is None or result is None or not _multiplies_exactly(lhs, rhs, result, context.follows):
        return through_float(op, context)
    build = context.build
    left, right = (centred(build, value, kind) for value, kind in zip(context.operands, (lhs, rhs), strict=True))
    return requantized(
        build, build.add(stablehlo.MultiplyOp(left, right)), lhs.scales * rhs.scales, result, context.follows
    )


@lru_cache(maxsize=1024)
def _multiplies_exactly(
    lhs: UniformQuantizedType, rhs: UniformQuantizedType, result: UniformQuantizedType, follows: Arithmetic | None
) -> bool:
    """Return whether scaling the integer product once rounds as the product of dequantized factors does.

    All pairs are tried, at most 65,536. Wider storage and several scales are not tried and give False.
    """
    sides = (lhs, rhs)
    if any(not kind.is_per_tensor for kind in (*sides, result)) or any(s.storage.width > _TRIED_BITS for s in sides):
        return False
    a, b = (_all_integers(side) for side in sides)
    reals = [dequantize(values, TensorType(side, values.shape)) for values, side in zip((a, b), sides, strict=True)]
    exact = np.multiply.outer(a.astype(np.int64) - lhs.zero_point, b.astype(np.int64) - rhs.zero_point)
    target = TensorType(result, exact.shape)
    with np.errstate(all="ignore"):
        expected = quantize(np.multiply.outer(*reals), target, follows)
        found = quantize(exact * (lhs.scale * rhs.scale), target, follows)
    return bool(np.array_equal(expected, found))


def _all_integers(element: UniformQuantizedType) -> Array:
    return np.arange(element.storage.minimum, element.storage.maximum + 1).astype(numpy_dtype(element))
