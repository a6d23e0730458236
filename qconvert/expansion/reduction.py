"""Sums and means along dimensions as LiteRT computes them."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import check_initial
from qconvert.expansion.expander import Expander, integer_of, per_tensor, signed_type
from qconvert.expansion.registry import expands, rounding_of
from qconvert.ir import shape
from qconvert.numerics import ZeroPoints, multiplier_and_shift


@expands(stablehlo.ReduceOp)
def total(op: stablehlo.ReduceOp, build: Expander) -> SSAValue:
    """Apply REDUCE_SUM to each dimension, and RESCALE by LiteRT's own multiplier."""
    check_initial(op)
    value, element = build.centred(op.inputs[0]), signed_type(op.results[0])
    for axis in op.reduced:
        value = build.add(tosa.ReduceSumOp(value, axis))
    multiplier, shift = (np.array([part]) for part in total_multiplier(op))
    factor, zero_points = (multiplier.astype(np.int32), shift), ZeroPoints(0, element.zero_point)
    made = tosa.RescaleOp.by(value, factor, integer_of(element), zero_points, build.parameter, rounding=rounding_of(op))
    return build.reshape(build.add(made), shape(op.results[0]))


def total_multiplier(op: stablehlo.ReduceOp) -> tuple[int, int]:
    """Return multiplier and right shift of a sum; a mean's multiplier is divided by its element count, truncated."""
    source, result = (per_tensor(value).scale for value in (op.inputs[0], op.results[0]))
    found, places = (int(part) for part in multiplier_and_shift(source / result))
    if not _is_mean(op):
        return found, places
    count = prod(shape(op.inputs[0])[i] for i in op.reduced)
    spare = min(count.bit_length() - 1, 32, 62 - places)
    return (found << spare) // count, places + spare


def _is_mean(op: stablehlo.ReduceOp) -> bool:
    after = op.output_conversion
    return after is not None and any(isinstance(inner, stablehlo.BitcastConvertOp) for inner in after.block.ops)
