"""TFLite's SAME and VALID padding."""

from __future__ import annotations

from collections.abc import Sequence

import tflite

from qconvert.dialects.padding import same_padding
from qconvert.support.errors import ConversionError


def spatial_padding(
    sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], padding: int
) -> list[tuple[int, int]]:
    """Return ``(low, high)`` for each dimension, an odd element at the end; zeros for VALID.

    Raises ConversionError for strides or dilations below 1 and for an unknown padding.
    """
    if any(step < 1 for step in (*strides, *dilations)):
        raise ConversionError(f"strides {list(strides)} must be positive")
    if padding == tflite.Padding.VALID:
        return [(0, 0)] * len(sizes)
    if padding != tflite.Padding.SAME:
        raise ConversionError(f"padding {padding} is neither SAME nor VALID")
    return [
        same_padding(size, (extent - 1) * dilation + 1, stride)
        for size, extent, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True)
    ]
