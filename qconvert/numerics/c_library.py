"""Functions of float32 as the C library of LiteRT computes them.

Most are the exact result, rounded once: glibc computes them in float64, too. Its results are the same except where the
exact result lies about halfway between two float32 numbers (1 of 2,000 exponentials). numpy's own functions of float32
are up to four units in the last place off, and differ in 1 of 3 exponentials.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def rounded_once(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function of float64 as one of float32, whose results are rounded once."""

    def compute(*operands: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(function(*(operand.astype(np.float64) for operand in operands))).astype(np.float32)

    return compute


def expm1(x: Array) -> Array:
    """Return ``exp(x) - 1``; numpy calls the C library for it."""
    with np.errstate(all="ignore"):
        return np.asarray(np.expm1(x))


def tanh(x: Array) -> Array:
    """Return the hyperbolic tangent by way of ``expm1``, as glibc up to 2.40 does, whose last bit is not exact."""
    with np.errstate(all="ignore"):
        size = np.abs(x)
        large, small = expm1(size + size), expm1(-(size + size))
        one, two = np.float32(1), np.float32(2)
        part = np.where(size >= 1, one - two / (large + two), -small / (small + two))
        return np.copysign(np.where(size < _TANH_IS_1, part, one), x)


_TANH_IS_1 = np.float32(22)

atan2 = rounded_once(np.arctan2)
cos = rounded_once(np.cos)
exp = rounded_once(np.exp)
log = rounded_once(np.log)
power = rounded_once(np.power)
sin = rounded_once(np.sin)
