"""Reductions over dimensions. Input: the operand. A mean is a sum divided by a constant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import shape
from qconvert.quantization.fusion.pattern import Pattern, Step, by_constant, is_constant


def combines_with(kind: type[Operation]) -> Callable[[Any], bool]:
    """Return a test for reductions of one operand by one op, without conversions."""

    def accepts(op: stablehlo.ReductionOp) -> bool:
        plain = len(op.elements) == 1 and not op.has_conversions and not op.is_left_to_right
        return plain and isinstance(op.combiner, kind) and is_constant(op.initials[0])

    return accepts


def _keeps_dimensions(op: stablehlo.ReshapeOp, value: SSAValue) -> bool:
    """Return whether only dimensions of size 1 are added or removed."""
    before, after = ([size for size in shape(each) if size != 1] for each in (value, op.result))
    return before == after


DIVIDED = Step((stablehlo.DivideOp, stablehlo.MultiplyOp), by_constant, required=True, keeps_constants=True)
"""A sum divided by the number of its elements."""

_KEPT = Step((stablehlo.ReshapeOp,), _keeps_dimensions)
_REDUCE = (stablehlo.ReduceOp,)

PATTERNS = (
    Pattern("mean", _REDUCE, combines_with(stablehlo.AddOp), (DIVIDED, _KEPT), keeps_constants=True),
    Pattern("sum", _REDUCE, combines_with(stablehlo.AddOp), (_KEPT,), keeps_constants=True),
    Pattern("reduce_max", _REDUCE, combines_with(stablehlo.MaximumOp), (_KEPT,), keeps_constants=True),
    Pattern("reduce_min", _REDUCE, combines_with(stablehlo.MinimumOp), (_KEPT,), keeps_constants=True),
)
