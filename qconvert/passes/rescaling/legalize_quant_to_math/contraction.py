"""``convolution`` and ``dot_general``: integer accumulators, then one requantization; hybrid ops in float."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.interpreter.contraction import accumulator_scale, is_accumulator
from qconvert.ir import f64, from_numpy_dtype, i32, i64, numpy_dtype, quantized, quantized_element, tensor, with_element
from qconvert.passes.rescaling.legalize_quant_to_math.arithmetic import (
    centred,
    quantized_integers,
    requantized,
    scaled,
)
from qconvert.passes.rescaling.legalize_quant_to_math.elementwise import real
from qconvert.passes.rescaling.legalize_quant_to_math.rules import RuleContext, lowers
from qconvert.rewriting import INT32_LIMIT, Contraction, accumulator_bound, converted, rebuilt


@lowers(stablehlo.ConvolutionOp, stablehlo.DotGeneralOp)
def contraction(op: Contraction, context: RuleContext) -> SSAValue:
    """Return the contraction of integers less their zero points, so that padding is 0 and no correction is needed.

    Both sides are widened before the multiplication, because the reference interpreter of StableHLO accumulates a
    convolution of 8-bit integers in 8 bits.
    """
    scale = accumulator_scale(op)
    if scale is None:
        return _in_float(op, context)
    build, result = context.build, quantized(op.result)
    lhs, rhs = quantized_element(op.lhs), quantized_element(op.rhs)
    is_kept = result is not None and is_accumulator(result, scale)
    wide = i32 if is_kept or accumulator_bound(op, lhs, op.rhs, rhs) <= INT32_LIMIT else i64
    sides = [centred(build, value, side, wide) for value, side in zip(context.operands, (lhs, rhs), strict=True)]
    accumulator = build.add(rebuilt(op, sides, [with_element(tensor(op.result), wide)]))
    if is_kept:
        return accumulator
    if result is None:
        return converted(build, scaled(build, accumulator, scale, f64), tensor(op.result).element_type)
    return requantized(build, accumulator, scale, result, context.follows)


def _in_float(op: Contraction, context: RuleContext) -> SSAValue:
    """Return the float contraction, for hybrid ops and for scales that vary along summed dimensions."""
    build, result = context.build, tensor(op.result)
    reals = [real(build, value, old) for value, old in zip(context.operands, op.operands, strict=True)]
    target = quantized(op.result)
    if target is None:
        return build.add(rebuilt(op, reals, [result]))
    work = from_numpy_dtype(numerics.at_least_float32(numpy_dtype(target.expressed_type)))
    return quantized_integers(
        build, build.add(rebuilt(op, reals, [with_element(result, work)])), target, context.follows
    )
