"""The kinds of faults, and what they do to arrays."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

FACTOR = 1.5
CHANNELS = (1, 3)
"""The channel whose parameters change; with the other one it is exchanged."""


class Kind(StrEnum):
    """What is wrong in the file; the value is the name of the method that plants it."""

    SCALE = "channel_scale"
    """The scale of the weights of one channel, or of all of them where they have one scale."""
    TENSOR_SCALE = "tensor_scale"
    """The scale of the result."""
    ZERO_POINT = "zero_point"
    """The zero point of the result."""
    BIAS = "bias"
    WEIGHT = "one_weight"
    SWAPPED = "swapped_channels"
    TRANSPOSED = "transposed_weights"
    PAD = "pads"
    POOL = "pool_stride"
    CLAMP = "clamp_bound"
    RELU = "dropped_relu"
    OPERANDS = "swapped_operands"
    SHIFT = "shift"
    """The shift of a RESCALE is off by one."""
    TABLE = "table"
    """The entries of a table stand one place too far."""


class Planted(Protocol):
    """A file that faults are planted in: it has methods with the names of kinds, which take the name of a layer.

    Each returns the names that the file itself gives to the operator that it changed.
    """

    def content(self) -> bytes:
        """Return the file."""


class NoPlaceError(Exception):
    """A file has no operator, or no parameter of it, in which a kind of fault could be."""


def with_scaled_channel(scales: Array) -> Array:
    """Return scales with that of one channel, or the only one, changed."""
    place = CHANNELS[0] if scales.size > 1 else 0
    flat = scales.reshape(-1).copy()
    flat[place] *= FACTOR
    return flat.reshape(scales.shape)


def with_moved_bias(bias: Array) -> Array:
    """Return a bias with one channel's number changed by as much as the largest of all."""
    moved = bias.copy()
    moved.reshape(-1)[CHANNELS[0]] += max(100, int(np.abs(bias).max()))
    return moved


def with_other_weight(weights: Array) -> Array:
    """Return weights with the largest of them at the other end of the integers."""
    changed = weights.copy()
    place = int(np.abs(weights.astype(np.int64)).argmax())
    changed.reshape(-1)[place] = -64 if weights.reshape(-1)[place] > 0 else 64
    return changed


def with_swapped_channels(weights: Array, axis: int) -> Array:
    """Return weights with the slices of two channels exchanged."""
    order = np.arange(weights.shape[axis])
    order[list(CHANNELS)] = order[list(CHANNELS[::-1])]
    return np.take(weights, order, axis)


def transposed(weights: Array, axes: tuple[int, int]) -> Array:
    """Return weights with two dimensions exchanged, which have one size."""
    if weights.shape[axes[0]] != weights.shape[axes[1]] or weights.shape[axes[0]] == 1:
        raise NoPlaceError(f"weights of the shape {weights.shape} change theirs")
    return np.asarray(weights.swapaxes(*axes), order="C")


def window_of_stride_1(size: int, result: int) -> int:
    """Return the window that makes ``result`` elements of ``size`` at a stride of 1."""
    return size - result + 1
