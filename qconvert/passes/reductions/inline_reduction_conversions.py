"""Reductions with conversion regions, rewritten to the specification's form: a body wider than its operand."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Region

from qconvert.dialects import stablehlo
from qconvert.ir import element_type, quantized, quantized_element
from qconvert.passes.reductions.widen_reductions import converted_output, tensor_obstacle
from qconvert.rewriting import (
    Pass,
    PassResult,
    builder_before,
    replace,
    rewrite_or_refuse,
    rounds_as_stablehlo,
    with_stages,
)


class InlineReductionConversions(Pass):
    """Leave the conversion of a reduction's operand to the promotion that the body's type implies.

    ::

        q8 x ── reduce {to i32} {add on i32} {bitcast; to q8} ── q8 y

        q8 x ── reduce {add on i32} ── bitcast_convert ── uniform_quantize ── q8 y

    Only a single ``uniform_quantize`` to a type at least as wide is a promotion. Other conversions are refused.
    """

    name = "inline-reduction-conversions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every reduction with conversion regions in place."""
        reductions = (op for op in list(module.walk()) if isinstance(op, stablehlo.ReductionOp) and op.has_conversions)
        return rewrite_or_refuse(reductions, _obstacle, _inline)


def _obstacle(op: stablehlo.ReductionOp) -> str | None:
    if len(op.elements) != 1:
        return "it reduces several operands at once"
    if op.input_conversion is not None and not _is_promotion(op, op.input_conversion):
        return "its input conversion is more than a promotion to the accumulator"
    return tensor_obstacle(op.output_conversion)


def _is_promotion(op: stablehlo.ReductionOp, region: Region) -> bool:
    """Return whether a conversion equals the promotion that the body's type implies: one uniform_quantize."""
    first, *rest = region.block.ops
    source, target = quantized(op.elements[0]), op.accumulator
    if source is None or quantized(op.body.block.args[0]) is None or len(rest) != 1:
        return False
    if not isinstance(first, stablehlo.UniformQuantizeOp) or element_type(first.result) != target:
        return False
    widened = quantized_element(first.result)
    in_order = rounds_as_stablehlo(first, widened) or widened.has_zero_zero_point
    return in_order and source.storage.width <= widened.storage.width


def _inline(op: stablehlo.ReductionOp) -> None:
    build = builder_before(op)
    reduced = build.add(with_stages(op, op.operands, [op.body.clone()]))
    replace(op, converted_output(op, build, reduced))
