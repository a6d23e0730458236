"""chlo's ops, evaluated as they are written in StableHLO's ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.chlo import CHLO, ChloOp
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array, implements_chlo


@implements_chlo(*CHLO.operations)
def legalized(op: ChloOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Write the op in StableHLO's ops and evaluate these."""
    build = OpBuilder(op.location)
    results = op.legalize(build)
    values: dict[SSAValue, Array] = dict(zip(op.operands, operands, strict=True))
    for step in build.ops:
        found = evaluate_op(step, [values[operand] for operand in step.operands])
        values.update(zip(step.results, found, strict=True))
    for step in build.ops:
        step.drop_all_references()
    return tuple(values[result] for result in results)
