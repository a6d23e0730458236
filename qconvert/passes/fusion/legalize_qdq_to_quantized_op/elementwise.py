"""Elementwise ops and composites: the same op on quantized types."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite import COMPOSITES
from qconvert.dialects.traits import Bitwise, Clamps, Layer, absence
from qconvert.ir import UniformQuantizedType, element_type, quantized, tensor, with_element
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.quantization import clamp
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import Outcome, Reason, fuses, narrow_source
from qconvert.rewriting import copy_arithmetic, dequantized


def elementwise(op: Operation, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Rewrite ``q(f(dq(a), dq(b)))`` to ``f(a, b)`` on per-tensor quantized types."""
    reason = _quantize_users_only(op) or _per_tensor(quantized(quantize.result))
    if reason is not None:
        return reason
    sources: list[SSAValue] = []
    for operand in op.operands:
        found = narrow_source(operand)
        if isinstance(found, Reason):
            return found
        source, element = found
        if not element.is_per_tensor:
            return Reason("an operand is quantized per axis, which elementwise ops cannot be")
        sources.append(source)
    return lambda build: _on_quantized(build, op, sources, quantize)


def composite(op: Operation, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Rewrite a composite the same way; its parameters (a layer normalization's scale) may have any quantized type."""
    reason = _quantize_users_only(op) or _per_tensor(quantized(quantize.result))
    if reason is not None:
        return reason
    sources = [dequantized(operand) or operand for operand in op.operands]
    if quantized(sources[0]) is None:
        return Reason("its operand is float")
    return lambda build: _on_quantized(build, op, sources, quantize)


def _on_quantized(
    build: OpBuilder, op: Operation, sources: list[SSAValue], quantize: stablehlo.UniformQuantizeOp
) -> SSAValue:
    result = with_element(tensor(op.results[0]), element_type(quantize.result))
    fused = type(op).create(operands=sources, result_types=[result], properties=op.properties)
    copy_arithmetic(quantize, fused)
    return build.add(fused)


def _quantize_users_only(op: Operation) -> Reason | None:
    for use in op.results[0].uses:
        if not isinstance(use.operation, stablehlo.UniformQuantizeOp):
            return Reason(f"its float result is also used by {use.operation.name}")
    return None


def _per_tensor(element: UniformQuantizedType | None) -> Reason | None:
    if element is None or element.is_per_tensor:
        return None
    return Reason("its result is not quantized per tensor")


def _clamp_or_elementwise(op: Operation, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    return clamp(op, quantize) or elementwise(op, quantize)


for _kind in (*stablehlo.UNARY_OPS, *stablehlo.BINARY_OPS):
    if _kind.has_trait(Clamps):
        fuses(_kind)(_clamp_or_elementwise)
    elif not _kind.has_trait(Bitwise):
        fuses(_kind)(elementwise)
for _composite in COMPOSITES:
    if absence(_composite, Layer.FUSION) is None:
        fuses(_composite)(composite)
