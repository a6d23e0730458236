"""Reductions of pairs of value and index that find the index of the largest or smallest value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection as Direction

_KINDS = [stablehlo.CompareOp, stablehlo.CompareOp, stablehlo.CompareOp, stablehlo.AndOp, stablehlo.OrOp]
_KINDS += [stablehlo.SelectOp, stablehlo.SelectOp, stablehlo.ReturnOp]


@dataclass(frozen=True)
class ArgExtreme:
    """The choice between two pairs: by value (GT: the larger one), among equal values by index (LT: the first one)."""

    better: Direction
    earlier: Direction


def arg_extreme_body(op: stablehlo.ReduceOp) -> ArgExtreme | None:
    """Return what a reduction's body looks for if it chooses one of two pairs; None if it does something else."""
    block = op.body.block
    ops = list(block.ops)
    if op.has_conversions or [type(inner) for inner in ops] != _KINDS:
        return None
    better, equal, first, ties, keeps, best, best_index, end = ops
    value, index, other, other_index = block.args
    wired = (
        _takes(better, value, other)
        and _takes(equal, value, other)
        and _takes(first, index, other_index)
        and _takes(ties, equal.results[0], first.results[0])
        and _takes(keeps, better.results[0], ties.results[0])
        and _takes(best, keeps.results[0], value, other)
        and _takes(best_index, keeps.results[0], index, other_index)
        and _takes(end, best.results[0], best_index.results[0])
    )
    found = [inner.comparison_direction.data for inner in ops if isinstance(inner, stablehlo.CompareOp)]
    strict = (Direction.GT, Direction.LT)
    is_known = wired and found[0] in strict and found[1] is Direction.EQ and found[2] in strict
    return ArgExtreme(found[0], found[2]) if is_known else None


def counts_along(array: NDArray[Any], axis: int) -> bool:
    """Return whether integers count from 0 along a dimension and are equal along the others."""
    count = np.arange(array.shape[axis]).reshape([-1 if i == axis else 1 for i in range(array.ndim)])
    return bool((array == count).all())


def _takes(op: Operation, *operands: SSAValue) -> bool:
    return tuple(op.operands) == operands
