"""The spatial attributes that convolutions and pools share, and their padding.

Source: ONNX Conv, MaxPool, AveragePool (attributes pads and auto_pad).
"""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.dialects.padding import same_padding
from qconvert.frontends.onnx.context import NodeContext
from qconvert.support.errors import ConversionError

_MODES = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")


def spatial_list(ctx: NodeContext, name: str, rank: int, least: int = 1) -> list[int]:
    """Return a list attribute with one entry of at least ``least``, the default, for each spatial dimension."""
    values = ctx.integers(name) or [least] * rank
    check_spatial(name, values, rank, least)
    return values


def check_spatial(name: str, values: Sequence[int], rank: int, least: int = 1) -> None:
    """Raise ConversionError unless each spatial dimension has a number of at least ``least``."""
    if len(values) != rank or any(value < least for value in values):
        raise ConversionError(
            f"{name} {list(values)} does not fit {rank} spatial dimensions",
            hint=f"Give a number of {least} or more for each spatial dimension",
        )


def padding_mode(ctx: NodeContext) -> str:
    """Return ``auto_pad``; raises ConversionError for a value that ONNX does not define."""
    mode = ctx.text("auto_pad", "NOTSET")
    if mode not in _MODES:
        raise ConversionError(f"auto_pad is '{mode}'", hint=f"Use one of {', '.join(_MODES)}")
    return mode


def given_pads(ctx: NodeContext, rank: int) -> list[tuple[int, int]]:
    """Return ``pads`` as ``(low, high)`` for each spatial dimension; raises ConversionError if they do not fit."""
    pads = ctx.integers("pads") or [0] * (2 * rank)
    if len(pads) != 2 * rank or any(pad < 0 for pad in pads):
        raise ConversionError(
            f"pads {pads} does not fit {rank} spatial dimensions",
            hint="Give a number of 0 or more for the start of each spatial dimension, then for the end of each",
        )
    return list(zip(pads[:rank], pads[rank:], strict=True))


_MOST = (1 << 63) - 1
"""The largest integer that an attribute holds."""


def explicit_padding(
    ctx: NodeContext, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[tuple[int, int]]:
    """Return ``(low, high)`` for each spatial dimension; raises ConversionError for wrong attributes."""
    rank, mode = len(sizes), padding_mode(ctx)
    if mode == "VALID":
        return [(0, 0)] * rank
    if mode == "NOTSET":
        return given_pads(ctx, rank)
    pads = [
        same_padding(size, (extent - 1) * dilation + 1, stride, upper=mode == "SAME_UPPER")
        for size, extent, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True)
    ]
    most = max(max(pair) for pair in pads)
    if most > _MOST:
        raise ConversionError(f"dilations {list(dilations)} need {most} elements of padding")
    return pads


def convolved_kernel(ctx: NodeContext, data: Sequence[int], weight: Sequence[int]) -> Sequence[int]:
    """Return the spatial sizes of a convolution's kernel, from the shapes of data and weight.

    Raises ConversionError unless there are 1 to 3 spatial dimensions and ``kernel_shape``, if given, agrees.
    """
    if len(data) != len(weight) or not 3 <= len(data) <= 5:
        raise ConversionError(
            f"input of rank {len(data)} with a kernel of rank {len(weight)}",
            hint="Both have one rank, with 1 to 3 spatial dimensions",
        )
    kernel = list(weight[2:])
    if (ctx.integers("kernel_shape") or kernel) != kernel:
        hint = "Leave kernel_shape out, or give the weight's"
        raise ConversionError(f"kernel_shape differs from the weight's {kernel}", hint=hint)
    return kernel


def kernel_beyond(kernel: Sequence[int], sizes: Sequence[int]) -> ConversionError:
    """Return the error for a kernel larger than the padded input."""
    return ConversionError(
        f"the kernel {list(kernel)} does not fit an input of spatial size {list(sizes)}",
        hint="Check the input's shape, pads and dilations in the model",
    )
