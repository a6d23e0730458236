"""Hybrid ops split in two: a dequantize of the weights and a float contraction."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.ir import element_type, expressed
from qconvert.rewriting import Pass, PassResult, builder_before, no_op, rebuilt, replace


def _is_hybrid(op: Operation) -> bool:
    return isinstance(op, stablehlo.ContractionOp) and op.is_hybrid


NO_HYBRID = no_op("no hybrid op", _is_hybrid, remedy="Run the pass dehybridize first")


class Dehybridize(Pass):
    """Write every hybrid op as its meaning (``hybrid_dequantize_then_op``).

    ::

        %y = dot_general %x, %w : (f32, q8) -> f32        %f = uniform_dequantize %w : q8
                                                    ->    %y = dot_general %x, %f

    The reverse of ``hybridize``.
    """

    name = "dehybridize"
    ensures = (NO_HYBRID,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every contraction."""
        hybrids = [op for op in module.walk() if isinstance(op, stablehlo.ContractionOp) and op.is_hybrid]
        for op in hybrids:
            build = builder_before(op)
            weight = build.add(stablehlo.UniformDequantizeOp(op.rhs, expressed(element_type(op.rhs))))
            replace(op, build.add(rebuilt(op, [op.lhs, weight])))
        return PassResult(bool(hybrids))
