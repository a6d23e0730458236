"""Arrays as files store them, read in windows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert import numerics
from qconvert.ir.elements import ELEMENT_TYPES
from qconvert.support.content import Content

_WINDOW_BYTES = 1 << 20

_NARROW = {row.dtype: (row.bits, row.held_dtype) for row in ELEMENT_TYPES if row.shares_bytes}
"""The element types that share bytes: their bits in a file, and the type that holds one in an array."""


def stored_bits(dtype: np.dtype[Any]) -> int:
    """Return the number of bits that an element takes in a file."""
    return _NARROW[dtype][0] if dtype in _NARROW else dtype.itemsize * 8


@dataclass(frozen=True, slots=True)
class StoredArray:
    """Elements in row-major order, each with its low bytes first; those below 8 bits fill bytes from the lowest bit on.

    ``content`` has exactly :attr:`byte_count` bytes.
    """

    content: Content
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def byte_count(self) -> int:
        """The number of bytes that the elements take."""
        return -(-prod(self.shape) * stored_bits(self.dtype) // 8)

    def array(self) -> NDArray[Any]:
        """Return all elements, without a copy if they are in memory as numpy has them.

        Integers below 8 bits take a byte each. Raises errors as :meth:`Content.read` does.
        """
        if not self._is_converted:
            return np.frombuffer(self.content.read(), self.dtype.newbyteorder("<")).reshape(self.shape)
        elements, done = np.empty(prod(self.shape), self.held_dtype), 0
        for window in self.windows():
            elements[done : done + window.size] = window
            done += window.size
        return elements.reshape(self.shape)

    def part(self, axis: int, start: int, stop: int) -> NDArray[Any]:
        """Return the elements from ``start`` to ``stop`` along one axis; nothing else of the file is read.

        Raises errors as :meth:`Content.read` does.
        """
        if (start, stop) == (0, self.shape[axis]):
            return self.array()
        rows, inner = prod(self.shape[:axis]), prod(self.shape[axis + 1 :])
        count = (stop - start) * inner
        first, step, bits = (
            number * inner * stored_bits(self.dtype) for number in (start, self.shape[axis], stop - start)
        )
        if any(number % 8 for number in (first, step, bits)):
            found: NDArray[Any] = np.concatenate([self._at(row * step + first, count) for row in range(rows)])
        else:
            raw = self.content.pieces(first // 8, bits // 8, rows, step // 8)
            found = self._elements(np.frombuffer(raw, np.uint8), rows * count)
        return found.reshape(*self.shape[:axis], stop - start, *self.shape[axis + 1 :])

    def _at(self, bit: int, count: int) -> NDArray[Any]:
        """Return ``count`` elements from a place in the file that need not be the start of a byte."""
        width = stored_bits(self.dtype)
        raw = self.content.read(bit // 8, -(-(bit + count * width) // 8))
        before = bit % 8 // width
        return self._elements(np.frombuffer(raw, np.uint8), before + count)[before:]

    @property
    def held_dtype(self) -> np.dtype[Any]:
        """The type of the elements of :meth:`array`."""
        return _NARROW[self.dtype][1] if self.dtype in _NARROW else self.dtype

    def windows(self, size: int = _WINDOW_BYTES) -> Iterator[NDArray[Any]]:
        """Yield the elements in order, those of ``size`` bytes of the file at a time; ``size`` is a multiple of 16."""
        left = prod(self.shape)
        for raw in self.byte_windows(size):
            count = min(left, raw.size * 8 // stored_bits(self.dtype))
            yield self._elements(raw, count)
            left -= count

    def byte_windows(self, size: int = _WINDOW_BYTES) -> Iterator[NDArray[np.uint8]]:
        """Yield the bytes of the file; the bits behind the last element are 0, whatever the file has there."""
        used = prod(self.shape) * stored_bits(self.dtype) % 8
        for start in range(0, self.byte_count, size):
            raw = np.frombuffer(self.content.read(start, start + size), np.uint8)
            if used and start + raw.size == self.byte_count:
                raw = np.append(raw[:-1], raw[-1] & np.uint8((1 << used) - 1))
            yield raw

    @property
    def _is_converted(self) -> bool:
        """True if the bytes of the array may differ from those of the file."""
        return self.dtype == np.bool_ or self.dtype in _NARROW

    def _elements(self, raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
        if self.dtype == np.bool_:
            return np.not_equal(raw, 0)
        if self.dtype not in _NARROW:
            return raw.view(self.dtype.newbyteorder("<"))
        bits, held = _NARROW[self.dtype]
        return numerics.unpacked(raw, bits, count, signed=held == np.int8).view(held)
