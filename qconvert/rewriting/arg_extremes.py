"""Reductions of pairs of value and index that find the index of the largest or smallest value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.ir import quantized
from qconvert.rewriting.constants import constant_of

_BY_INDEX = [stablehlo.CompareOp, stablehlo.CompareOp, stablehlo.CompareOp, stablehlo.AndOp, stablehlo.OrOp]
_CHOICE = [stablehlo.SelectOp, stablehlo.SelectOp, stablehlo.ReturnOp]

_KEEPS_LEFT = {
    Direction.GE: (Direction.GT, Direction.LT),
    Direction.GT: (Direction.GT, Direction.GT),
    Direction.LE: (Direction.LT, Direction.LT),
    Direction.LT: (Direction.LT, Direction.GT),
}
"""The search of a body that keeps the left pair if one comparison holds: the left pair is always the earlier one."""


class ArgExtreme(NamedTuple):
    """The choice between two pairs: by value (GT: the larger one), among equal values by index (LT: the first one)."""

    better: Direction
    earlier: Direction


def arg_extreme_body(op: stablehlo.ReduceOp) -> ArgExtreme | None:
    """Return what a reduction's body looks for if it chooses one of two pairs; None if it does something else.

    Indices that grow along the reduced dimension are assumed where the body compares values only.
    """
    ops = list(op.body.block.ops)
    if op.has_conversions or len(op.body.block.args) != 4:
        return None
    kinds = [type(inner) for inner in ops]
    if kinds == [stablehlo.CompareOp, *_CHOICE]:
        found = _by_value(op, ops)
    elif kinds == [*_BY_INDEX, *_CHOICE]:
        found = _by_value_and_index(op, ops)
    else:
        return None
    return found if found is not None and _starts_last(op, found) else None


def _by_value(op: stablehlo.ReduceOp, ops: Sequence[Operation]) -> ArgExtreme | None:
    compare = ops[0]
    assert isinstance(compare, stablehlo.CompareOp)
    value, _, other, _ = op.body.block.args
    directions = _KEEPS_LEFT.get(compare.comparison_direction.data)
    wired = _takes(compare, value, other) and _chooses(op, compare.results[0], ops[1:])
    return ArgExtreme(*directions) if directions is not None and wired else None


def _by_value_and_index(op: stablehlo.ReduceOp, ops: Sequence[Operation]) -> ArgExtreme | None:
    better, equal, first, ties, keeps, *choice = ops
    value, index, other, other_index = op.body.block.args
    wired = (
        _takes(better, value, other)
        and _takes(equal, value, other)
        and _takes(first, index, other_index)
        and _takes(ties, equal.results[0], first.results[0])
        and _takes(keeps, better.results[0], ties.results[0])
        and _chooses(op, keeps.results[0], choice)
    )
    found = [inner.comparison_direction.data for inner in ops if isinstance(inner, stablehlo.CompareOp)]
    strict = (Direction.GT, Direction.LT)
    is_known = wired and found[0] in strict and found[1] is Direction.EQ and found[2] in strict
    return ArgExtreme(found[0], found[2]) if is_known else None


def counts_along(array: NDArray[Any], axis: int) -> bool:
    """Return whether integers count from 0 along a dimension and are equal along the others."""
    count = np.arange(array.shape[axis]).reshape([-1 if i == axis else 1 for i in range(array.ndim)])
    return bool((array == count).all())


def _chooses(op: stablehlo.ReduceOp, keeps: SSAValue, choice: Sequence[Operation]) -> bool:
    """Return whether the last ops of a body return the left pair if ``keeps``, else the right pair."""
    best, best_index, end = choice
    value, index, other, other_index = op.body.block.args
    pairs = _takes(best, keeps, value, other) and _takes(best_index, keeps, index, other_index)
    return pairs and _takes(end, best.results[0], best_index.results[0])


def _starts_last(op: stablehlo.ReduceOp, found: ArgExtreme) -> bool:
    """Return whether the initial pair is no better than the first element's: a worst value, with the index 0.

    The lowest finite float counts as a worst value, too.
    """
    constant, index, element = constant_of(op.initials[0]), constant_of(op.initials[1]), quantized(op.initials[0])
    if constant is None or index is None or index.array.any():
        return False
    array, largest = constant.array, found.better is Direction.GT
    if element is not None:
        return bool(array == (element.storage.minimum if largest else element.storage.maximum))
    if array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype.name)
        return bool(array == (limits.min if largest else limits.max))
    return float(array) * (-1 if largest else 1) >= numerics.largest_finite(array.dtype)


def _takes(op: Operation, *operands: SSAValue) -> bool:
    return tuple(op.operands) == operands
