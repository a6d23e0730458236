"""The numbers of elements under the windows of a pool."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.ir import shape


def divides_by_elements(op: stablehlo.ReduceWindowOp, divisor: SSAValue) -> bool:
    """Return True if a sum's divisor is the number of its elements, without padding, at every position."""
    found, sizes = constant_array(divisor), shape(op.inputs[0])
    counts: NDArray[np.int64] = np.ones([1] * len(sizes), np.int64)
    for axis, size in enumerate(sizes):
        taps, stride, (low, _) = op.window.size[axis], op.window.strides[axis], op.window.padding[axis]
        starts = np.arange(shape(op.results[0])[axis]) * stride - low
        inside = np.minimum(starts + taps, size) - np.maximum(starts, 0)
        counts = counts * inside.reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    return found is not None and np.array_equal(np.broadcast_to(found, counts.shape), counts)
