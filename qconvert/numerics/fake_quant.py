"""TensorFlow's fake quantization: from a float range to a scale and an exact zero point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from qconvert.support.errors import ConversionError

_TINY = np.finfo(np.float32).tiny


class NudgedRange(NamedTuple):
    """Quantization parameters; ``scale`` and ``zero_point`` have the shape of the range (per channel: 1-D)."""

    scale: npt.NDArray[np.float32]
    zero_point: npt.NDArray[np.int32]
    quant_min: int
    quant_max: int


def nudge_fake_quant(
    minimum: npt.ArrayLike, maximum: npt.ArrayLike, bits: int = 8, narrow_range: bool = False, *, signed: bool = False
) -> NudgedRange:
    """Nudge [minimum, maximum] so that zero is exactly representable, as TensorFlow does.

    Source: ``Nudge`` in tensorflow/core/kernels/fake_quant_ops_functor.h. In float32: ``scale = (max - min) /
    (quant_max - quant_min)``, ``zero_point = round(quant_min - min / scale)`` (half away from zero) clamped to the
    storage range, which is [0 or 1, 2^bits - 1]. ``signed`` moves the integers down by 2^(bits - 1) and changes no
    number they stand for. The range [0, 0], for which TensorFlow returns zeros, gets the smallest normal scale: what it
    quantizes stays below 2^-110 (MLIR gives it scale 1, which keeps whatever is not zero).
    """
    low, high = np.broadcast_arrays(np.asarray(minimum, np.float32), np.asarray(maximum, np.float32))
    if not 2 <= bits <= 16:
        raise ConversionError(f"fake quantization to {bits} bits is not supported", hint="Use 2 to 16 bits")
    _check_range(low, high)
    quant_min, quant_max = int(narrow_range), (1 << bits) - 1
    scale, zero_point = _nudged(low, high, quant_min, quant_max)
    offset = 1 << (bits - 1) if signed else 0
    integers = zero_point.astype(np.int32) - np.int32(offset)
    return NudgedRange(np.asarray(scale, np.float32), integers, quant_min - offset, quant_max - offset)


def nudge_range(minimum: float, maximum: float, quant_min: int, quant_max: int) -> tuple[float, int]:
    """Return scale and zero point for any range of integers, computed as in :func:`nudge_fake_quant`.

    Integers of more than 16 bits are computed in float64, because float32 is not exact for them.
    """
    work = np.float32 if quant_max - quant_min < 1 << 16 else np.float64
    low, high = np.asarray(minimum, work), np.asarray(maximum, work)
    _check_range(low, high)
    # Counted from 0 as TensorFlow does, or from 1 if the smallest integer is unused.
    first = 1 if quant_min == -quant_max else 0
    scale, zero_point = _nudged(low, high, first, quant_max - quant_min + first)
    return float(np.float32(scale)), int(zero_point) + quant_min - first


def _nudged(
    low: npt.NDArray[Any], high: npt.NDArray[Any], quant_min: int, quant_max: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    kind = low.dtype.type
    scale = np.maximum((high - low) / kind(quant_max - quant_min), _TINY)
    from_min = np.clip(kind(quant_min) - low / scale, quant_min, quant_max)
    # float64, because adding .5 to the float32 just below .5 would round up to 1.
    return scale, np.floor(from_min.astype(np.float64) + 0.5)


def _check_range(low: npt.NDArray[Any], high: npt.NDArray[Any]) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        usable = np.isfinite(high - low) & ((low < high) | ((low == 0) & (high == 0)))
    if not usable.all():
        at = int(np.argmin(usable))
        raise ConversionError(
            f"the range [{low.flat[at]}, {high.flat[at]}] (channel {at}) cannot be quantized",
            hint="A range needs a finite minimum below a finite maximum",
        )
