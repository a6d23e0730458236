"""Elements picked along one axis at positions known at conversion: slices where they run evenly, else a gather."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import GatherDimensionNumbers
from qconvert.frontends.onnx.context import NodeContext
from qconvert.ir.types import element_type, i1, quantized, shape
from qconvert.support.errors import ConversionError
from qconvert.support.limits import KNOWN_LIMIT

Run: TypeAlias = tuple[int, int, int]
"""Start, step and number of positions."""

MOST_PIECES = 4
"""Positions that fall into more runs than this are gathered."""


def movable(ctx: NodeContext, index: int = 0) -> SSAValue:
    """An input whose elements may go anywhere: as it is, or its integers where its scales belong to places."""
    value = ctx.carried(index)
    element = quantized(value)
    return value if element is None or element.is_per_tensor else ctx.input(index)


def named_axis(ctx: NodeContext, value: SSAValue, default: int) -> int:
    """The attribute ``axis`` counted from the front; raises ConversionError where the value has no such dimension."""
    axis, rank = ctx.integer("axis", default), len(shape(value))
    if not rank:
        raise ConversionError(f"axis {axis} of a scalar")
    return ctx.axis(axis, rank)


def check_indices(indices: SSAValue) -> SSAValue:
    """The indices themselves; raises ConversionError where they are no integers."""
    element = element_type(indices)
    if not isinstance(element, IntegerType) or element == i1:
        raise ConversionError(f"indices of type {element}")
    return indices


def check_count(count: int) -> int:
    """The count itself; raises ConversionError where a model asks for too many values known at conversion."""
    if count > KNOWN_LIMIT:
        raise ConversionError(
            f"{count} positions would be listed at conversion",
            hint=f"At most {KNOWN_LIMIT} are; check the shapes in the model",
        )
    return count


def take(ctx: NodeContext, value: SSAValue, axis: int, positions: NDArray[Any]) -> SSAValue:
    """``value[..., positions, ...]`` for positions from 0 to the size of the axis, which the caller ensures."""
    size = shape(value)[axis]
    if np.array_equal(positions, np.arange(size)):
        return value
    if not len(positions):
        return taken_run(ctx, value, axis, (0, 1, 0))
    times, rest = divmod(len(positions), max(1, size))
    if not rest and np.array_equal(positions, np.repeat(np.arange(size), times)):
        return repeated(ctx, value, axis, times)
    runs = _few_runs(positions)
    if runs is None:
        return gathered(ctx, value, axis, ctx.constant(positions.astype(np.int64)))
    pieces = [taken_run(ctx, value, axis, run) for run in runs]
    return pieces[0] if len(pieces) == 1 else ctx.emit(stablehlo.ConcatenateOp(pieces, axis))


def _few_runs(positions: NDArray[Any]) -> list[Run] | None:
    """The runs of equal steps that positions consist of, None where there are many."""
    runs: list[Run] = []
    for run in _runs(positions):
        if len(runs) == MOST_PIECES:
            return None
        runs.append(run)
    return runs


def _runs(positions: NDArray[Any]) -> Iterator[Run]:
    """Split into runs of equal steps, each as long as possible from where the last one ended."""
    steps = np.diff(positions)
    at = 0
    while at < len(positions):
        if at == len(steps):
            yield int(positions[at]), 1, 1
            return
        changes = np.flatnonzero(steps[at:] != steps[at])
        end = at + int(changes[0]) + 1 if len(changes) else len(positions)
        yield int(positions[at]), int(steps[at]), end - at
        at = end


def taken_run(ctx: NodeContext, value: SSAValue, axis: int, run: Run) -> SSAValue:
    """One run of positions: a slice, reversed where the step is negative, repeated where it is 0."""
    start, step, count = run
    step = 1 if count == 1 else step
    if count == 0:
        return sliced(ctx, value, axis, (0, 0, 1))
    if step == 0:
        single = sliced(ctx, value, axis, (start, start + 1, 1))
        return ctx.broadcast(single, with_size(shape(value), axis, count))
    if step > 0:
        return sliced(ctx, value, axis, (start, start + (count - 1) * step + 1, step))
    lowest = start + (count - 1) * step
    return ctx.emit(stablehlo.ReverseOp(sliced(ctx, value, axis, (lowest, start + 1, -step)), [axis]))


def sliced(ctx: NodeContext, value: SSAValue, axis: int, bounds: tuple[int, int, int]) -> SSAValue:
    """``start:limit:step`` along one axis, the value itself where that is all of it."""
    sizes = shape(value)
    start, limit, step = bounds
    if bounds == (0, sizes[axis], 1):
        return value
    starts = [start if i == axis else 0 for i in range(len(sizes))]
    limits = [limit if i == axis else size for i, size in enumerate(sizes)]
    steps = [step if i == axis else 1 for i in range(len(sizes))]
    return ctx.emit(stablehlo.SliceOp(value, starts, limits, steps))


def repeated(ctx: NodeContext, value: SSAValue, axis: int, times: int) -> SSAValue:
    """Every element along an axis ``times`` times in a row."""
    sizes = shape(value)
    spread = [*sizes[: axis + 1], times, *sizes[axis + 1 :]]
    kept = [i for i in range(len(spread)) if i != axis + 1]
    wide = ctx.emit(stablehlo.BroadcastInDimOp(value, spread, kept))
    return ctx.reshape(wide, [*sizes[:axis], sizes[axis] * times, *sizes[axis + 1 :]])


def gathered(ctx: NodeContext, value: SSAValue, axis: int, indices: SSAValue) -> SSAValue:
    """Slices of size 1 along an axis, the indices' dimensions in its place; no index may be negative."""
    sizes, rank = shape(value), len(shape(indices))
    offsets = (*range(axis), *range(axis + rank, len(sizes) - 1 + rank))
    numbers = GatherDimensionNumbers(offsets, (axis,), start_index_map=(axis,), index_vector_dim=rank)
    return ctx.emit(stablehlo.GatherOp(value, indices, numbers, with_size(sizes, axis, 1)))


def with_size(sizes: Sequence[int], axis: int, size: int) -> list[int]:
    """The sizes with another one at an axis."""
    return [size if i == axis else old for i, old in enumerate(sizes)]
