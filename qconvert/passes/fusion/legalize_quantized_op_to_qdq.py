"""Quantized ops written as their meaning: dequantize, the float op, quantize."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import ComputesReals, Conversion
from qconvert.ir import ARITHMETIC, TENSOR, element_type, expressed, quantized, tensor, with_element
from qconvert.passes.fusion.reductions_in_float import has_float_form, reduce_in_float
from qconvert.rewriting import Pass, PassResult, builder_before, erase, in_float, no_op, rebuilt


def computes_on_quantized(op: Operation) -> bool:
    """Return whether a quantized op means dequantize, float op, quantize; movements and reductions do not."""
    if not op.has_trait(ComputesReals) or op.has_trait(Conversion):
        return False
    return any(quantized(value) is not None for value in (*op.operands, *op.results))


COMPUTES_IN_FLOAT = no_op("no op that computes on quantized types", computes_on_quantized)


class LegalizeQuantizedOpToQdq(Pass):
    """Compute in float between dequantize and quantize: the specification's dequantize_op_quantize.

    ::

        q a, q b ── add ── q c

        q a ── uniform_dequantize ─┐
        q b ── uniform_dequantize ─┴ add ── uniform_quantize ── q c

    The weights of a hybrid op are dequantized, and its result needs no quantize: hybrid_dequantize_then_op. Movements
    keep their integers. A sum in 32 bits and an extreme are reduced in float; the regions of other reductions are
    rewritten op by op, because they round or saturate at each step. The quantize keeps the op's
    arithmetic and the name of its source's tensor. A float contraction sums in another order and precision than an
    integer one. All other ops give the same integers, except integers of 32-bit storage beyond 2^24.
    """

    name = "legalize-quantized-op-to-qdq"
    ensures = (COMPUTES_IN_FLOAT,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every op in place, also in regions."""
        reductions = [op for op in module.walk() if isinstance(op, stablehlo.ReductionOp) and has_float_form(op)]
        for reduction in reductions:
            reduce_in_float(reduction)
        found = [op for op in module.walk() if computes_on_quantized(op)]
        for op in found:
            _legalize(op)
        return PassResult(bool(reductions or found))


def _legalize(op: Operation) -> None:
    build = builder_before(op)
    reals = {value: in_float(build, value) for value in op.operands}
    types = [with_element(tensor(result), expressed(element_type(result))) for result in op.results]
    computed = rebuilt(op, [reals[value] for value in op.operands], types)
    kept = {name: computed.attributes.pop(name) for name in (ARITHMETIC, TENSOR) if name in op.attributes}
    build.add(computed)
    for old, new in zip(op.results, computed.results, strict=True):
        value: SSAValue = new
        if quantized(old) is not None:
            quantize = stablehlo.UniformQuantizeOp(new, element_type(old))
            quantize.attributes.update(kept)
            value = build.add(quantize)
        old.replace_all_uses_with(value)
    erase(op)
