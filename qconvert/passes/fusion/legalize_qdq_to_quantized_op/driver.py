"""The driver: one walk in program order that moves dequantizes down and fuses, then explains what stays float."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import ConstantLike

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import Layer, MovesElements, absence
from qconvert.ir import element_type, is_float, is_litert, quantized
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.absorb import absorb_output_conversions
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import (
    FUSIONS,
    IN_FLOAT32,
    SINKS,
    Outcome,
    Reason,
    Rewrite,
    is_weight_only,
    litert_dequantize,
)
from qconvert.rewriting import (
    Pass,
    PassResult,
    Refusal,
    builder_before,
    copy_arithmetic,
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
        rewrite = _rewrite_or_note(_sunk(op), op, reasons)
        if rewrite is None:
            return False
        build = builder_before(op)
        below = stablehlo.UniformDequantizeOp(rewrite(build), element_type(op.results[0]))
        operator = litert_dequantize(op)
        if operator is not None:
            copy_arithmetic(operator, below)
        replace(op, build.add(below))
        return True

    def _fuse(self, op: stablehlo.UniformQuantizeOp, reasons: dict[Operation, str]) -> bool:
        producer = op.operand.owner
        if not isinstance(producer, Operation) or quantized(op.operand) is not None:
            return False  # a quantized operand is rounded there, and requantized here
        rewrite = _rewrite_or_note(_fused(producer, op), producer, reasons)
        if rewrite is None:
            return False
        build = builder_before(op, producer)
        replace(op, rewrite(build))
        _erase_unused(producer)  # otherwise the op below a raised quantize would have two users
        for raised in build.ops:
            if isinstance(raised, stablehlo.UniformQuantizeOp) and raised.parent is not None:
                self._fuse(raised, reasons)
        return True


def _sunk(op: Operation) -> Outcome:
    """Return how a dequantize moves below an op; below LiteRT's float operators only if integers pass through them."""
    rule = SINKS.get(type(op))
    outcome = None if rule is None else rule(op)
    is_computed = outcome is not None and litert_dequantize(op) is not None and not _passes_integers(op)
    return IN_FLOAT32 if is_computed else outcome


def _passes_integers(op: Operation) -> bool:
    """Return True if an op of dequantized values gives values that are dequantized from the same integers."""
    if isinstance(op, stablehlo.ReduceOp | stablehlo.ReduceWindowOp):
        return isinstance(op.combiner, stablehlo.MaximumOp | stablehlo.MinimumOp)
    return op.has_trait(MovesElements) or isinstance(op, stablehlo.SelectOp)


def _fused(producer: Operation, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Return how a quantize fuses with the op before it.

    LiteRT's QUANTIZE of floats undoes a dequantize of its own type only. It is an operator, whose rounding is not that
    of a quantized op.
    """
    if is_litert(quantize) and _dequantized_type(quantize.operand) != element_type(quantize.result):
        return IN_FLOAT32 if type(producer) in FUSIONS else None
    rule = FUSIONS.get(type(producer))
    return None if rule is None else rule(producer, quantize)


def _dequantized_type(value: SSAValue) -> Attribute | None:
    source = dequantized(value)
    return None if source is None else element_type(source)


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
