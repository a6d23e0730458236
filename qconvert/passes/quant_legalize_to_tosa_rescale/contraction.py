"""``convolution`` and ``dot_general``: integers less their zero points, accumulated in 32 bits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.build import OpBuilder
from qconvert.dialects.quant import UniformQuantizedType
from qconvert.dialects.types import i32, quantized, shape
from qconvert.errors import ConversionError
from qconvert.passes.bitcasts import as_element
from qconvert.passes.quant_legalize_to_tosa_rescale.quantization import check_last_axis
from qconvert.passes.quant_legalize_to_tosa_rescale.rules import Rewrite, computed, lowers
from qconvert.passes.quant_legalize_to_tosa_rescale.scaling import (
    INT32,
    Step,
    centred,
    check_centred,
    reach,
    storer,
)
from qconvert.passes.remake import constant_of

_SCALE_TOLERANCE = 1e-6
"""An accumulator's scale may be the product of the scales rounded to float32."""


@lowers(stablehlo.ConvolutionOp, stablehlo.DotGeneralOp)
def contract(op: stablehlo.ConvolutionOp | stablehlo.DotGeneralOp) -> Rewrite:
    """The op on integers; its sums are the accumulator itself or are rescaled to the result's type."""
    lhs, rhs, result = (quantized(value) for value in (op.lhs, op.rhs, op.result))
    if lhs is None or rhs is None or result is None:
        raise ConversionError("it is hybrid: its weights are dequantized, not its activations quantized")
    check_centred(lhs)
    check_centred(rhs)
    finish = _finisher(op, lhs, rhs, result)

    def rewrite(build: OpBuilder) -> SSAValue:
        # not in 8 bits: StableHLO's interpreter accumulates a convolution in its operands' type
        operands = [centred(build, op.lhs, lhs), centred(build, op.rhs, rhs)]
        return finish(build, computed(build, op, operands, i32))

    return rewrite


def _finisher(
    op: stablehlo.ConvolutionOp | stablehlo.DotGeneralOp,
    lhs: UniformQuantizedType,
    rhs: UniformQuantizedType,
    result: UniformQuantizedType,
) -> Step:
    """What turns sums into the result."""
    if not lhs.is_per_tensor:
        raise ConversionError("its lhs is quantized per axis")
    factors: NDArray[np.float64] = np.asarray(lhs.scale * rhs.scales / result.scales)
    is_sum = bool((np.abs(factors - 1) <= _SCALE_TOLERANCE).all())
    if result.storage.width == 32 and result.has_zero_zero_point and is_sum:
        return lambda build, sums: as_element(build, sums, result)
    if not rhs.is_per_tensor and factors.size > 1 and _channel(op) != len(shape(op.result)) - 1:
        raise ConversionError("its output channels are not the last dimension, and RESCALE's channels are")
    check_last_axis((result,), len(shape(op.result)))
    bound = _bound(op, lhs, rhs)
    if bound > INT32.max:
        raise ConversionError(f"its sums may reach {bound}, outside 32 bits")
    return storer(result, factors, bound)


def _channel(op: stablehlo.ConvolutionOp | stablehlo.DotGeneralOp) -> int:
    """The dimension of the result that has the rhs's scales."""
    if isinstance(op, stablehlo.ConvolutionOp):
        return op.numbers.output_feature
    rhs = quantized(op.rhs)
    assert rhs is not None
    numbers, axis = op.numbers, rhs.quantization_dimension
    if axis in numbers.rhs_batching_dimensions:
        return numbers.rhs_batching_dimensions.index(axis)
    free = numbers.rhs_free(len(shape(op.rhs)))
    return len(shape(op.result)) - len(free) + free.index(axis) if axis in free else -1


def _bound(
    op: stablehlo.ConvolutionOp | stablehlo.DotGeneralOp, lhs: UniformQuantizedType, rhs: UniformQuantizedType
) -> int:
    """The largest magnitude that a sum may reach: by the weights where they are constant, else by the types."""
    axes = _summed_axes(op)
    constant = constant_of(op.rhs)
    if constant is None:
        return reach(lhs) * reach(rhs) * math.prod(shape(op.rhs)[i] for i in axes)
    zero_points = rhs.broadcast(rhs.zero_points, shape(op.rhs))
    weights = np.abs(constant.array.astype(np.int64) - zero_points)
    return reach(lhs) * int(weights.sum(axis=axes).max(initial=0))


def _summed_axes(op: stablehlo.ConvolutionOp | stablehlo.DotGeneralOp) -> tuple[int, ...]:
    if isinstance(op, stablehlo.DotGeneralOp):
        return tuple(op.numbers.rhs_contracting_dimensions)
    return tuple(i for i in range(len(shape(op.rhs))) if i != op.numbers.kernel_output_feature)
