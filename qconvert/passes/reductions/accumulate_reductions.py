"""Reductions that start from an accumulator, and whose body takes an element and an accumulator."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Region

from qconvert.dialects import stablehlo
from qconvert.ir import element_type, quantized
from qconvert.passes.reductions.widen_reductions import converted_inputs, converted_outputs, tensor_obstacle
from qconvert.rewriting import (
    Pass,
    PassResult,
    builder_before,
    converted_elements,
    converts,
    copy_ops,
    input_stage,
    replace,
    rewrite_or_refuse,
    with_stages,
)


class AccumulateReductions(Pass):
    """Move the conversion of elements into the body of a reduction that starts from an accumulator.

    ::

        q8 x ── reduce {to i32} {add} {bitcast; to q8} ── q8 y
        q8 x ── reduce {add on i32} ── q32 y

        q8 x ── reduce from q32 {add (to i32 x) to acc} ── bitcast_convert ── uniform_quantize ── q8 y

    This form fixes the order of elements, from the first to the last. Padding and the gaps of a dilated base have the
    elements' type, so windows with them are refused.
    """

    name = "accumulate-reductions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every quantized reduction that converts its elements."""
        reductions = (
            op for op in list(module.walk()) if isinstance(op, stablehlo.ReductionOp) and _converts_elements(op)
        )
        return rewrite_or_refuse(reductions, _obstacle, _accumulate)


def _converts_elements(op: stablehlo.ReductionOp) -> bool:
    return quantized(op.operands[0]) is not None and not op.is_left_to_right and converts(op)


def _obstacle(op: stablehlo.ReductionOp) -> str | None:
    if len(op.elements) != 1:
        return "it reduces several operands at once"
    if isinstance(op, stablehlo.ReduceWindowOp) and op.window.has_filling:
        return "its padding has the elements' type"
    if op.accumulator == element_type(op.elements[0]):
        return "its accumulator has the elements' type already"
    return tensor_obstacle(op.output_conversion)


def _accumulate(op: stablehlo.ReductionOp) -> None:
    build = builder_before(op)
    [initial] = converted_inputs(op, build, op.initials)
    reduced = build.add(with_stages(op, (*converted_elements(op), initial), [_body(op)]))
    replace(op, *converted_outputs(op, build, [reduced]))


def _body(op: stablehlo.ReductionOp) -> Region:
    """Return the body ``(element, accumulator) -> body(accumulator, conversion(element))``."""
    scalars = [TensorType(element, ()) for element in (element_type(op.elements[0]), op.accumulator)]
    block = Block(arg_types=scalars)
    element, accumulator = block.args
    converted = copy_ops(input_stage(op), block, [element])
    block.add_op(stablehlo.ReturnOp(copy_ops(op.body, block, [accumulator, converted])))
    return Region(block)
