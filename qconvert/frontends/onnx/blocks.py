"""Constant weights with scales that a quantized type cannot have: below 0, 0, and of a last block that is not full.

They are written again as integers of the same storage type with scales above 0. Every dequantized number stays.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.onnx.context import NodeContext
from qconvert.ir import Held, Storage, array_of, element_type, shape
from qconvert.support.limits import check_shape

Array = NDArray[Any]


class Weight(NamedTuple):
    """Storage integers with their scales and zero points, whose sizes are 1, the integers', or numbers of blocks."""

    integers: Array
    scales: Array
    zero_points: Array

    def positive(self, storage: Storage) -> Weight:
        """Return the same numbers with scales above 0.

        ``(q - z) * s`` is ``(~q - ~z) * -s``, where ``~`` reflects the storage's range: a negative scale keeps the
        storage type. Where the scale is 0, the integers become the zero point.
        """
        negative, nothing = self.scales < 0, self.scales == 0
        mirror = storage.minimum + storage.maximum
        zero_points = np.where(negative, mirror - self.zero_points.astype(np.int64), self.zero_points)
        integers = np.where(self._whole(negative), mirror - self.integers.astype(np.int64), self.integers)
        integers = np.where(self._whole(nothing), self._whole(zero_points), integers)
        scales = np.where(nothing, 1, np.abs(self.scales)).astype(self.scales.dtype)
        return Weight(integers.astype(self.integers.dtype), scales, zero_points.astype(self.zero_points.dtype))

    def _whole(self, parameters: Array) -> Array:
        """Return parameters repeated for each integer of their block."""
        for i, (size, count) in enumerate(zip(self.integers.shape, parameters.shape, strict=True)):
            if count not in (1, size):
                parameters = np.repeat(parameters, size // count, i)
        return parameters


def with_plain_scales(ctx: NodeContext, array: Held, storage: Storage) -> NodeContext:
    """Return the context of a DequantizeLinear whose constant weight has positive scales and full blocks."""
    scale, rank, block_size = ctx.constant_value(1, "the scale"), array.ndim, ctx.integer("block_size", 0)
    axis = ctx.axis(ctx.integer("axis", 1), rank) if block_size or scale.size > 1 else 0
    is_partial = bool(block_size and rank and array.shape[axis] % block_size)
    if not is_partial and (scale > 0).all():
        return ctx
    zero_point = ctx.constant_value(2, "the zero point") if ctx.has(2) else np.zeros(scale.shape, array.dtype)
    placed = scale.shape if block_size else tuple(scale.size if i == axis else 1 for i in range(rank))
    sizes = tuple(-(-size // block_size) if i == axis and block_size else size for i, size in enumerate(array.shape))
    fits = len(placed) == rank and all(count in (1, size) for count, size in zip(placed, sizes, strict=True))
    if block_size < 0 or not fits or zero_point.size != scale.size or not np.isfinite(scale).all():
        return ctx  # refused where the type is made
    integers = with_full_blocks(array_of(array), axis, block_size or 1)
    weight = Weight(integers, scale.reshape(placed), zero_point.reshape(placed)).positive(storage)
    element = element_type(ctx.carried(0))
    inputs: list[SSAValue | None] = [
        ctx.constant(weight.integers, element),
        ctx.constant(weight.scales.reshape(scale.shape)),
        ctx.constant(weight.zero_points.reshape(scale.shape), element),
    ]
    return replace(ctx, inputs=inputs)


def with_full_blocks(array: Array, axis: int, block_size: int) -> Array:
    """Return an array whose size along an axis is a multiple of the block's size; zeros are added at the end."""
    missing = [-size % block_size if i == axis else 0 for i, size in enumerate(array.shape)]
    if not any(missing):
        return array
    check_shape([size + count for size, count in zip(array.shape, missing, strict=True)])
    return np.pad(array, [(0, count) for count in missing])


def cut_to(ctx: NodeContext, value: SSAValue, sizes: tuple[int, ...]) -> SSAValue:
    """Return the leading elements of a value along each dimension."""
    if shape(value) == sizes:
        return value
    return ctx.emit(stablehlo.SliceOp(value, [0] * len(sizes), sizes, [1] * len(sizes)))
