"""Rounding of floats to formats of fewer bits.

Source: StableHLO's specification, ``reduce_precision``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

_limits: Callable[[np.dtype[Any]], Any] = ml_dtypes.finfo
"""The layout and the limits of a float type, numpy's as well."""


def largest_finite(dtype: np.dtype[Any]) -> float:
    """Return the largest finite number of a float type."""
    return float(_limits(dtype).max)


def positive_range(dtype: np.dtype[Any]) -> tuple[float, float]:
    """Return the smallest positive number of a float type, a subnormal one, and the largest finite one."""
    limits = _limits(dtype)
    return float(limits.smallest_subnormal), float(limits.max)


def reduce_precision(array: NDArray[Any], exponent_bits: int, mantissa_bits: int) -> NDArray[Any]:
    """Round each element half to even to a format; the dtype (f16, bf16, f32, f64) stays.

    Values beyond the format's range become infinite, values below its normal numbers zero, both with their sign. NaN
    stays; without mantissa bits it becomes infinite.
    """
    layout = _limits(array.dtype)
    exponent, mantissa = layout.nexp, layout.nmant
    bits = array.view(f"u{array.itemsize}")
    number = bits.dtype.type
    sign = bits & number(1 << (exponent + mantissa))
    infinity = number(((1 << exponent) - 1) << mantissa)
    result = bits
    if mantissa_bits < mantissa:
        dropped = mantissa - mantissa_bits
        is_odd = (bits >> number(dropped)) & number(1)
        mask = number((1 << (exponent + mantissa + 1)) - (1 << dropped))
        result = (bits + (number((1 << (dropped - 1)) - 1) + is_odd)) & mask
    if exponent_bits < exponent:
        middle, half = (1 << (exponent - 1)) - 1, (1 << (exponent_bits - 1)) - 1
        found = result & infinity
        result = np.where(found > number((middle + half) << mantissa), sign | infinity, result)
        result = np.where(found <= number((middle - half) << mantissa), sign, result)
    is_nan = np.isnan(array)
    nan = bits if mantissa_bits else sign | infinity
    return np.asarray(np.where(is_nan, nan, result).astype(bits.dtype).view(array.dtype))
