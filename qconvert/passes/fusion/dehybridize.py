"""Hybrid ops split in two: a dequantize of the weights and a float contraction."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects import stablehlo
from qconvert.ir import element_type, expressed
from qconvert.rewriting import Condition, Pass, PassResult, builder_before, rebuilt, replace


def _hybrids(module: ModuleOp) -> list[stablehlo.ContractionOp]:
    return [op for op in module.walk() if isinstance(op, stablehlo.ContractionOp) and op.is_hybrid]


NO_HYBRID = Condition("no hybrid op", lambda module: not _hybrids(module))


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
        hybrids = _hybrids(module)
        for op in hybrids:
            build = builder_before(op)
            weight = build.add(stablehlo.UniformDequantizeOp(op.rhs, expressed(element_type(op.rhs))))
            replace(op, build.add(rebuilt(op, [op.lhs, weight])))
        return PassResult(bool(hybrids))
