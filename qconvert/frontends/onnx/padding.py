"""The padding of convolutions and pools: explicit, or from ``auto_pad``.

Source: ONNX Conv, MaxPool, AveragePool (attributes pads and auto_pad).
"""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.errors import ConversionError
from qconvert.frontends.onnx.context import NodeContext


def explicit_padding(
    ctx: NodeContext, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[tuple[int, int]]:
    """``(low, high)`` for each spatial dimension.

    Raises ConversionError where a list's length is not the number of spatial dimensions or auto_pad is unknown.
    """
    rank = len(sizes)
    for name, values in (("strides", strides), ("dilations", dilations), ("kernel_shape", kernel)):
        if len(values) != rank or any(value < 1 for value in values):
            raise ConversionError(f"{name} {list(values)} does not fit {rank} spatial dimensions")
    mode = ctx.text("auto_pad", "NOTSET")
    pads = ctx.integers("pads") or [0] * (2 * rank)
    if mode == "VALID":
        return [(0, 0)] * rank
    if mode == "NOTSET":
        if len(pads) != 2 * rank or any(pad < 0 for pad in pads):
            raise ConversionError(f"pads {pads} does not fit {rank} spatial dimensions")
        return list(zip(pads[:rank], pads[rank:], strict=True))
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        raise ConversionError(f"auto_pad is '{mode}'")
    return [
        _same(size, (extent - 1) * dilation + 1, stride, upper=mode == "SAME_UPPER")
        for size, extent, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True)
    ]


def _same(size: int, reach: int, stride: int, *, upper: bool) -> tuple[int, int]:
    """Padding that makes the output ``ceil(size / stride)``; the odd element goes to the end or the start."""
    total = max(0, (-(-size // stride) - 1) * stride + reach - size)
    small, large = total // 2, total - total // 2
    return (small, large) if upper else (large, small)
