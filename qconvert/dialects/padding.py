"""The arithmetic of SAME padding, which ONNX's auto_pad and TFLite share."""

from __future__ import annotations


def same_padding(size: int, reach: int, stride: int, *, upper: bool = True) -> tuple[int, int]:
    """Return ``(low, high)`` padding that makes the output ``ceil(size / stride)`` elements long.

    ``reach`` is the extent of the dilated kernel. ``upper`` puts an odd element at the end, otherwise at the start.
    """
    return halves(max(0, (-(-size // stride) - 1) * stride + reach - size), upper=upper)


def halves(total: int, *, upper: bool) -> tuple[int, int]:
    """Split a number of elements between start and end; ``upper`` puts an odd one at the end."""
    small, large = total // 2, total - total // 2
    return (small, large) if upper else (large, small)
