"""TFLite's SAME and VALID padding."""

from __future__ import annotations

from collections.abc import Sequence

import tflite

from qconvert.support.errors import ConversionError


def same_padding(
    sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], padding: int
) -> list[tuple[int, int]]:
    """The padding of each dimension, the odd element behind; none for VALID.

    Raises ConversionError for strides below 1 or another kind of padding.
    """
    if any(step < 1 for step in (*strides, *dilations)):
        raise ConversionError(f"strides {list(strides)} must be positive")
    if padding == tflite.Padding.VALID:
        return [(0, 0)] * len(sizes)
    if padding != tflite.Padding.SAME:
        raise ConversionError(f"padding {padding} is neither SAME nor VALID")
    pairs = []
    for size, extent, step, gap in zip(sizes, kernel, strides, dilations, strict=True):
        total = max(0, (-(-size // step) - 1) * step + (extent - 1) * gap + 1 - size)
        pairs.append((total // 2, total - total // 2))
    return pairs
