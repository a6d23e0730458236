"""GatherND: a gather along one dimension, after the indexed dimensions are flattened to one.

Source: ONNX GatherND-11 to -13.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.indexing import check_count, check_indices, movable, take
from qconvert.frontends.onnx.movement import from_the_front
from qconvert.ir import element_type, numpy_dtype, shape
from qconvert.support.errors import ConversionError


@onnx_op("GatherND", since=11)
def gather_nd(ctx: NodeContext) -> SSAValue:
    """Gather the slice at each position; the last dimension of the indices holds a position's coordinates."""
    value, indices = movable(ctx), check_indices(ctx.input(1))
    sizes, listed, batch = shape(value), shape(indices), ctx.integer("batch_dims", 0)
    count = listed[-1] if listed else 0
    if not 0 <= batch < len(listed) or not 1 <= count <= len(sizes) - batch or sizes[:batch] != listed[:batch]:
        problem = f"indices of shape {list(listed)} with batch_dims {batch} for a tensor of shape {list(sizes)}"
        raise ConversionError(problem, hint="Compare the node with its operator's definition")
    end = batch + count
    _check_coordinates(indices, sizes[batch:end])
    position = _position(ctx, indices, sizes[batch:end])
    if batch:
        position = _among_batches(ctx, position, sizes[:batch], prod(sizes[batch:end]))
    flat = ctx.reshape(value, (prod(sizes[:end]), *sizes[end:]))
    places = stablehlo.elements_of(position)
    if places is None:
        return ctx.gather(flat, 0, position)
    check_count(places.size)
    return ctx.reshape(take(ctx, flat, 0, places.reshape(-1)), (*listed[:-1], *sizes[end:]))


def _check_coordinates(indices: SSAValue, sizes: tuple[int, ...]) -> None:
    """Raise ConversionError if a constant coordinate is outside its dimension; a negative one counts from the end."""
    known, limits = stablehlo.elements_of(indices), np.asarray(sizes)
    if known is not None and ((known < -limits) | (known >= limits)).any():
        raise ConversionError(f"an index is outside the dimensions {list(sizes)}")


def _position(ctx: NodeContext, indices: SSAValue, sizes: tuple[int, ...]) -> SSAValue:
    """Return the place of each position in dimensions of these sizes, counted in row-major order."""
    last = len(shape(indices)) - 1
    total: SSAValue | None = None
    for i, size in enumerate(sizes):
        coordinate = ctx.reshape(ctx.slice(indices, last, i, i + 1), shape(indices)[:-1])
        coordinate = from_the_front(ctx, coordinate, size)
        if total is not None:
            scaled = ctx.emit(stablehlo.MultiplyOp(total, ctx.scalar_like(size, total)))
            coordinate = ctx.emit(stablehlo.AddOp(scaled, coordinate))
        total = coordinate
    assert total is not None
    return total


def _among_batches(ctx: NodeContext, position: SSAValue, batches: tuple[int, ...], size: int) -> SSAValue:
    """Return positions in one batch as positions in all batches of ``size`` slices each."""
    element = element_type(position)
    starts = (np.arange(prod(batches)) * size).astype(numpy_dtype(element))
    placed = starts.reshape(*batches, *(1,) * (len(shape(position)) - len(batches)))
    return ctx.emit(stablehlo.AddOp(position, ctx.broadcast(ctx.constant(placed, element), shape(position))))
