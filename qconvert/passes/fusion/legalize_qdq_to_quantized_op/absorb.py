"""Output conversions of quantized reductions, made from the ops behind the accumulator."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.constraints import baseline
from qconvert.ir import element_type, shape
from qconvert.rewriting import builder_before, converts, copy_arithmetic, erase_dead, input_stage, replace, with_stages


def absorb_output_conversions(module: ModuleOp) -> bool:
    """Rewrite ``q(bitcast(reduce(x)))`` to one reduction with an output conversion; a reshape in between follows it."""
    changed = False
    for op in list(module.walk()):
        if isinstance(op, stablehlo.UniformQuantizeOp) and op.parent is not None:
            changed |= _absorb(op)
    return changed


def _absorb(quantize: stablehlo.UniformQuantizeOp) -> bool:
    chain: list[Operation] = []
    value: SSAValue = quantize.operand
    while isinstance(value.owner, stablehlo.BitcastConvertOp | stablehlo.ReshapeOp) and value.has_one_use():
        chain.append(value.owner)
        value = value.owner.operands[0]
    reduction = value.owner
    if not isinstance(reduction, stablehlo.ReductionOp) or not value.has_one_use():
        return False
    if not _is_open(reduction, element_type(quantize.result)):
        return False
    bitcasts = [op for op in reversed(chain) if isinstance(op, stablehlo.BitcastConvertOp)]
    build = builder_before(quantize, reduction, *reversed(chain))
    parts = [input_stage(reduction), reduction.body.clone(), _conversion(reduction, bitcasts, quantize)]
    result = build.add(with_stages(reduction, reduction.operands, parts))
    if shape(result) != shape(quantize.result):
        result = build.add(stablehlo.ReshapeOp(result, shape(quantize.result)))
    replace(quantize, result)
    erase_dead([reduction, *reversed(chain)])
    return True


def _is_open(reduction: stablehlo.ReductionOp, result: Attribute) -> bool:
    """Return whether a sum in a wider type can end in ``result``, which may differ from an element in scale only."""
    if len(reduction.elements) != 1 or reduction.is_left_to_right or reduction.output_conversion is not None:
        return False
    return converts(reduction) and baseline(result) == baseline(element_type(reduction.elements[0]))


def _conversion(
    reduction: stablehlo.ReductionOp, bitcasts: list[stablehlo.BitcastConvertOp], quantize: stablehlo.UniformQuantizeOp
) -> Region:
    def build(value: SSAValue) -> list[Operation]:
        ops: list[Operation] = []
        for bitcast in bitcasts:
            ops.append(stablehlo.BitcastConvertOp(value, element_type(bitcast.results[0])))
            value = ops[-1].results[0]
        last = stablehlo.UniformQuantizeOp(value, element_type(quantize.result))
        copy_arithmetic(quantize, last)
        return [*ops, last]

    return stablehlo.conversion(reduction.accumulator, build)
