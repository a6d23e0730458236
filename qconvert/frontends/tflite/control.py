"""CALL, IF and STABLEHLO_COMPOSITE: operators that run subgraphs, which are inlined."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from qconvert.frontends.tflite.context import OpContext, tflite_op
from qconvert.frontends.tflite.model import callees
from qconvert.support.errors import ConversionError


@tflite_op("CALL", "STABLEHLO_COMPOSITE")
def call(ctx: OpContext) -> Sequence[SSAValue]:
    """Return the subgraph's results; for a composite those of its decomposition."""
    [callee] = callees(ctx.op)
    return ctx.inline(callee, [ctx.value(i) for i in range(len(ctx.op.inputs))])


@tflite_op("IF")
def if_(ctx: OpContext) -> Sequence[SSAValue]:
    """Inline the branch that a constant condition chooses."""
    condition = ctx.known(0)
    if condition is None or condition.size != 1:
        raise ConversionError(
            "a condition that is computed at run time is not supported", hint="Convert the model with one branch"
        )
    then, otherwise = callees(ctx.op)
    return ctx.inline(then if condition.item() else otherwise, [ctx.value(i) for i in range(1, len(ctx.op.inputs))])
