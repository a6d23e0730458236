"""The bytes of constants as files hold them, a piece at a time: late arrays are never in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert import numerics
from qconvert.ir.late import Held, LateArray, pieces_of, row_major
from qconvert.ir.stored import StoredArray, stored_bits

_WINDOW_BYTES = 1 << 20


def windows_of(held: Held) -> Iterator[NDArray[Any]]:
    """Yield the elements in row-major order, in one dimension; all windows but the last have about 1 MiB."""
    stored = _stored(held)
    if stored is not None:
        yield from stored.windows()
        return
    for piece in pieces_of(held):
        flat, step = row_major(piece).reshape(-1), _WINDOW_BYTES // held.dtype.itemsize
        yield from (flat[start : start + step] for start in range(0, flat.size, step))


def _stored(held: Held) -> StoredArray | None:
    """Return the part of a file that a constant is, None for one in memory and for one that is computed."""
    if isinstance(held, LateArray) and isinstance(held.origin, StoredArray) and not held.is_made:
        return held.origin
    return None


def byte_pieces(held: Held) -> Iterator[memoryview]:
    """Yield the bytes of the elements in row-major order, each element with its low bytes first."""
    return (window.view(np.uint8).data for window in windows_of(held))


def packed_pieces(held: Held, bits: int) -> Iterator[memoryview]:
    """Yield the bytes of integers below 8 bits in row-major order; they fill bytes from the lowest bit on."""
    stored = _stored(held)
    if stored is not None and stored_bits(stored.dtype) == bits:
        yield from (window.data for window in stored.byte_windows())
        return
    rest = np.empty(0, np.uint8)
    for window in windows_of(held):
        elements = window.view(np.uint8) if window.itemsize == 1 else window.astype(np.uint8)
        elements = np.concatenate([rest, elements]) if rest.size else elements
        whole = elements.size - elements.size % (8 // bits)
        yield numerics.packed(elements[:whole], bits).data
        rest = elements[whole:]
    if rest.size:
        yield numerics.packed(rest, bits).data
