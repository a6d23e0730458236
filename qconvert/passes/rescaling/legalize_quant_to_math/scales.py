"""Conditions under which the float arithmetic of a quantized op equals integer arithmetic."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import Float32Type, Float64Type

from qconvert.ir import UniformQuantizedType

_LARGEST_ZERO_POINT = 1 << 21
_ROOM = 1 << 18
"""More than the sum of two 16-bit values and their zero points."""


def share_scales(*types: UniformQuantizedType) -> bool:
    """Return whether sums of values of all types but the last are integer sums, read in the last type.

    Scales must be equal. Then ``n * s / s`` differs from the integer ``n`` by a few parts in 2^24, and rounding gives
    ``n`` again. ``n`` has at most 18 bits, and a zero point of 21 bits leaves f32 one bit behind the point. Scales for
    which products leave f32's range are excluded, and so are narrower floats.
    """
    *sources, target = types
    first = target.data
    if any(
        (t.data.scales, t.quantization_dimension, t.data.block_sizes)
        != (first.scales, first.quantization_dimension, first.block_sizes)
        for t in sources
    ):
        return False
    if not all(isinstance(t.expressed_type, Float32Type | Float64Type) for t in types):
        return False
    limits = np.finfo(np.float32)
    in_range = limits.tiny <= target.scales.min() and target.scales.max() * _ROOM <= limits.max
    near = int(np.abs(target.zero_points).max()) <= _LARGEST_ZERO_POINT
    return bool(in_range and near and all(t.storage.width <= 16 for t in sources))
