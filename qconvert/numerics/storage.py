"""Storage types of quantized values: their ranges, their numpy types, and elements that share bytes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from qconvert.support.errors import ConversionError

_CONTAINERS: dict[bool, dict[int, Any]] = {
    True: {2: ml_dtypes.int2, 4: ml_dtypes.int4, 8: np.int8, 16: np.int16, 32: np.int32},
    False: {2: ml_dtypes.uint2, 4: ml_dtypes.uint4, 8: np.uint8, 16: np.uint16, 32: np.uint32},
}


def storage_range(width: int, signed: bool, narrow: bool = False) -> tuple[int, int]:
    """Return the smallest and largest value of an integer of ``width`` bits; ``narrow`` drops the smallest.

    Narrow int8 is [-127, 127] and narrow uint8 [1, 255], as with TensorFlow's ``narrow_range``.
    """
    lowest = -(1 << (width - 1)) if signed else 0
    return lowest + narrow, lowest + (1 << width) - 1


def numpy_storage_dtype(width: int, signed: bool) -> np.dtype[Any]:
    """Return the smallest numpy or ml_dtypes integer type that holds ``width`` bits: 4 -> int4, 6 -> int8."""
    for bits, scalar in _CONTAINERS[signed].items():
        if 2 <= width <= bits:
            return np.dtype(scalar)
    raise ConversionError(f"a storage type of {width} bits is not supported", hint="Storage types have 2 to 32 bits")


def unpacked(packed: NDArray[np.uint8], bits: int, count: int, *, signed: bool) -> NDArray[Any]:
    """Return ``count`` elements of 4 or 2 bits, one in each byte of the result; the lowest bits come first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    values = ((packed[:, np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)).reshape(-1)[:count]
    if not signed:
        return values
    half = np.int8(1 << (bits - 1))
    return (values.view(np.int8) ^ half) - half
