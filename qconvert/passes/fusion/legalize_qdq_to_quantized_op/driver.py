"""The driver: one walk in program order that moves dequantizes down and fuses, then explains what stays float."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import Layer, absence
from qconvert.ir import element_type, is_float, quantized
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.absorb import absorb_output_conversions
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import (
    FUSIONS,
    SINKS,
    Outcome,
    Reason,
    Rewrite,
    is_weight_only,
)
from qconvert.rewriting import (
    Pass,
    PassResult,
    Refusal,
    builder_before,
    dequantized,
    erase,
    erase_dead,
    is_unused,
    refuse,
    replace,
)


class LegalizeQdqToQuantizedOp(Pass):
    """Fuse dequantize -> op -> quantize.

    ::

        %f = uniform_dequantize %x        %a = convolution(%x, %w) : (q8, q8) -> q32
        %g = uniform_dequantize %w   ->   %q = uniform_quantize %a : q32 -> q8
        %c = convolution(%f, %g)
        %q = uniform_quantize %c

    Every float op that touches a dequantize or a quantize afterwards has a refusal with the reason.
    """

    name = "legalize-qdq-to-quantized-op"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit each op once, in program order."""
        reasons: dict[Operation, str] = {}
        changed = False
        for op in list(module.walk()):
            changed |= self._visit(op, reasons)
        changed |= erase_dead(list(module.walk()))
        changed |= absorb_output_conversions(module)
        return PassResult(changed, _explain(module, reasons))

    def _visit(self, op: Operation, reasons: dict[Operation, str]) -> bool:
        if isinstance(op, stablehlo.UniformQuantizeOp):
            return self._fuse(op, reasons)
        rule = SINKS.get(type(op))
        rewrite = _rewrite_or_note(rule(op) if rule is not None else None, op, reasons)
        if rewrite is None:
            return False
        build = builder_before(op)
        quantized = rewrite(build)
        replace(op, build.add(stablehlo.UniformDequantizeOp(quantized, element_type(op.results[0]))))
        return True

    def _fuse(self, op: stablehlo.UniformQuantizeOp, reasons: dict[Operation, str]) -> bool:
        producer = op.operand.owner
        if not isinstance(producer, Operation) or quantized(op.operand) is not None:
            return False  # a quantized operand is rounded there, and requantized here
        rule = FUSIONS.get(type(producer))
        rewrite = _rewrite_or_note(rule(producer, op) if rule is not None else None, producer, reasons)
        if rewrite is None:
            return False
        build = builder_before(op, producer)
        replace(op, rewrite(build))
        _erase_unused(producer)  # otherwise the op below a raised quantize would have two users
        for raised in build.ops:
            if isinstance(raised, stablehlo.UniformQuantizeOp) and raised.parent is not None:
                self._fuse(raised, reasons)
        return True


def _erase_unused(op: Operation) -> None:
    """Erase an op that nobody uses, then the ops that only it used."""
    if op.parent is None or not is_unused(op):
        return
    makers = [operand.owner for operand in op.operands]
    erase(op)
    for maker in makers:
        if isinstance(maker, Operation):
            _erase_unused(maker)


def _rewrite_or_note(outcome: Outcome, op: Operation, reasons: dict[Operation, str]) -> Rewrite | None:
    """Return the rewrite of an outcome; record a reason for the op instead if there is one."""
    if isinstance(outcome, Reason):
        reasons[op] = outcome.text
        return None
    return outcome


def _explain(module: ModuleOp, reasons: dict[Operation, str]) -> tuple[Refusal, ...]:
    """Return one refusal for each op that stays float between dequantize and quantize, except weight-only ops.

    ``hybridize`` handles weight-only ops.
    """
    return tuple(
        refuse(op, reasons.get(op) or _default_reason(op))
        for op in module.walk()
        if _touches_quantization(op) and _is_explained(op) and not is_weight_only(op)
    )


def _is_explained(op: Operation) -> bool:
    is_cast = isinstance(op, stablehlo.UniformQuantizeOp | stablehlo.UniformDequantizeOp)
    return not is_cast and not op.has_trait(ConstantLike)


def _touches_quantization(op: Operation) -> bool:
    if len(op.results) != 1 or not isinstance(op.results[0].type, TensorType):
        return False
    if not is_float(element_type(op.results[0])):
        return False
    below = any(isinstance(use.operation, stablehlo.UniformQuantizeOp) for use in op.results[0].uses)
    return below or any(dequantized(operand) is not None for operand in op.operands)


def _default_reason(op: Operation) -> str:
    users = {use.operation.name for use in op.results[0].uses}
    if "stablehlo.uniform_quantize" not in users:
        return f"its result is not quantized: it is used by {', '.join(sorted(users)) or 'nothing'}"
    if (reason := absence(op, Layer.FUSION)) is not None:
        return reason
    if isinstance(op, composite.CompositeOp) or type(op) in FUSIONS:
        return "its operands are not quantized"
    return "there is no quantized form of this op"
