"""Padding: SAME or VALID where an operator can express it, else an operator PAD before it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

import numpy as np
import tflite

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width
from qconvert.dialects.padding import same_padding
from qconvert.dialects.stablehlo import ConvolutionWindow, MaximumOp, neutral_element

_NONE = ((0, 0), (0, 0))


class Filling(Enum):
    """The elements that a window finds beside the image.

    SAME of an operator is zeros for convolutions, and none for pools: a maximum of the others, a mean of fewer. A mean
    that counts zeros needs them in the image.
    """

    ZERO = auto()
    LOWEST = auto()
    COUNTED_ZERO = auto()


def padded(
    write: Writer,
    image: Tensor,
    window: ConvolutionWindow,
    kernel: Sequence[int],
    filling: Filling = Filling.ZERO,
) -> tuple[Tensor, int]:
    """Return the image, padded or cropped where the window asks for that, and the Padding of the operator on it."""
    padding = needed(image.shape[1:3], window, kernel)
    if padding == _NONE:
        return image, tflite.Padding.VALID
    if padding == _same(image.shape[1:3], window, kernel) and filling is not Filling.COUNTED_ZERO:
        return image, tflite.Padding.SAME
    value = _lowest(write, image) if filling is Filling.LOWEST else None
    return pad(write, image, ((0, 0), *padding, (0, 0)), value), tflite.Padding.VALID


def _lowest(write: Writer, image: Tensor) -> Tensor:
    """Return the scalar that a maximum ignores."""
    value = neutral_element(MaximumOp, image.element)
    return write.constant(np.asarray(value), image.element, f"{image.name}_lowest")


def needed(sizes: Sequence[int], window: ConvolutionWindow, kernel: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the padding without the elements behind the last window."""
    found = []
    for size, (low, high), taps, stride, dilation in zip(
        sizes, window.padding, kernel, window.strides, window.rhs_dilation, strict=True
    ):
        reach = (taps - 1) * dilation + 1
        behind = high - (size + low + high - reach) % stride
        found.append((low, 0 if low == 0 and -stride < behind < 0 else behind))  # VALID leaves a part of a step out
    same = _same(sizes, window, kernel)
    return same if all(_alike(*pair) for pair in zip(found, same, strict=True)) else tuple(found)


def is_same(sizes: Sequence[int], window: ConvolutionWindow, kernel: Sequence[int]) -> bool:
    """Return True if a window's padding is that of SAME."""
    return needed(sizes, window, kernel) == _same(sizes, window, kernel)


def _alike(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return True if paddings are equal, or both have no elements that a window covers."""
    return one == other or (one[0] == other[0] == 0 and max(one[1], other[1]) <= 0)


def _same(sizes: Sequence[int], window: ConvolutionWindow, kernel: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple(
        same_padding(size, (taps - 1) * dilation + 1, stride)
        for size, taps, stride, dilation in zip(sizes, kernel, window.strides, window.rhs_dilation, strict=True)
    )


def pad(
    write: Writer,
    tensor: Tensor,
    padding: Sequence[tuple[int, int]],
    value: Tensor | None = None,
    output: Tensor | None = None,
) -> Tensor:
    """Write SLICE for negative padding, PADV2 for positive one, or PAD, which adds zeros (integers: the zero point)."""
    pads = [(max(0, low), max(0, high)) for low, high in padding]
    crops = [(max(0, -low), max(0, -high)) for low, high in padding]
    if not np.any(pads):
        return cropped(write, tensor, crops, output)
    tensor = cropped(write, tensor, crops)
    sizes = [size + sum(pair) for size, pair in zip(tensor.shape, pads, strict=True)]
    amounts = write.integers(np.asarray(pads), "pads")
    made = output or write.derived(tensor, "padded", sizes)
    version = by_width(made, 2, 3)
    if value is None:
        options = Options("PadOptions")
        return write.operator(tflite.BuiltinOperator.PAD, [tensor, amounts], made, options, version=version)
    inputs, options = [tensor, amounts, value], Options("PadV2Options")
    return write.operator(tflite.BuiltinOperator.PADV2, inputs, made, options, version=version)


def cropped(write: Writer, tensor: Tensor, crops: Sequence[tuple[int, int]], output: Tensor | None = None) -> Tensor:
    """Write SLICE, or RESHAPE to an output if there is nothing to remove."""
    if not np.any(list(crops)):
        return write.reshape(tensor, tensor.shape, output)
    begins = [low for low, _ in crops]
    sizes = [size - sum(pair) for size, pair in zip(tensor.shape, crops, strict=True)]
    made = output or write.derived(tensor, "cropped", sizes)
    inputs = [tensor, write.integers(begins, "begin"), write.integers(sizes, "size")]
    version = by_width(made, 2, 4)
    return write.operator(tflite.BuiltinOperator.SLICE, inputs, made, Options("SliceOptions"), version=version)
