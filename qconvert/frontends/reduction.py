"""Reductions that ONNX and TFLite share: start values, pools, and the index of an extreme."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import BinaryOp, ComparisonDirection
from qconvert.frontends.context import ImportContext
from qconvert.ir import element_type, shape


def _start(kind: type[BinaryOp], element: Attribute) -> float:
    """Return the neutral element from which values of a type are combined."""
    found = stablehlo.neutral_element(kind, element)
    assert found is not None
    return found


def reduced(ctx: ImportContext, kind: type[BinaryOp], value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Combine the elements along ``axes``, which the result does not have."""
    element = element_type(value)
    start = ctx.build.filled(_start(kind, element), element)
    return ctx.emit(stablehlo.ReduceOp(value, start, axes, [stablehlo.binary_body(kind, element)]))


def pooled(ctx: ImportContext, kind: type[BinaryOp], value: SSAValue, window: stablehlo.Window) -> SSAValue:
    """Combine the elements under each window."""
    element = element_type(value)
    start = ctx.build.filled(_start(kind, element), element)
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
    worst = _start(stablehlo.MaximumOp if better is ComparisonDirection.GT else stablehlo.MinimumOp, element)
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
