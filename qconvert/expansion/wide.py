"""Convolutions of 16-bit by 8-bit integers as LiteRT computes them, from their sums of 48 bits on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import composite
from qconvert.dialects.constants import constant_array
from qconvert.expansion.expander import Expander, per_tensor
from qconvert.expansion.halves import has_halves, rounded_away
from qconvert.expansion.registry import follows_of, rounding_of
from qconvert.ir import i32, quantized_element
from qconvert.numerics import reduced_factor
from qconvert.support.errors import ConversionError


def requantized_sums(
    op: composite.WideConvolutionOp, build: Expander, sums: SSAValue, own: slice = slice(None)
) -> SSAValue:
    """Return the storage integers of sums in i48, bias included, by one RESCALE with multipliers of 16 bits.

    ``own`` are the outputs that the sums are of.

    For 32-bit multipliers the sums are rescaled to i32 first. Raises ConversionError if they may not fit.
    """
    target, factor = per_tensor(op.result), op.accumulator_scales / per_tensor(op.result).scale
    factor = factor[own] if np.size(factor) > 1 else factor
    if follows_of(op).multiplier_width == 16:
        factor = reduced_factor(factor)
    else:
        largest = largest_wide_sum(op)
        if largest >= 1 << 31:
            raise ConversionError(
                f"sums of 16-bit integers reach {largest}, beyond the 32 bits that TOSA multiplies exactly",
                hint="Convert to another format, or cut the model before it",
            )
        sums = build.rescale(sums, 1.0, i32)
        if has_halves(factor, largest):
            return rounded_away(build, sums, factor, target)
    return build.requantized(sums, factor, target, rounding_of(op))


def constant_bias(op: composite.WideConvolutionOp) -> NDArray[Any]:
    """Return the bias; raises ConversionError for a computed one."""
    bias = constant_array(op.bias)
    if bias is None:
        raise ConversionError("a convolution into 48 bits needs a constant bias")
    return bias


def largest_wide_sum(op: composite.WideConvolutionOp) -> int:
    """Return a bound of the magnitude of sums and bias; raises ConversionError for computed weights."""
    weights, bias = constant_array(op.rhs), constant_bias(op)
    if weights is None:
        raise ConversionError("a product of 16-bit integers needs constant weights")
    centred = weights.astype(np.int64) - quantized_element(op.rhs).zero_points
    magnitudes = np.abs(centred).sum(axis=tuple(range(weights.ndim - 1)))
    return int(((magnitudes << 15) + np.abs(bias.astype(np.int64))).max(initial=0))
