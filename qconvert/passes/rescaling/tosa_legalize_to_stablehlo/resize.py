"""``tosa.resize``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.ir import element_type, is_float, numpy_dtype, shape
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, held, translates
from qconvert.rewriting import converted


@translates(tosa.ResizeOp)
def resize(op: tosa.ResizeOp, build: Translation) -> SSAValue:
    """Resize the height, then the width.

    Each position takes one neighbour, or the sum of two with weights. For floats the weights add up to 1.
    """
    value = converted(build, build[op.input], held(element_type(op.output)))
    for axis, places in zip((1, 2), op.neighbours, strict=True):
        if op.mode.data is tosa.ResizeMode.NEAREST_NEIGHBOR:
            value = build.picked(value, axis, places.nearest)
        else:
            value = _between(build, value, axis, places)
    return value


def _between(build: Translation, value: SSAValue, axis: int, places: tosa.Neighbours) -> SSAValue:
    below, above = (
        _weighed(build, build.picked(value, axis, positions), axis, weights, places.unit)
        for positions, weights in ((places.low, places.unit - places.part), (places.high, places.part))
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
