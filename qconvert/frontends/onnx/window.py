"""Pools: ``reduce_window`` with a maximum, or with a sum divided by the number of elements.

Source: ONNX MaxPool-1 to -12, AveragePool-1 to -19, GlobalAveragePool-1, GlobalMaxPool-1. onnxruntime defines the
last window of ``ceil_mode``, which these leave open.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.indexing import check_count
from qconvert.frontends.onnx.padding import check_spatial, explicit_padding, kernel_beyond, spatial_list
from qconvert.frontends.onnx.reduction import comparable, reduced_mean, reduced_with
from qconvert.frontends.reduction import pooled
from qconvert.ir import element_type, numpy_dtype, shape
from qconvert.support.errors import ConversionError


class PoolWindow(NamedTuple):
    """A pool over spatial dimensions. ``padding`` is the model's; ``extents`` are the sizes of the result."""

    sizes: tuple[int, ...]
    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    padding: list[tuple[int, int]]
    extents: list[int]

    def window(self) -> stablehlo.Window:
        """Return the window over all dimensions; the padding at the end is what the last window needs."""
        ends = zip(self.sizes, self.kernel, self.strides, self.dilations, self.padding, self.extents, strict=True)
        padding = [
            (pads[0], max(0, (extent - 1) * stride + (kernel - 1) * dilation + 1 - size - pads[0]))
            for size, kernel, stride, dilation, pads, extent in ends
        ]
        return stablehlo.Window.of(
            (1, 1, *self.kernel),
            strides=(1, 1, *self.strides),
            dilations=(1, 1, *self.dilations),
            padding=((0, 0), (0, 0), *padding),
        )

    def counts(self, *, with_padding: bool) -> NDArray[np.int64]:
        """Return the number of elements under each window: of the tensor, or of the tensor and the model's padding.

        Raises ConversionError if there are too many windows to list.
        """
        check_count(math.prod(self.extents))
        total = np.ones((), np.int64)
        for i, size in enumerate(self.sizes):
            low, high = self.padding[i]
            starts = np.arange(self.extents[i]) * self.strides[i] - low
            first, last = (-low, size + high) if with_padding else (0, size)
            # the kernel's elements before the first and before the last counted position
            before, up_to = (
                np.clip(-((starts - bound) // self.dilations[i]), 0, self.kernel[i]) for bound in (first, last)
            )
            total = np.multiply.outer(total, up_to - before)
        return total


def _pool(ctx: NodeContext, value: SSAValue) -> PoolWindow:
    """Read the attributes that all pools share."""
    sizes = shape(value)[2:]
    rank = len(sizes)
    kernel = ctx.integers("kernel_shape")
    if kernel is None or not 1 <= rank <= 3:
        raise ConversionError(
            f"a pool over an input of rank {rank + 2} with the kernel {kernel}",
            hint="A pool has a kernel_shape and 1 to 3 spatial dimensions",
        )
    strides, dilations = spatial_list(ctx, "strides", rank), spatial_list(ctx, "dilations", rank)
    check_spatial("kernel_shape", kernel, rank)
    padding = explicit_padding(ctx, sizes, kernel, strides, dilations)
    if ctx.text("auto_pad", "NOTSET").startswith("SAME") and max(dilations) > 1:
        raise ConversionError(
            "ONNX and onnxruntime pad a dilated pool with auto_pad differently",
            hint="Give explicit pads instead",
        )
    ceil = bool(ctx.integer("ceil_mode", 0))
    extents = [
        pooled_size(size, (extent - 1) * dilation + 1, stride, pads, ceil=ceil)
        for size, extent, dilation, stride, pads in zip(sizes, kernel, dilations, strides, padding, strict=True)
    ]
    if any(extent < 1 for extent in extents):
        raise kernel_beyond(kernel, sizes)
    return PoolWindow(sizes, kernel, strides, dilations, padding, extents)


def pooled_size(size: int, reach: int, stride: int, pads: tuple[int, int], *, ceil: bool) -> int:
    """Return the number of windows along one dimension; with ``ceil`` the last one may reach beyond the end.

    A last window that starts after the tensor and the padding before it is dropped.
    """
    room = size + sum(pads) - reach
    if not ceil:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + pads[0] else count


@onnx_op("MaxPool")
def max_pool(ctx: NodeContext) -> SSAValue:
    """Return the maximum under each window, also of quantized values; the output Indices is not supported."""
    ctx.ignore("storage_order")  # the order of the output Indices
    value = comparable(ctx)
    return pooled(ctx, stablehlo.MaximumOp, value, _pool(ctx, value).window())


@onnx_op("AveragePool")
def average_pool(ctx: NodeContext) -> SSAValue:
    """Return the sum under each window divided by its number of elements."""
    return averaged(ctx)


def averaged(ctx: NodeContext, *, counts_beyond: bool = False) -> SSAValue:
    """Return averages. ``counts_beyond``: with the padding, what ``ceil_mode`` adds behind it counts as well."""
    value = ctx.require_float(ctx.input(0))
    pool = _pool(ctx, value)
    element = element_type(value)
    total = pooled(ctx, stablehlo.AddOp, value, pool.window())
    with_padding = bool(ctx.integer("count_include_pad", 0))
    counts = pool.counts(with_padding=with_padding)
    if with_padding and counts_beyond:
        counts = np.full_like(counts, math.prod(pool.kernel))
    if (counts == counts.flat[0]).all():
        divisor = ctx.scalar_like(float(counts.flat[0]), total)
    else:
        divisor = ctx.broadcast(ctx.constant(counts.astype(numpy_dtype(element)), element), shape(total))
    return ctx.emit(stablehlo.DivideOp(total, divisor))


def _spatial(value: SSAValue) -> list[int]:
    rank = len(shape(value))
    if rank < 3 or not math.prod(shape(value)[2:]):
        raise ConversionError(f"a global pool over an input of shape {list(shape(value))}")
    return list(range(2, rank))


@onnx_op("GlobalAveragePool")
def global_average_pool(ctx: NodeContext) -> SSAValue:
    """Return the mean over all spatial dimensions."""
    value = ctx.require_float(ctx.input(0))
    return reduced_mean(ctx, value, _spatial(value), keep=True)


@onnx_op("GlobalMaxPool")
def global_max_pool(ctx: NodeContext) -> SSAValue:
    """Return the maximum over all spatial dimensions."""
    value = comparable(ctx)
    return reduced_with(ctx, stablehlo.MaximumOp, value, _spatial(value), keep=True)
