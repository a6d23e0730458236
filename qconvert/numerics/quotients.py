"""LiteRT's QUANTIZE of floats as comparisons: the least float32 number that is quantized to each integer or more.

Source: TensorFlow Lite's ``AffineQuantize``: the float32 quotient by the scale, rounded half away from zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qconvert.numerics.affine import round_half_away

_BITS = 32


def rounded_quotients(x: NDArray[np.float32], scale: float) -> NDArray[np.float32]:
    """Return ``x / scale`` in float32, rounded half away from zero."""
    with np.errstate(all="ignore"):
        return np.asarray(round_half_away(x / np.float32(scale)))


def least_floats(integers: NDArray[np.int64], scale: float) -> NDArray[np.float32]:
    """Return for each integer the least float32 number whose rounded quotient by ``scale`` is not below the integer.

    Floats in the order of their bits are halved until one is left, so that the result is exact for every scale.
    """
    low = np.full(integers.shape, _ordered(np.asarray([-np.inf], np.float32))[0])
    high = np.full(integers.shape, _ordered(np.asarray([np.inf], np.float32))[0])
    for _ in range(_BITS + 1):
        middle = (low + high) >> 1
        reaches = rounded_quotients(_floats(middle), scale) >= integers
        low, high = np.where(reaches, low, middle), np.where(reaches, middle, high)
    return _floats(high)


def _ordered(x: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return integers in the order of floats."""
    bits = x.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def _floats(ordered: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the floats of such integers."""
    bits = np.where(ordered < 0, -ordered | 0x80000000, ordered)
    return bits.astype(np.uint32).view(np.float32)
