"""Reductions that ONNX and TFLite share: start values, pools, and the index of an extreme."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import BinaryOp, ComparisonDirection
from qconvert.frontends.context import ImportContext
from qconvert.ir import UniformQuantizedType, element_type, numpy_dtype, shape


def least(element: Attribute) -> float:
    """Return the smallest value of an element type: the start of a maximum."""
    return _extreme(element, -1)


def greatest(element: Attribute) -> float:
    """Return the largest value of an element type: the start of a minimum."""
    return _extreme(element, 1)


def _extreme(element: Attribute, sign: int) -> float:
    if isinstance(element, UniformQuantizedType):
        return element.storage.maximum if sign > 0 else element.storage.minimum
    if not isinstance(element, IntegerType):
        return sign * math.inf
    if element.width.data == 1:
        return int(sign > 0)
    limits = np.iinfo(numpy_dtype(element).name)
    return int(limits.max if sign > 0 else limits.min)


_START: dict[type[BinaryOp], Callable[[Attribute], float]] = {
    stablehlo.AddOp: lambda _: 0,
    stablehlo.MultiplyOp: lambda _: 1,
    stablehlo.MaximumOp: least,
    stablehlo.MinimumOp: greatest,
}


def reduced(ctx: ImportContext, kind: type[BinaryOp], value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Combine the elements along ``axes``, which the result does not have."""
    element = element_type(value)
    start = ctx.build.filled(_START[kind](element), element)
    return ctx.emit(stablehlo.ReduceOp(value, start, axes, [stablehlo.binary_body(kind, element)]))


def pooled(ctx: ImportContext, kind: type[BinaryOp], value: SSAValue, window: stablehlo.Window) -> SSAValue:
    """Combine the elements under each window."""
    element = element_type(value)
    start = ctx.build.filled(_START[kind](element), element)
    return ctx.emit(stablehlo.ReduceWindowOp(value, start, window, [stablehlo.binary_body(kind, element)]))


def with_kept(ctx: ImportContext, result: SSAValue, value: SSAValue, axes: Sequence[int], *, keep: bool) -> SSAValue:
    """Return a reduction's result; ``keep`` gives it dimensions of size 1 where ``value`` was reduced."""
    if not keep:
        return result
    return ctx.reshape(result, [1 if i in axes else size for i, size in enumerate(shape(value))])


def arg_extreme(
    build: OpBuilder,
    value: SSAValue,
    indices: SSAValue,
    axis: int,
    better: ComparisonDirection,
    earlier: ComparisonDirection = ComparisonDirection.LT,
) -> SSAValue:
    """Return the index of the best element along an axis: a reduction of pairs of value and index.

    ``indices`` has the shape of ``value`` and counts along the axis. Among equal values the ``earlier`` index wins.
    """
    element, index_element = element_type(value), element_type(indices)
    worst = least(element) if better is ComparisonDirection.GT else greatest(element)
    kept = [size for i, size in enumerate(shape(value)) if i != axis]
    op = stablehlo.ReduceOp.create(
        operands=[value, indices, build.filled(worst, element), build.filled(0, index_element)],
        properties={"dimensions": stablehlo.integers([axis])},
        result_types=[TensorType(element, kept), TensorType(index_element, kept)],
        regions=[_better_pair(element, index_element, better, earlier)],
    )
    build.add(op)
    return op.results[1]


def _better_pair(
    element: Attribute, index_element: Attribute, better: ComparisonDirection, earlier: ComparisonDirection
) -> Region:
    """Build the body that picks the better of two pairs of value and index."""
    block = Block(arg_types=[TensorType(element, ()), TensorType(index_element, ())] * 2)
    value, index, other, other_index = block.args
    build = OpBuilder()
    is_better = build.add(stablehlo.CompareOp(value, other, better))
    is_equal = build.add(stablehlo.CompareOp(value, other, ComparisonDirection.EQ))
    comes_first = build.add(stablehlo.CompareOp(index, other_index, earlier))
    keeps = build.add(stablehlo.OrOp(is_better, build.add(stablehlo.AndOp(is_equal, comes_first))))
    best = build.add(stablehlo.SelectOp(keeps, value, other))
    best_index = build.add(stablehlo.SelectOp(keeps, index, other_index))
    block.add_ops([*build.ops, stablehlo.ReturnOp(best, best_index)])
    return Region(block)
