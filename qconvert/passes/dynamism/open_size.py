"""Sizes that follow from one open size, found by comparing conversions at several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qconvert.support.errors import ConversionError

SIZES = (37, 41, 43)
"""Primes that no layer is likely to have, so that no other size of a model is one of them by chance."""


class OpenSize(NamedTuple):
    """The size ``factor * n + offset``, where ``n`` is the open size."""

    factor: int
    offset: int

    @property
    def is_open(self) -> bool:
        """True if the size depends on the open size."""
        return self.factor != 0

    @property
    def is_itself(self) -> bool:
        """True if the size is the open size."""
        return (self.factor, self.offset) == (1, 0)

    def text(self, name: str) -> str:
        """Return the size as a formula of a name: ``N``, ``4*N``, ``N+1``."""
        product = name if self.factor == 1 else f"{self.factor}*{name}"
        return f"{product}{self.offset:+}" if self.offset else product


class OpenDimension(NamedTuple):
    """A dimension that stays open: its name, and the sizes at which a model was converted.

    Two sizes give the formula of each other size, the third confirms it.
    """

    name: str
    sizes: tuple[int, int, int] = SIZES

    def formula(self, found: Sequence[int]) -> OpenSize:
        """Return the formula of a size that was found at each of the sizes; raises ConversionError without one."""
        (first, second, _), (x, y, _) = self.sizes, found
        factor, rest = divmod(y - x, second - first)
        size = OpenSize(factor, x - factor * first)
        if rest or any(size.factor * n + size.offset != value for n, value in zip(self.sizes, found, strict=True)):
            raise self.refusal(f"a size does not grow in proportion to it: {', '.join(map(str, found))}")
        return size

    def formulas(self, found: Sequence[Sequence[int]]) -> tuple[OpenSize, ...]:
        """Return the formula of each number of lists that were found; raises ConversionError for different lengths."""
        if len({len(values) for values in found}) > 1:
            raise self.refusal("the number of dimensions depends on it")
        return tuple(self.formula(values) for values in zip(*found, strict=True))

    def unrepeated(self, arrays: Sequence[NDArray[Any]], what: str) -> NDArray[Any]:
        """Return the array that repeated along the open dimensions is each of the arrays; it has size 1 there.

        Raises ConversionError naming ``what`` where there is none.
        """
        sizes = self.formulas([array.shape for array in arrays])
        first = arrays[0][tuple(slice(0, 1) if size.is_open else slice(None) for size in sizes)]
        for array in arrays:
            if not array.size or array.tobytes() != np.broadcast_to(first, array.shape).tobytes():
                raise self.refusal(f"{what} depends on it")
        return first

    def refusal(self, reason: str) -> ConversionError:
        """Return the error for something that cannot stay open."""
        hint = f"Give it a size: --dim {self.name}=SIZE"
        return ConversionError(f"dimension '{self.name}' cannot stay open: {reason}", hint=hint)
