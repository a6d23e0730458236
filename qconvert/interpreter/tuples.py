"""Tuples, held as Python tuples, and the optimization barrier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qconvert.dialects.stablehlo.tuples import GetTupleElementOp, OptimizationBarrierOp, TupleOp
from qconvert.interpreter.implementation import implements


@implements(TupleOp)
def tuple_(op: TupleOp, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Return one result, which holds all operands."""
    return (tuple(operands),)


@implements(GetTupleElementOp)
def get_tuple_element(op: GetTupleElementOp, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Return one result, which may be a tuple itself."""
    return (operands[0][op.index.value.data],)


@implements(OptimizationBarrierOp)
def optimization_barrier(op: OptimizationBarrierOp, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Return the operands."""
    return tuple(operands)
