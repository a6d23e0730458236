"""LiteRT's 16-bit functions: tables of 513 entries with interpolation, and its sigmoid table of 256 entries.

Source: TensorFlow Lite's ``LUTPopulate``, ``LUTLookup`` and the integer Logistic and Tanh of its reference kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from qconvert.numerics.affine import round_half_away
from qconvert.numerics.rescale import scale_exponent

Integers: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float32]"

STEP_BITS = 7
"""The low bits of an operand, which are between two entries; a 16-bit TABLE of TOSA adds as many bits to results."""
_STEPS = 1 << 16 - STEP_BITS
_LOW, _HIGH = -(1 << 15), (1 << 15) - 1
_SIGMOID_STEPS = 24
"""The steps between two integers in LiteRT's table, whose entries are sigmoid(i / 24)."""


def interpolated_table(
    function: Callable[[Floats], Floats], source_scale: float, result_scale: float, zero_point: int = 0
) -> Integers:
    """Return the 513 entries for 16-bit operands and results at two scales, the results without zero point, in f32."""
    scale, target = np.float32(source_scale), np.float32(result_scale)
    least, most = scale * np.float32(_LOW - zero_point), scale * np.float32(_HIGH - zero_point)
    inverse = np.float32(_HIGH - _LOW + 1) / (target * np.float32(_HIGH) - target * np.float32(_LOW))
    return table_between(function, least, most, inverse)


def table_between(function: Callable[[Any], Any], least: Any, most: Any, inverse: Any) -> Integers:
    """Return the 513 entries from ``least`` to ``most``, times ``inverse``, in the float type of these.

    Each entry is moved by half of the interpolation's error in the middle of its step.
    """
    dtype = np.asarray(least).dtype.type
    step = (most - least) / dtype(_STEPS)
    at = least + np.arange(_STEPS, dtype=dtype) * step
    following = least + np.arange(1, _STEPS + 1, dtype=dtype) * step
    here = round_half_away(function(at) * inverse)
    middle = round_half_away(function(at + step / dtype(2)) * inverse)
    interpolated = round_half_away((function(following) * inverse + here) / dtype(2))
    entries = here - round_half_away((interpolated - middle) / dtype(2))
    last = round_half_away(function(np.asarray([most], dtype)) * inverse)
    return np.asarray(np.clip(np.concatenate([entries, last]), _LOW, _HIGH).astype(np.int64))


def interpolate(entries: Integers, value: Integers) -> Integers:
    """Interpolate between entries: the upper nine bits choose the entry, the lower seven the fraction, halves up.

    LiteRT keeps 16 bits of the difference of two entries and of the result.
    """
    place, part = (value >> STEP_BITS) + _STEPS // 2, value & ((1 << STEP_BITS) - 1)
    slope = _wrapped(entries[place + 1] - entries[place])
    return _wrapped(entries[place] + ((slope * part + (1 << (STEP_BITS - 1))) >> STEP_BITS))


def is_steep(entries: Integers) -> bool:
    """Return True if two neighbours differ by more than 16 signed bits hold, which TOSA's TABLE does not allow."""
    steps = np.diff(entries)
    return bool(steps.min() < _LOW or steps.max() > _HIGH)


def _wrapped(value: Integers) -> Integers:
    """Return the low 16 bits as signed integers."""
    return np.asarray(value.astype(np.int16).astype(np.int64))


def _sigmoids() -> Integers:
    """Return the sigmoid of multiples of 1/24 in 16 unsigned bits, each moved by half of its interpolation error.

    The last entry is the largest 16-bit value.
    """

    def exact(place: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return np.asarray(65536 / (1 + np.exp(-place / _SIGMOID_STEPS)))

    place = np.arange(255)
    middle = exact(place + 0.5) - (exact(place) + exact(place + 1)) / 2
    return np.append(np.floor(exact(place) + middle / 2 + 0.5).astype(np.int64), 65535)


def sigmoid_multiplier(scale: float, extra_bits: int) -> tuple[int, int]:
    """Return the multiplier and the shift that rescale operands to the scale 1/(3 * 4096), or half of it.

    ``extra_bits`` is 1 for half of it.
    """
    exponent = scale_exponent(scale)
    if exponent is not None and 12 + exponent in range(extra_bits + 1):
        return 3 << 12 + exponent, 0
    multiplier, shift = float(np.float32(scale)) * 4096.0 * 3.0, 0
    while multiplier <= 32767.0 / 2.0 and shift <= 30:
        multiplier, shift = multiplier * 2.0, shift + 1
    return int(multiplier), shift


def scaled_for_sigmoid(value: Integers, multiplier: int, shift: int) -> Integers:
    """Return operands times ``multiplier / 2^shift``, halves up."""
    half = 1 << (shift - 1) if shift else 0
    return np.asarray((value * multiplier + half) >> shift)


def sigmoid_entries(largest: int) -> Integers:
    """Return 65536 times the sigmoid less a half, from -256/24 to 256/24 in steps of 1/24, as LiteRT's table has it.

    ``largest`` is the magnitude's sigmoid from 255/24 on.
    """
    place = np.arange(-256, 257)
    found = np.where(np.abs(place) < 255, _sigmoids()[np.minimum(np.abs(place), 255)], largest)
    return np.asarray(np.where(place >= 0, found, 65536 - found) - 32768)


def _sigmoid(size: Integers, bits: int, largest: int) -> Integers:
    """Interpolate the sigmoid of magnitudes with ``bits`` fraction bits; ``largest`` is the result beyond the table."""
    table, place = _sigmoids(), np.minimum(size >> bits, 254)
    result = (table[place] << bits) + (size & ((1 << bits) - 1)) * (table[place + 1] - table[place])
    return np.where(size >> bits >= 255, largest, result)


def logistic_16(value: Integers, scale: float) -> Integers:
    """Return the logistic function of 16-bit integers at ``scale``, results at scale 2^-15."""
    x = scaled_for_sigmoid(value, *sigmoid_multiplier(scale, 0))
    result = _sigmoid(np.abs(x), 9, 0x7FFF << 10)
    return np.asarray(np.where(x >= 0, result + 512, (1 << 25) - result + 511) >> 10)


def tanh_16(value: Integers, scale: float) -> Integers:
    """Return the hyperbolic tangent of 16-bit integers at ``scale``, results at scale 2^-15."""
    x = scaled_for_sigmoid(value, *sigmoid_multiplier(scale, 1))
    result = _sigmoid(np.abs(x), 8, 0xFFFF << 8)
    middle, half = 1 << 23, 1 << 7
    return np.asarray(np.where(x >= 0, result - middle + half, -result + middle + half - 1) >> 8)
