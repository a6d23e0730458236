"""Composites decomposed into primitives, for targets that have no op for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.ir import element_type, quantized
from qconvert.rewriting import Contract, Pass, PassResult, builder_before, in_float, no_op, quantize_like, replace

NO_COMPOSITES = no_op("no composite op left", lambda op: isinstance(op, CompositeOp))


class DecomposeComposites(Pass):
    """Replace every composite by its decomposition; quantized ones compute in float in between.

    ::

        q x ── qconvert.softmax ── q y

        q x ── uniform_dequantize ── maximum, subtract, exponential, ... ── uniform_quantize ── q y

    The final quantize keeps the composite's arithmetic and the name of its source's tensor.
    """

    name = "decompose-composites"
    ensures: ClassVar[tuple[Contract, ...]] = (NO_COMPOSITES,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every composite in place, also inside a decomposition."""
        changed = False
        pending = self.composites(module.walk())
        while pending:
            op = pending.pop()
            build = builder_before(op)
            replace(op, *_decomposed(op, build))
            pending += self.composites(build.ops)
            changed = True
        return PassResult(changed)

    def composites(self, ops: Iterable[Operation]) -> list[CompositeOp]:
        """Return the ops to rewrite: here, all composites."""
        return [op for op in ops if isinstance(op, CompositeOp)]


def _decomposed(op: CompositeOp, build: OpBuilder) -> tuple[SSAValue, ...]:
    results = op.decompose(build, [in_float(build, operand) for operand in op.operands])
    return (quantized_result(build, op, results),) if isinstance(results, SSAValue) else results


def quantized_result(build: OpBuilder, op: CompositeOp, value: SSAValue) -> SSAValue:
    """Return a float result in the quantized type of a composite's first result; the result itself if that is float."""
    if quantized(op.results[0]) is None:
        return value
    return quantize_like(op, build, value, element_type(op.results[0]))
