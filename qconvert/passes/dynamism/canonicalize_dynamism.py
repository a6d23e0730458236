"""Ops with sizes as values become the ops with sizes as attributes, where the values are known."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from qconvert.passes.dynamism.refinement import refine
from qconvert.rewriting import Pass, PassResult


class CanonicalizeDynamism(Pass):
    """Make ops static whose shapes, amounts and indices follow from constants and from the sizes of values.

    ::

    %n = constant [2, 6]; %1 = dynamic_reshape %0, %n

    %1 = reshape %0
    """

    name = "canonicalize-dynamism"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every function with a body; its arguments keep their shapes."""
        functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        results = [refine(function) for function in functions]
        refusals = tuple(refusal for result in results for refusal in result.refusals)
        return PassResult(any(result.changed for result in results), refusals)
