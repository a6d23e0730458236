"""TOSA's integer rescale: a real factor as multiplier and shift, applied exactly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from xdsl.utils.str_enum import StrEnum

from qconvert.numerics.matmul import largest_magnitude
from qconvert.support.errors import ConversionError

_MIN_SHIFT, _MAX_SHIFT = 2, 62
DOUBLE_ROUND_SHIFT = 31
"""DOUBLE_ROUND differs from SINGLE_ROUND for shifts beyond it."""

DOUBLE_ROUND_NUDGE = 1 << 30
"""The amount that DOUBLE_ROUND adds to values from 0 on and subtracts from others, besides the rounding half."""

_MULTIPLIER_TYPES: dict[int, type[np.signedinteger[Any]]] = {16: np.int16, 32: np.int32}


_LARGEST_REDUCED = 0x7FFF0000
"""The smallest 32-bit multiplier that overflows when it is rounded to 16 bits."""


class Rounding(StrEnum):
    """TOSA's rounding modes of RESCALE; INEXACT_ROUND is implementation defined."""

    SINGLE_ROUND = "SINGLE_ROUND"
    DOUBLE_ROUND = "DOUBLE_ROUND"
    INEXACT_ROUND = "INEXACT_ROUND"


def multiplier_and_shift(
    real: npt.ArrayLike, width: int = 32
) -> tuple[npt.NDArray[np.signedinteger[Any]], npt.NDArray[np.int8]]:
    """Write ``real ~ multiplier * 2^-shift`` with multiplier in [2^(width-2), 2^(width-1)) and shift in [2, 62].

    The mantissa is rounded half away from zero, as MLIR's ``computeMultiplierAndShift`` (Dialect/Tosa/Utils) and
    LiteRT's ``QuantizeMultiplier`` do. Factors so small that the shift would pass 62 lose low bits of the multiplier
    instead (down to 0), also as MLIR does. Raises ConversionError for factors that are not positive or too large.
    """
    real = np.asarray(real, np.float64)
    mantissa, exponent = np.frexp(real)
    multiplier = np.floor(mantissa * 2.0 ** (width - 1) + 0.5)
    carried = multiplier == 2.0 ** (width - 1)
    shift = width - 1 - (exponent + carried)
    representable = np.isfinite(real) & (real > 0) & (shift >= _MIN_SHIFT)
    if not representable.all():
        wrong = real[~representable].flat[0]
        raise ConversionError(
            f"the factor {wrong:.6g} cannot be written as a {width}-bit multiplier and a shift of 2 to 62",
            hint="Factors are scale_in / scale_out: look for a wrong scale",
        )
    whole = np.where(carried, multiplier / 2, multiplier).astype(np.int64)
    excess = np.minimum(np.maximum(shift - _MAX_SHIFT, 0), width - 1).astype(np.int64)
    return (whole >> excess).astype(_MULTIPLIER_TYPES[width]), np.minimum(shift, _MAX_SHIFT).astype(np.int8)


def reduced_factor(real: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return factors rounded to LiteRT's 16-bit multipliers: the 32-bit ones rounded again, without a carry."""
    multiplier, shift = multiplier_and_shift(real)
    wide = multiplier.astype(np.int64)
    narrow = np.where(wide < _LARGEST_REDUCED, (wide + (1 << 15)) >> 16, (1 << 15) - 1)
    return np.ldexp(narrow.astype(np.float64), 16 - shift.astype(np.int64))


def scale_exponent(scale: float) -> int | None:
    """Return the binary logarithm of a scale that LiteRT takes for a power of two, None for another.

    Its logarithm may be a thousandth off (``CheckedLog2``).
    """
    exact = float(np.log2(np.float32(scale)))
    nearest = round(exact)
    return nearest if abs(exact - nearest) < _POWER_TOLERANCE else None


_POWER_TOLERANCE = 1e-3


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # multiplier_and_shift refuses infinite factors
def float_factor(*scales: float, over: float) -> float:
    """Return the product of scales divided by ``over``, in f32, as LiteRT computes the factors of many operators."""
    product = np.float32(1)
    for scale in scales:
        product = product * np.float32(scale)
    return float(product / np.float32(over))


def average_multiplier(counts: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return multipliers and shifts that divide sums by their numbers of elements: TOSA's reciprocal_scale."""
    counts = np.asarray(counts, np.int64)
    bits = np.frexp(np.asarray(counts - 1, np.float64))[1].astype(np.int64)
    return (((1 << 30) + 1) << bits) // counts, 30 + bits


def apply_rescale(
    v: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike, rounding: Rounding = Rounding.SINGLE_ROUND
) -> npt.NDArray[np.int64]:
    """Return ``(v * multiplier + 2^(shift-1)) >> shift`` in int64: TOSA's apply_scale_32 and apply_scale_16.

    DOUBLE_ROUND adds ``+2^30`` (v >= 0) or ``-2^30`` (v < 0) if the shift exceeds 31. INEXACT_ROUND follows TOSA's
    reference model: float32, half to even. The caller handles zero points: subtract the input's before,
    add the output's after. The other modes are exact for i32 values with a 32-bit multiplier and for i48 values
    with a 16-bit one. Raises ConversionError if a product may leave int64.
    """
    value, factor, bits = (np.asarray(part, np.int64) for part in (v, multiplier, shift))
    largest = largest_magnitude(value) * largest_magnitude(factor)
    if largest + (1 << (_MAX_SHIFT - 1)) + DOUBLE_ROUND_NUDGE >= 1 << 63:
        raise ConversionError(f"a rescale reaches {largest}, outside the 64 bits of TOSA's arithmetic")
    if rounding is Rounding.INEXACT_ROUND:
        product = np.ldexp(value.astype(np.float32) * factor.astype(np.float32), -bits)
        return np.asarray(np.rint(product).astype(np.int64))
    product = np.asarray(value * factor)
    product += np.left_shift(np.int64(1), bits - 1)
    if rounding is Rounding.DOUBLE_ROUND:
        nudge = np.where(bits > DOUBLE_ROUND_SHIFT, DOUBLE_ROUND_NUDGE, 0)
        product += nudge
        np.subtract(product, 2 * nudge, out=product, where=value < 0)
    product >>= bits
    return product


class ZeroPoints(NamedTuple):
    """The zero points that RESCALE subtracts from its input and adds to its output."""

    input: int = 0
    output: int = 0


def rescale_and_clamp(
    v: npt.ArrayLike,
    multiplier: npt.ArrayLike,
    shift: npt.ArrayLike,
    zero_points: ZeroPoints,
    limits: tuple[int, int],
    rounding: Rounding = Rounding.SINGLE_ROUND,
) -> npt.NDArray[np.int64]:
    """Return ``clamp(apply_rescale(v - input zero point) + output zero point)``: TOSA's RESCALE.

    ``multiplier`` and ``shift`` broadcast against ``v``; ``limits`` are the smallest and largest result. Where TOSA
    leaves the result open, because a value less its zero point is not in [-2^(shift-1), 2^(shift-1)) or because a
    16-bit multiplier's result leaves 32 bits, the result is the rounding's own, clamped.
    """
    value = np.subtract(v, zero_points.input, dtype=np.int64) if zero_points.input else v
    scaled = apply_rescale(value, multiplier, shift, rounding)
    scaled += zero_points.output
    return np.clip(scaled, *limits, out=scaled)
