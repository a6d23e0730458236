"""Selection of elements along one axis at positions known at conversion: slices for even runs, else a gather."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.context import with_size
from qconvert.frontends.onnx.context import NodeContext
from qconvert.ir import element_type, i1, quantized, shape
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget, exceeded

Run: TypeAlias = tuple[int, int, int]
"""Start, step and number of positions."""

MOST_PIECES = 4
"""The largest number of slices; positions that need more are gathered."""


def movable(ctx: NodeContext, index: int = 0) -> SSAValue:
    """Return an input whose elements may move anywhere.

    A value with several scales is returned as integers, because each scale belongs to a position.
    """
    value = ctx.carried(index)
    element = quantized(value)
    return value if element is None or element.is_per_tensor else ctx.input(index)


def named_axis(ctx: NodeContext, value: SSAValue, default: int) -> int:
    """Return the attribute ``axis`` counted from the front; raises ConversionError if the value lacks the dimension."""
    axis, rank = ctx.integer("axis", default), len(shape(value))
    if not rank:
        raise ConversionError(f"axis {axis} of a scalar")
    return ctx.axis(axis, rank)


def check_indices(indices: SSAValue) -> SSAValue:
    """Return the indices; raises ConversionError if they are not integers."""
    element = element_type(indices)
    if not isinstance(element, IntegerType) or element == i1:
        raise ConversionError(f"indices of type {element}")
    return indices


def check_count(count: int) -> int:
    """Return the count; raises ConversionError if the model needs too many positions at conversion."""
    if count > budget().listed:
        raise exceeded("listed", f"{count} positions would be listed at conversion")
    return count


def take(ctx: NodeContext, value: SSAValue, axis: int, positions: NDArray[Any]) -> SSAValue:
    """Return ``value[..., positions, ...]``; the caller ensures that positions are inside the axis."""
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
        return ctx.gather(value, axis, ctx.constant(positions.astype(np.int64)))
    pieces = [taken_run(ctx, value, axis, run) for run in runs]
    return pieces[0] if len(pieces) == 1 else ctx.emit(stablehlo.ConcatenateOp(pieces, axis))


def _few_runs(positions: NDArray[Any]) -> list[Run] | None:
    """Return the runs of equal steps that positions consist of, or None if there are too many."""
    runs: list[Run] = []
    for run in _runs(positions):
        if len(runs) == MOST_PIECES:
            return None
        runs.append(run)
    return runs


def _runs(positions: NDArray[Any]) -> Iterator[Run]:
    """Split positions into runs of equal steps, each as long as possible.

    Where positions turn into neighbours, the element there belongs to the neighbours: between borders, they are the
    whole value.
    """
    steps = np.diff(positions)
    at = 0
    while at < len(positions):
        if at == len(steps):
            yield int(positions[at]), 1, 1
            return
        changes = np.flatnonzero(steps[at:] != steps[at])
        end = at + int(changes[0]) + 1 if len(changes) else len(positions)
        if end < len(positions) and steps[end - 1] == 1:
            end -= 1
        yield int(positions[at]), int(steps[at]), end - at
        at = end


def taken_run(ctx: NodeContext, value: SSAValue, axis: int, run: Run) -> SSAValue:
    """Return the elements of one run: a slice, reversed for a negative step, repeated for a step of 0."""
    start, step, count = run
    step = 1 if count == 1 else step
    if count == 0:
        return sliced(ctx, value, axis, 0, 0)
    if step == 0:
        single = sliced(ctx, value, axis, start, start + 1)
        return ctx.broadcast(single, with_size(shape(value), axis, count))
    if step > 0:
        return sliced(ctx, value, axis, start, start + (count - 1) * step + 1, step)
    lowest = start + (count - 1) * step
    return ctx.emit(stablehlo.ReverseOp(sliced(ctx, value, axis, lowest, start + 1, -step), [axis]))


def sliced(ctx: NodeContext, value: SSAValue, axis: int, start: int, limit: int, step: int = 1) -> SSAValue:
    """Return ``start:limit:step`` along one axis; a value that is taken whole is returned unchanged."""
    if (start, limit, step) == (0, shape(value)[axis], 1):
        return value
    return ctx.slice(value, axis, start, limit, step)


def repeated(ctx: NodeContext, value: SSAValue, axis: int, times: int) -> SSAValue:
    """Repeat every element along an axis ``times`` times in a row."""
    sizes = shape(value)
    spread = [*sizes[: axis + 1], times, *sizes[axis + 1 :]]
    dimensions = [i for i in range(len(spread)) if i != axis + 1]
    wide = ctx.emit(stablehlo.BroadcastInDimOp(value, spread, dimensions))
    return ctx.reshape(wide, with_size(sizes, axis, sizes[axis] * times))
