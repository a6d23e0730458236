"""Elementwise ops: integers where they give the same, else dequantize, float op, quantize."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.interpreter.core import Array, dequantize, quantize
from qconvert.interpreter.elementwise import adds_integers
from qconvert.ir.arithmetic import Arithmetic
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, expressed, i32, numpy_dtype, quantized, shape, tensor, with_element
from qconvert.passes.rescaling.legalize_quant_to_math.arithmetic import (
    centred,
    clamped,
    converted,
    dequantized,
    quantized_integers,
    requantized,
    spread,
)
from qconvert.passes.rescaling.legalize_quant_to_math.rules import Site, lowers, on_storage
from qconvert.passes.rescaling.legalize_quant_to_math.scales import share_scales
from qconvert.rewriting.rebuild import remade

_TRIED_BITS = 8


def through_float(op: Operation, site: Site) -> tuple[SSAValue, ...]:
    """The float op between dequantize and quantize; a comparison has nothing to quantize."""
    build = site.build
    reals = [real(build, value, old) for value, old in zip(site.operands, op.operands, strict=True)]
    types = [with_element(tensor(result), expressed(element_type(result))) for result in op.results]
    computed = remade(op, reals, types)
    build.add(computed)
    return tuple(
        made if (target := quantized(old)) is None else quantized_integers(build, made, target, site.follows)
        for old, made in zip(op.results, computed.results, strict=True)
    )


def real(build: OpBuilder, value: SSAValue, old: SSAValue) -> SSAValue:
    """The real values behind ``value``, which are the storage integers of ``old`` where that is quantized."""
    element = quantized(old)
    return value if element is None else dequantized(build, value, element)


@lowers(stablehlo.MaximumOp, stablehlo.MinimumOp, stablehlo.ClampOp)
def order(op: Operation, site: Site) -> tuple[SSAValue, ...]:
    """With one type everywhere an op on the integers themselves: scales are positive."""
    is_one = len({element_type(value) for value in (*op.operands, *op.results)}) == 1
    return on_storage(op, site) if is_one else through_float(op, site)


@lowers(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, site: Site) -> tuple[SSAValue, ...]:
    """With one type of values a choice of integers."""
    is_one = len({element_type(value) for value in (op.on_true, op.on_false, op.result)}) == 1
    return on_storage(op, site) if is_one else through_float(op, site)


@lowers(stablehlo.AddOp, stablehlo.SubtractOp)
def sum_(op: Operation, site: Site) -> SSAValue | tuple[SSAValue, ...]:
    """An integer sum where all scales are one: ``a + b`` plus what the zero points come to."""
    if isinstance(op, stablehlo.AddOp) and adds_integers(op):
        return on_storage(op, site)
    lhs, rhs, result = (quantized(value) for value in (*op.operands, *op.results))
    if lhs is None or rhs is None or result is None or not share_scales(lhs, rhs, result):
        return through_float(op, site)
    build = site.build
    sign = 1 if isinstance(op, stablehlo.AddOp) else -1
    sides = [converted(build, value, i32) for value in site.operands]
    total = build.add(type(op).create(operands=sides, result_types=[with_element(tensor(op.results[0]), i32)]))
    offset = result.zero_points - lhs.zero_points - sign * rhs.zero_points
    if offset.any():
        total = build.add(stablehlo.AddOp(total, spread(build, result.broadcast(offset, shape(total)), i32, total)))
    return converted(build, clamped(build, total, result.storage), result.storage_type)


@lowers(stablehlo.MultiplyOp)
def product(op: Operation, site: Site) -> SSAValue | tuple[SSAValue, ...]:
    """An integer product, scaled once, where that gives the float op's integer for every pair of operands."""
    lhs, rhs, result = (quantized(value) for value in (*op.operands, *op.results))
    if lhs is None or rhs is None or result is None or not _multiplies_exactly(lhs, rhs, result, site.follows):
        return through_float(op, site)
    build = site.build
    left, right = (centred(build, value, kind) for value, kind in zip(site.operands, (lhs, rhs), strict=True))
    return requantized(
        build, build.add(stablehlo.MultiplyOp(left, right)), lhs.scales * rhs.scales, result, site.follows
    )


@lru_cache(maxsize=1024)
def _multiplies_exactly(
    lhs: UniformQuantizedType, rhs: UniformQuantizedType, result: UniformQuantizedType, follows: Arithmetic | None
) -> bool:
    """Whether scaling the integer product once rounds as two dequantized factors do: all pairs are tried.

    They are 65,536 at most: storage beyond 8 bits and scales for each slice are not looked at.
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
