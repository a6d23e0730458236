"""chlo's ops, evaluated as they are written in StableHLO's ops; functions of complex numbers by numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import chlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.chlo import CHLO, ChloOp
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array, implements_chlo

_COMPLEX: dict[type[ChloOp], Callable[[Array], Array]] = {
    chlo.AcosOp: np.arccos,
    chlo.AcoshOp: np.arccosh,
    chlo.AsinOp: np.arcsin,
    chlo.AsinhOp: np.arcsinh,
    chlo.AtanOp: np.arctan,
    chlo.AtanhOp: np.arctanh,
    chlo.CoshOp: np.cosh,
    chlo.SinhOp: np.sinh,
    chlo.TanOp: np.tan,
}
"""Functions of complex numbers, which have no form in StableHLO's ops yet."""


@implements_chlo(*CHLO.operations)
def legalized(op: ChloOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Write the op in StableHLO's ops and evaluate these; compute a complex function in double precision."""
    if operands and operands[0].dtype.kind == "c" and type(op) in _COMPLEX:
        return (_COMPLEX[type(op)](operands[0].astype(np.complex128)).astype(operands[0].dtype),)
    build = OpBuilder(op.location)
    results = op.legalize(build)
    values: dict[SSAValue, Array] = dict(zip(op.operands, operands, strict=True))
    for step in build.ops:
        found = evaluate_op(step, [values[operand] for operand in step.operands])
        values.update(zip(step.results, found, strict=True))
    for step in build.ops:
        step.drop_all_references()
    return tuple(values[result] for result in results)
