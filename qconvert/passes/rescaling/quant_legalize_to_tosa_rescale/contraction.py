"""``convolution`` and ``dot_general``: integers less their zero points, accumulated in 32 bits."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import ConvolutionOp, DotGeneralOp
from qconvert.interpreter.contraction import accumulator_scale, is_accumulator
from qconvert.ir import UniformQuantizedType, i32, quantized, shape
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import Rewrite, lowers
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.scaling import Step, centred_value, check_centred, storer
from qconvert.rewriting import INT32_LIMIT, Contraction, accumulator_bound, as_element, computed
from qconvert.support.errors import ConversionError


@lowers(ConvolutionOp, DotGeneralOp)
def contract(op: Contraction) -> Rewrite:
    """Return the op on integers; its sums are the result, or are rescaled to the result's type.

    The integers are widened first, because StableHLO's interpreter accumulates a convolution in its operands' type.
    """
    lhs, rhs, result = (quantized(value) for value in (op.lhs, op.rhs, op.result))
    if lhs is None or rhs is None or result is None:
        raise ConversionError("it is a hybrid op: its weights are quantized, its activations are floats")
    check_centred(lhs)
    check_centred(rhs)
    finish = _finisher(op, lhs, rhs, result)

    def rewrite(build: OpBuilder) -> SSAValue:
        operands = [centred_value(build, op.lhs), centred_value(build, op.rhs)]
        return finish(build, computed(build, op, operands, i32))

    return rewrite


def _finisher(
    op: Contraction, lhs: UniformQuantizedType, rhs: UniformQuantizedType, result: UniformQuantizedType
) -> Step:
    """Return the step from sums to the result."""
    scale = accumulator_scale(op)
    if scale is None:
        raise ConversionError("an operand has several scales along a dimension that is summed")
    if is_accumulator(result, scale):
        return lambda build, sums: as_element(build, sums, result)
    factors = np.asarray(scale / result.broadcast(result.scales, shape(op.result)))
    if factors.size > 1 and factors.shape[-1] != factors.size:
        raise ConversionError("its output channels are not the last dimension, as RESCALE needs them")
    bound = accumulator_bound(op, lhs, op.rhs, rhs)
    if bound > INT32_LIMIT:
        raise ConversionError(f"its sums may reach {bound}, outside 32 bits")
    return storer(result, factors.reshape(-1), bound + 1)
