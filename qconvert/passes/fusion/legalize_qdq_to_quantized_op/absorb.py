"""Output conversions of quantized reductions, made from the ops behind the accumulator."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import element_type, shape
from qconvert.rewriting import builder_before, copy_arithmetic, erase_dead, replace, with_stages


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
    if not reduction.has_conversions or reduction.output_conversion is not None:
        return False
    bitcasts = [op for op in reversed(chain) if isinstance(op, stablehlo.BitcastConvertOp)]
    build = builder_before(quantize, reduction, *reversed(chain))
    output = _conversion(reduction, bitcasts, quantize)
    parts = [*(reduction.detach_region(reduction.regions[0]) for _ in range(2)), output]
    result = build.add(with_stages(reduction, reduction.operands, parts))
    if shape(result) != shape(quantize.result):
        result = build.add(stablehlo.ReshapeOp(result, shape(quantize.result)))
    replace(quantize, result)
    erase_dead([reduction, *reversed(chain)])
    return True


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
