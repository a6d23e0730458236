"""``tosa.resize``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.tosa.resize import Sampling
from qconvert.ir import element_type, is_float, numpy_dtype, shape
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, held, translates
from qconvert.rewriting import converted


@translates(tosa.ResizeOp)
def resize(op: tosa.ResizeOp, build: Translation) -> SSAValue:
    """Resize the height, then the width.

    Each position takes one neighbour, or the sum of two with weights. For floats the weights add up to 1.
    """
    value = converted(build, build[op.input], held(element_type(op.output)))
    for axis, sampling in zip((1, 2), op.samplings, strict=True):
        value = _sampled(build, value, axis, sampling, op.mode.data)
    return value


def _sampled(build: Translation, value: SSAValue, axis: int, sampling: Sampling, mode: tosa.ResizeMode) -> SSAValue:
    size, unit = shape(value)[axis], sampling.unit
    at = np.arange(sampling.resized(size)) * sampling.step + sampling.offset
    whole, part = at // unit, at % unit
    low, high = np.maximum(whole, 0), np.minimum(whole + 1, size - 1)
    if mode is tosa.ResizeMode.NEAREST_NEIGHBOR:
        return build.picked(value, axis, np.where(2 * part >= unit, high, low))
    below, above = (
        _weighed(build, build.picked(value, axis, places), axis, weights, unit)
        for places, weights in ((low, unit - part), (high, part))
    )
    return build.add(stablehlo.AddOp(below, above))


def _weighed(build: Translation, value: SSAValue, axis: int, weights: NDArray[np.int64], unit: int) -> SSAValue:
    """Multiply by a weight for each position along a dimension."""
    element, sizes = element_type(value), shape(value)
    shares = weights / unit if is_float(element) else weights
    spread = build.add(
        stablehlo.BroadcastInDimOp(build.constant(shares.astype(numpy_dtype(element)), element), sizes, [axis])
    )
    return build.add(stablehlo.MultiplyOp(value, spread))
