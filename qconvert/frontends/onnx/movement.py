"""Operators that only move elements; a quantized tensor stays quantized.

Source: ONNX Transpose-1 to -25, Concat-4 to -13, Split-2 to -18, Slice-1 to -13, Tile-6 and -13, Gather-1 to -13,
GatherElements-11 and -13, DepthToSpace and SpaceToDepth-1 to -28.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection, GatherDimensionNumbers
from qconvert.dialects.tiling import tiled
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.indexing import (
    check_count,
    check_indices,
    movable,
    named_axis,
    sliced,
    take,
    taken_run,
)
from qconvert.ir import element_type, quantized, shape
from qconvert.support.errors import ConversionError


@onnx_op("Transpose")
def transpose(ctx: NodeContext) -> SSAValue:
    """Permute dimensions by ``perm``, by default reversed."""
    value = ctx.carried(0)
    rank = len(shape(value))
    permutation = ctx.integers("perm") or list(reversed(range(rank)))
    element = quantized(value)
    if element is not None and element.is_sub_channel:
        value = ctx.input(0)
    return ctx.transpose(value, permutation)


@onnx_op("Concat", since=4)
def concat(ctx: NodeContext) -> SSAValue:
    """Concatenate inputs; inputs of different quantized types become integers."""
    if not ctx.inputs:
        raise ConversionError("Concat has no inputs", hint="Export the model again")
    values = [movable(ctx, i) for i in range(len(ctx.inputs))]
    if len({element_type(value) for value in values}) > 1:
        values = ctx.all_inputs()
    if len({element_type(value) for value in values}) > 1:
        raise ConversionError(f"inputs of different types {[str(element_type(value)) for value in values]}")
    axis = named_axis(ctx, values[0], 1)
    return values[0] if len(values) == 1 else ctx.emit(stablehlo.ConcatenateOp(values, axis))


@onnx_op("Split", since=2)
def split(ctx: NodeContext) -> list[SSAValue]:
    """Split along an axis into parts of given sizes, else into equal parts of which the last may be smaller."""
    value, outputs = movable(ctx), len(ctx.node.output)
    axis = named_axis(ctx, value, 0)
    size = shape(value)[axis]
    if ctx.integer("num_outputs", outputs) != outputs:
        raise ConversionError(f"num_outputs differs from {outputs}, the number of outputs")
    sizes = ctx.ints_from(1, "split")
    if sizes is None:
        part = -(-size // outputs)
        if ctx.opset < 18 and size % outputs:
            raise ConversionError(f"{size} elements do not split into {outputs} equal parts")
        sizes = [max(0, min(part, size - i * part)) for i in range(outputs)]
    if len(sizes) != outputs or sum(sizes) != size or min(sizes) < 0:
        raise ConversionError(f"parts of {sizes} for {outputs} outputs and a dimension of {size}")
    ends = np.cumsum(sizes).tolist()
    return [sliced(ctx, value, axis, end - part, end) for part, end in zip(sizes, ends, strict=True)]


@onnx_op("Slice")
def slice_(ctx: NodeContext) -> SSAValue:
    """Take ranges with steps along some axes; bounds are clamped, as in numpy."""
    value = movable(ctx)
    rank = len(shape(value))
    starts, ends, axes = ctx.ints_from(1, "starts"), ctx.ints_from(2, "ends"), ctx.ints_from(3, "axes")
    if starts is None or ends is None:
        raise ConversionError("starts or ends are missing")
    axes = list(range(len(starts))) if axes is None else axes
    steps = ctx.constant_ints(4, "steps") or [1] * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise ConversionError(f"starts {starts}, ends {ends}, axes {axes}, steps {steps} differ in number")
    if 0 in steps:
        raise ConversionError("a step is 0")
    ctx.axes(axes, rank)
    if not rank and axes:
        raise ConversionError(f"axes {axes} of a scalar")
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        at = ctx.axis(axis, rank)
        positions = range(*slice(start, end, step).indices(shape(value)[at]))
        value = taken_run(ctx, value, at, (positions.start, step, len(positions)))
    return value


@onnx_op("Tile", since=6)
def tile(ctx: NodeContext) -> SSAValue:
    """Repeat the whole tensor along each dimension."""
    value = movable(ctx)
    sizes, times = shape(value), ctx.constant_ints(1, "repeats") or []
    if len(times) != len(sizes) or any(count < 0 for count in times):
        raise ConversionError(f"repeats {times} for a tensor of rank {len(sizes)}")
    return tiled(value, times, ctx.emit)


@onnx_op("Gather")
def gather(ctx: NodeContext) -> SSAValue:
    """Gather slices along the attribute ``axis``."""
    value = movable(ctx)
    return gathered(ctx, value, named_axis(ctx, value, 0))


def gathered(ctx: NodeContext, value: SSAValue, axis: int) -> SSAValue:
    """Return slices along an axis, which the dimensions of the indices (input 1) replace; negative ones count back."""
    indices, sizes = check_indices(ctx.input(1)), shape(value)
    target = [*sizes[:axis], *shape(indices), *sizes[axis + 1 :]]
    integers = stablehlo.elements_of(indices)
    if integers is None:
        return ctx.gather(value, axis, from_the_front(ctx, indices, sizes[axis]))
    check_count(integers.size)
    outside = (integers < -sizes[axis]) | (integers >= sizes[axis])
    if outside.any():
        raise ConversionError(f"index {integers[outside].flat[0]} is outside a dimension of size {sizes[axis]}")
    positions = np.where(integers < 0, integers + sizes[axis], integers).reshape(-1)
    return ctx.reshape(take(ctx, value, axis, positions), target)


def from_the_front(ctx: NodeContext, indices: SSAValue, size: int) -> SSAValue:
    """Return run-time indices counted from the front; negative ones count from the end."""
    is_negative = ctx.emit(
        stablehlo.CompareOp(indices, ctx.scalar_like(0, indices), ComparisonDirection.LT),
    )
    shifted = ctx.emit(stablehlo.AddOp(indices, ctx.scalar_like(size, indices)))
    return ctx.emit(stablehlo.SelectOp(is_negative, shifted, indices))


@onnx_op("GatherElements", since=11)
def gather_elements(ctx: NodeContext) -> SSAValue:
    """Gather one element for each index; the element's other coordinates are those of the index."""
    value, indices = movable(ctx), check_indices(ctx.input(1))
    rank, axis = len(shape(value)), named_axis(ctx, value, 0)
    if len(shape(indices)) != rank:
        raise ConversionError(f"indices of rank {len(shape(indices))} for a tensor of rank {rank}")
    indices = from_the_front(ctx, indices, shape(value)[axis])
    others = tuple(i for i in range(rank) if i != axis)
    for i in others:
        value = sliced(ctx, value, i, 0, shape(indices)[i])
    numbers = GatherDimensionNumbers(
        collapsed_slice_dims=(axis,),
        operand_batching_dims=others,
        start_indices_batching_dims=others,
        start_index_map=(axis,),
        index_vector_dim=rank,
    )
    return ctx.emit(stablehlo.GatherOp(value, indices, numbers, [1] * rank))


@onnx_op("DepthToSpace")
def depth_to_space(ctx: NodeContext) -> SSAValue:
    """Move blocks of channels to blocks of pixels; the depth is the outermost (CRD) or innermost (DCR) part."""
    value, block = movable(ctx), ctx.integer("blocksize", 0)
    mode = ctx.text("mode", "DCR")
    n, c, h, w = ctx.image(value)
    if mode not in ("DCR", "CRD") or block < 1 or c % (block * block):
        raise ConversionError(f"mode '{mode}' and blocksize {block} for {c} channels")
    depth = c // (block * block)
    if mode == "DCR":
        split_value = ctx.reshape(value, (n, block, block, depth, h, w))
        moved = ctx.transpose(split_value, (0, 3, 4, 1, 5, 2))
    else:
        split_value = ctx.reshape(value, (n, depth, block, block, h, w))
        moved = ctx.transpose(split_value, (0, 1, 4, 2, 5, 3))
    return ctx.reshape(moved, (n, depth, h * block, w * block))


_BLOCK_FIRST = {"DCR": (0, 3, 5, 1, 2, 4), "CRD": (0, 1, 3, 5, 2, 4)}
"""The order in which SpaceToDepth's mode joins the blocks' rows and columns with the channels."""


@onnx_op("SpaceToDepth")
def space_to_depth(ctx: NodeContext) -> SSAValue:
    """Move blocks of pixels to blocks of channels; the original channel is the innermost (DCR) or outermost part (CRD).

    Before opset 28 it is the innermost part.
    """
    value, block = movable(ctx), ctx.integer("blocksize", 0)
    mode = ctx.text("mode", "DCR") if ctx.opset >= 28 else "DCR"
    n, c, h, w = ctx.image(value)
    if mode not in _BLOCK_FIRST or block < 1 or h % block or w % block:
        raise ConversionError(f"mode '{mode}' and blocksize {block} for {h} x {w} pixels")
    split_value = ctx.reshape(value, (n, c, h // block, block, w // block, block))
    moved = ctx.transpose(split_value, _BLOCK_FIRST[mode])
    return ctx.reshape(moved, (n, c * block * block, h // block, w // block))
