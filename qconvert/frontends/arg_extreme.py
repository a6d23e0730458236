"""The index of an extreme as StableHLO says it: a reduction of pairs of value and index."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Region

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import ComparisonDirection


def better_pair(
    element: Attribute, index_element: Attribute, better: ComparisonDirection, earlier: ComparisonDirection
) -> Region:
    """The better of two pairs of value and index; where the values are equal, the one whose index is preferred."""
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
