"""Reductions with conversion regions, rewritten to the specification's form: a body wider than its operand."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import element_type, quantized, quantized_element
from qconvert.passes.reductions.widen_reductions import converted_outputs, tensor_obstacle
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
    if op.input_conversion is not None and not _is_promotion(op, op.input_conversion):
        return "its input conversion is more than a promotion to the accumulator"
    return tensor_obstacle(op.output_conversion)


def _is_promotion(op: stablehlo.ReductionOp, region: Region) -> bool:
    """Return whether a conversion equals the promotion that the body's types imply: one uniform_quantize each."""
    *inner, last = region.block.ops
    makers = [value.owner for value in last.operands]
    if len(set(makers)) != len(inner):
        return False
    pairs = zip(makers, region.block.args, op.accumulators, strict=True)
    return all(_promotes(maker, argument, target) for maker, argument, target in pairs)


def _promotes(maker: Operation | Block, argument: SSAValue, target: Attribute) -> bool:
    source = quantized(argument)
    if source is None or not isinstance(maker, stablehlo.UniformQuantizeOp) or maker.operand is not argument:
        return False
    if element_type(maker.result) != target:
        return False
    widened = quantized_element(maker.result)
    in_order = rounds_as_stablehlo(maker, widened) or widened.has_zero_zero_point
    return in_order and source.storage.width <= widened.storage.width


def _inline(op: stablehlo.ReductionOp) -> None:
    build = builder_before(op)
    reduced = with_stages(op, op.operands, [op.body.clone()])
    build.add(reduced)
    replace(op, *converted_outputs(op, build, reduced.results))
