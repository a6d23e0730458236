"""``scatter``: updates of different elements are combined together, updates of one element in sequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert.dialects.stablehlo.scatter import ScatterDimensionNumbers, ScatterOp
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.movement import batch_shape, start_positions
from qconvert.interpreter.reduction import Arrays, as_accumulator, run_region
from qconvert.ir import tensor


@implements(ScatterOp)
def scatter(op: ScatterOp, operands: Sequence[Array]) -> Arrays:
    """Combine updates in row-major order; updates outside the operand are dropped."""
    count = len(op.inputs)
    arguments = op.update_computation.block.args
    values = [*operands[:count], *operands[count + 1 :]]
    sources = [*op.inputs, *op.updates]
    converted = [
        as_accumulator(array, tensor(value), tensor(argument))
        for array, value, argument in zip(values, sources, arguments, strict=True)
    ]
    results = [array.copy() for array in converted[:count]]
    updates = [array.reshape(-1) for array in converted[count:]]
    targets = _targets(op.numbers, results[0].shape, operands[count], operands[count + 1].shape)
    inside = np.flatnonzero(targets >= 0)
    for chosen in _rounds(targets[inside]):
        picked = inside[chosen]
        at = np.unravel_index(targets[picked], results[0].shape)
        found = [*(result[at] for result in results), *(update[picked] for update in updates)]
        for result, combined in zip(results, run_region(op.update_computation, found), strict=True):
            result[at] = combined
    return tuple(results)


def _targets(numbers: ScatterDimensionNumbers, shape: Sequence[int], indices: Array, updates: Sequence[int]) -> Array:
    """Return the flat index of each update's element, in row-major order of updates; -1 outside the operand."""
    gather = numbers.as_gather
    batch, windows = batch_shape(indices, gather), [updates[i] for i in numbers.update_window_dims]
    starts = start_positions(indices, gather)
    offsets = iter(range(len(windows)))
    flat: Array = np.zeros((*batch, *windows), np.int64)
    inside: Array = np.ones((*batch, *windows), np.bool_)
    for dimension, extent in enumerate(shape):
        index = starts.get(dimension, np.zeros(batch, np.int64)).reshape((*batch, *(1 for _ in windows)))
        if dimension not in numbers.absent:
            at = next(offsets)
            index = index + np.arange(windows[at]).reshape([-1 if i == at else 1 for i in range(len(windows))])
        inside = inside & (index >= 0) & (index < extent)
        flat = flat * extent + index
    scattered = [i for i in range(len(updates)) if i not in numbers.update_window_dims]
    placed = np.where(inside, flat, -1).transpose(np.argsort([*scattered, *numbers.update_window_dims]))
    return placed.reshape(-1)


def _rounds(targets: Array) -> list[Array]:
    """Return positions in ``targets`` in rounds without duplicates: round ``k`` has the ``k``-th of each target."""
    order = np.argsort(targets, kind="stable")
    ordered = targets[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    occurrence = np.arange(len(ordered)) - np.repeat(starts, np.diff(starts, append=len(ordered)))
    by_round = np.argsort(occurrence, kind="stable")
    sizes = np.bincount(occurrence)
    return np.split(order[by_round], np.cumsum(sizes)[:-1]) if len(ordered) else []
