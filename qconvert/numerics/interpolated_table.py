"""16-bit functions of LiteRT: 513 results between which it interpolates, and its sigmoid of 256 entries.

Source: TensorFlow Lite's ``LUTPopulate``, ``LUTLookup`` and the integer Logistic and Tanh of its reference kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float32]"

_STEPS, _STEP_BITS = 512, 7
_LOW, _HIGH = -(1 << 15), (1 << 15) - 1
_SIGMOID_STEPS = 24
"""LiteRT's table has sigmoid(i / 24)."""


def _away(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The nearest integer as a float, halves away from zero."""
    return np.asarray(np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x))


def interpolated_table(
    function: Callable[[Floats], Floats], source_scale: float, result_scale: float, zero_point: int = 0
) -> Integers:
    """The 513 entries for 16-bit operands at one scale, results at another without zero point; all in f32."""
    scale, target = np.float32(source_scale), np.float32(result_scale)
    least, most = scale * np.float32(_LOW - zero_point), scale * np.float32(_HIGH - zero_point)
    inverse = np.float32(_HIGH - _LOW + 1) / (target * np.float32(_HIGH) - target * np.float32(_LOW))
    return table_between(function, least, most, inverse)


def table_between(function: Callable[[Any], Any], least: Any, most: Any, inverse: Any) -> Integers:
    """The 513 entries from ``least`` to ``most``, times ``inverse``, in the float type of these.

    An entry is moved by half of what interpolation is off by in the middle of its step.
    """
    dtype = np.asarray(least).dtype.type
    step = (most - least) / dtype(_STEPS)
    at = least + np.arange(_STEPS, dtype=dtype) * step
    following = least + np.arange(1, _STEPS + 1, dtype=dtype) * step
    here = _away(function(at) * inverse)
    middle = _away(function(at + step / dtype(2)) * inverse)
    interpolated = _away((function(following) * inverse + here) / dtype(2))
    entries = here - _away((interpolated - middle) / dtype(2))
    last = _away(function(np.asarray([most], dtype)) * inverse)
    return np.asarray(np.clip(np.concatenate([entries, last]), _LOW, _HIGH).astype(np.int64))


def interpolate(entries: Integers, value: Integers) -> Integers:
    """An entry by the upper nine bits, and its part of the way to the next by the lower seven, halves up."""
    place, part = (value >> _STEP_BITS) + _STEPS // 2, value & ((1 << _STEP_BITS) - 1)
    slope = entries[place + 1] - entries[place]
    return np.asarray(entries[place] + ((slope * part + (1 << (_STEP_BITS - 1))) >> _STEP_BITS))


def _sigmoids() -> Integers:
    """Sigmoid of multiples of 1/24 in 16 bits without a sign, each moved by half of what its step is off by.

    The last entry is all that 16 bits hold.
    """

    def exact(place: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return np.asarray(65536 / (1 + np.exp(-place / _SIGMOID_STEPS)))

    place = np.arange(255)
    middle = exact(place + 0.5) - (exact(place) + exact(place + 1)) / 2
    return np.append(np.floor(exact(place) + middle / 2 + 0.5).astype(np.int64), 65535)


def _scaled(value: Integers, scale: float, extra_bits: int) -> Integers:
    """Operands in steps of 1/(3 * 4096) (of half of that where ``extra_bits`` is 1), halves up, as LiteRT has them."""
    mantissa, exponent = np.frexp(np.float32(scale))
    left = 12 + int(exponent) - 1
    if mantissa == 0.5 and left in range(extra_bits + 1):
        return value * (3 << left)
    multiplier, shift = float(np.float32(scale)) * 4096.0 * 3.0, 0
    while multiplier <= 32767.0 / 2.0 and shift <= 30:
        multiplier, shift = multiplier * 2.0, shift + 1
    half = 1 << (shift - 1) if shift else 0
    return np.asarray((value * int(multiplier) + half) >> shift)


def logistic_16(value: Integers, scale: float) -> Integers:
    """The logistic function of 16-bit integers at ``scale``, results at 2^-15."""
    table, x = _sigmoids(), _scaled(value, scale, 0)
    size = np.abs(x)
    place = np.minimum(size >> 9, 254)
    result = (table[place] << 9) + (size & 511) * (table[place + 1] - table[place])
    result = np.where(size >> 9 >= 255, 0x7FFF << 10, result)
    return np.asarray(np.where(x >= 0, result + 512, (1 << 25) - result + 511) >> 10)


def tanh_16(value: Integers, scale: float) -> Integers:
    """The hyperbolic tangent of 16-bit integers at ``scale``, results at 2^-15."""
    table, x = _sigmoids(), _scaled(value, scale, 1)
    size = np.abs(x)
    place = np.minimum(size >> 8, 254)
    result = (table[place] << 8) + (size & 255) * (table[place + 1] - table[place])
    result = np.where(size >> 8 >= 255, 0xFFFF << 8, result)
    middle, half = 1 << 23, 1 << 7
    return np.asarray(np.where(x >= 0, result - middle + half, -result + middle + half - 1) >> 8)
