"""Rounding of floats to formats of fewer bits.

Source: StableHLO's specification, ``reduce_precision``.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

_LAYOUTS: dict[np.dtype[Any], tuple[int, int]] = {
    np.dtype(np.float16): (5, 10),
    np.dtype(ml_dtypes.bfloat16): (8, 7),
    np.dtype(np.float32): (8, 23),
    np.dtype(np.float64): (11, 52),
}
"""The exponent and mantissa bits of each type."""


def largest_finite(dtype: np.dtype[Any]) -> float:
    """Return the largest finite number of a float type."""
    if dtype.itemsize == 1:  # float4_e2m1fn, too: its numbers have several codes
        numbers = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)
        return float(numbers[np.isfinite(numbers)].max())
    exponent, mantissa = _LAYOUTS[dtype]
    return float((2 - 2.0**-mantissa) * 2.0 ** ((1 << (exponent - 1)) - 1))


def reduce_precision(array: NDArray[Any], exponent_bits: int, mantissa_bits: int) -> NDArray[Any]:
    """Round each element half to even to a format; the dtype (f16, bf16, f32, f64) stays.

    Values beyond the format's range become infinite, values below its normal numbers zero, both with their sign. NaN
    stays; without mantissa bits it becomes infinite.
    """
    exponent, mantissa = _LAYOUTS[array.dtype]
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
