"""Reductions whose body means the same on storage integers: extremes, and sums of accumulators."""

from __future__ import annotations

from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import element_type, quantized, storage_element, tensor, with_element
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import Rewrite, lowers
from qconvert.rewriting import as_element, as_integers
from qconvert.support.errors import ConversionError

_EXTREMES = (stablehlo.MaximumOp, stablehlo.MinimumOp)


@lowers(stablehlo.ReduceOp, stablehlo.ReduceWindowOp)
def reduction(op: stablehlo.ReductionOp) -> Rewrite:
    """Return the same reduction of integers."""
    if len(op.results) != 1:
        raise ConversionError("it reduces several operands at once")
    inside = [value for inner in op.body.block.ops for value in (*inner.operands, *inner.results)]
    if op.has_conversions or len({element_type(value) for value in (*op.operands, *op.results, *inside)}) > 1:
        raise ConversionError("it has conversion regions; run the pass widen-reductions first")
    for inner in op.body.block.ops:
        if not isinstance(inner, stablehlo.ReturnOp) and not _keeps_meaning(inner):
            raise ConversionError(f"its body's {inner.name} rounds or saturates at each step")

    def rewrite(build: OpBuilder) -> SSAValue:
        operands = [as_integers(build, operand) for operand in op.operands]
        result = with_element(tensor(op.results[0]), storage_element(element_type(op.results[0])))
        made = type(op).create(
            operands=operands, result_types=[result], properties=op.properties, regions=[_on_integers(op.body)]
        )
        return as_element(build, build.add(made), element_type(op.results[0]))

    return rewrite


def _keeps_meaning(op: Operation) -> bool:
    element = quantized(op.results[0])
    wide = element is not None and element.storage.width == 32 and element.has_zero_zero_point
    return isinstance(op, _EXTREMES) or (isinstance(op, stablehlo.AddOp) and wide)


def _on_integers(body: Region) -> Region:
    """Return a copy of a body with storage integers for quantized scalars."""
    copy = body.clone()
    values = [*copy.block.args, *(result for op in copy.block.ops for result in op.results)]
    for value in values:
        storage = storage_element(element_type(value))
        Rewriter.replace_value_with_new_type(value, with_element(tensor(value), storage))
    return copy
