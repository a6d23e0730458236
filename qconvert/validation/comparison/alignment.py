"""The ways in which a value of one model is a value of another: an order of dimensions, and channels in blocks.

onnxruntime's level ALL keeps images in blocks of channels (``core/optimizer/nchwc_transformer.cc``). The tensors of its
NCHWc operators have the shape (N, C, spatial...), but their elements are those of (N, C / size, spatial..., size). C is
padded to whole blocks, whose size is the processor's: ``MlasNchwcGetBlockSize``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from qconvert.support.arrays import Array
from qconvert.validation.representation import Layout, laid_out, layouts

Shape: TypeAlias = tuple[int, ...]

NCHWC = "com.microsoft.nchwc."
"""The domain of onnxruntime's operators on blocks of channels."""

BLOCK_SIZES = (16, 8, 4)
"""The sizes of blocks that are tried: of AVX-512, of AVX, and of processors with vectors of 128 bits."""


@dataclass(frozen=True)
class Blocks:
    """Channels in blocks of a size; the tensor holds ``channels`` of them, and padding."""

    size: int
    channels: int

    def plain(self, array: Array) -> Array:
        """Return a tensor of blocks as an array of the channels alone, channels first."""
        images, padded, *spatial = array.shape
        parts = array.reshape(images, padded // self.size, *spatial, self.size)
        return np.moveaxis(parts, -1, 2).reshape(array.shape)[:, : self.channels]

    def held(self, array: Array) -> Array:
        """Return an array of channels as the tensor of blocks holds it, padded by zeros."""
        images, channels, *spatial = array.shape
        padded = np.zeros((images, -(-channels // self.size) * self.size, *spatial), array.dtype)
        padded[:, :channels] = array
        parts = padded.reshape(images, -1, self.size, *spatial)
        return np.asarray(np.moveaxis(parts, 2, -1), order="C").reshape(padded.shape)


@dataclass(frozen=True)
class Alignment:
    """The layout in which a value of the first model is one of the second, and the blocks that each has.

    ``unfolded`` is the first model's shape before the dimensions were flattened whose order the layout has.
    """

    layout: Layout
    first: Blocks | None = None
    second: Blocks | None = None
    unfolded: Shape | None = None

    def of_first(self, array: Array, shape: Shape) -> Array:
        """Return the first model's value in the layout of the second, which has a shape, without blocks."""
        plain = array if self.first is None else self.first.plain(array)
        if self.second is not None:
            shape = (shape[0], self.second.channels, *shape[2:])
        return laid_out(plain if self.unfolded is None else plain.reshape(self.unfolded), self.layout, shape)

    def of_second(self, array: Array) -> Array:
        """Return the second model's value without blocks."""
        return array if self.second is None else self.second.plain(array)

    def held(self, array: Array, shape: Shape) -> Array:
        """Return the first model's value as the second model holds it."""
        found = self.of_first(array, shape)
        return found if self.second is None else self.second.held(found)


def alignments(first: Shape, second: Shape, blocked: tuple[bool, bool]) -> Iterator[Alignment]:
    """Yield the ways in which a shape of the first model is one of the second; ``blocked`` tells which has blocks."""
    if blocked[0] == blocked[1]:
        yield from map(Alignment, layouts(first, second))
        return
    held, plain = (first, second) if blocked[0] else (second, first)
    if len(plain) != len(held) or len(plain) < 3 or (plain[0], plain[2:]) != (held[0], held[2:]):
        return
    for size in BLOCK_SIZES:
        if -(-plain[1] // size) * size == held[1]:
            blocks, layout = Blocks(size, plain[1]), tuple(range(len(plain)))
            yield Alignment(layout, blocks, None) if blocked[0] else Alignment(layout, None, blocks)


def has_blocks(op: str, sources: bool) -> bool:
    """Return True if an operator makes blocks; ``sources`` tells if it takes them, which only ReorderOutput undoes."""
    return not op.endswith(".ReorderOutput") if op.startswith(NCHWC) else sources
