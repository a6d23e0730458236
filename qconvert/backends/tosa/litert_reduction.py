"""Sums, means and averages that follow LiteRT's arithmetic."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.litert import averaged, follows_of, integer_of
from qconvert.backends.tosa.lowering import Lowering, lowers_litert, per_tensor
from qconvert.backends.tosa.reduction import check_initial
from qconvert.dialects import composite, stablehlo, tosa
from qconvert.interpreter.litert_reduction import total_multiplier
from qconvert.ir.types import shape
from qconvert.numerics import Rounding, ZeroPoints


@lowers_litert(stablehlo.ReduceOp)
def total(op: stablehlo.ReduceOp, lower: Lowering) -> SSAValue:
    """A REDUCE_SUM for each dimension, and one RESCALE by LiteRT's own multiplier."""
    check_initial(op)
    value, element = lower.centred(op.inputs[0]), per_tensor(op.results[0])
    for axis in op.reduced:
        value = lower.add(tosa.ReduceSumOp(value, axis))
    multiplier, shift = (np.array([part]) for part in total_multiplier(op))
    zero_points, rounding = ZeroPoints(0, element.zero_point), Rounding(follows_of(op).rounding)
    made = lower.rescale_by(value, (multiplier.astype(np.int32), shift), integer_of(element), zero_points, rounding)
    return lower.reshape(made, shape(op.results[0]))


@lowers_litert(composite.AveragePoolOp)
def average(op: composite.AveragePoolOp, lower: Lowering) -> SSAValue:
    """AVG_POOL2D of the stored integers, zero point and all: it counts no padding and rounds halves away from 0."""
    window, pads = op.window, list[int]()
    for axis in (1, 2):
        low, _ = window.padding[axis]
        reach = (shape(op.result)[axis] - 1) * window.strides[axis] + window.size[axis]
        pads += [low, reach - shape(op.operand)[axis] - low]
    image, kept = lower.cropped(lower[op.operand], pads)
    made = tosa.ConvWindow(kept, window.strides[1:3], (1, 1))
    return averaged(lower, image, window.size[1:3], made, follows_of(op))
