"""Elements that share bytes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


def unpacked(packed: NDArray[np.uint8], bits: int, count: int, *, signed: bool) -> NDArray[Any]:
    """Return ``count`` elements of 4 or 2 bits, one in each byte of the result; the lowest bits come first."""
    words: NDArray[Any] = np.take(_elements_of_bytes(bits, signed), packed)
    return words.view(np.int8 if signed else np.uint8)[:count]


@cache
def _elements_of_bytes(bits: int, signed: bool) -> NDArray[Any]:
    """Return the elements of each of the 256 bytes, which share an integer of the result: a look-up is fastest."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    values = (np.arange(256, dtype=np.uint8)[:, np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)
    half = np.uint8(1 << (bits - 1)) if signed else np.uint8(0)
    return ((values ^ half) - half).view(f"u{8 // bits}").reshape(-1)


def packed(elements: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Return elements of 4 or 2 bits, one in each byte, packed from the lowest bits on; zeros fill the last byte."""
    count = 8 // bits
    missing = -elements.size % count
    whole = np.pad(elements, (0, missing)) if missing else elements
    rows = whole.reshape(-1, count) & np.uint8((1 << bits) - 1)
    made: NDArray[np.uint8] = rows[:, 0].copy()
    for i in range(1, count):
        made |= rows[:, i] << np.uint8(i * bits)
    return made
