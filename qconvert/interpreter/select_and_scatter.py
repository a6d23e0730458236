"""``select_and_scatter``: one step for each position in the window, then one for each element that shares a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from qconvert.dialects.stablehlo.select_and_scatter import SelectAndScatterOp
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.reduction import accumulators, combine, converted_results, run_region
from qconvert.interpreter.schedule import Schedule, Shape, chosen
from qconvert.interpreter.sliding import padded, taps
from qconvert.ir import shape
from qconvert.support.errors import ConversionError

Masked: TypeAlias = tuple[Array, Array]
"""Accumulators, and a mask that is True where an accumulator exists."""


@implements(SelectAndScatterOp)
def select_and_scatter(op: SelectAndScatterOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Scatter the source to the selected elements, and combine elements of one target with an initial value."""
    (source,), (initial,) = accumulators(op, operands[1:])
    chosen_at = _chosen_elements(op, operands[0])
    leaves = _leaves(source.reshape(-1), chosen_at.reshape(-1), operands[0].size)
    everywhere = np.ones(operands[0].size, np.bool_)
    start = (np.broadcast_to(initial, operands[0].size), everywhere)
    result = _combined(op, leaves, start)[0].reshape(operands[0].shape)
    return converted_results(op, (result,))


def _chosen_elements(op: SelectAndScatterOp, operand: Array) -> Array:
    """Return the index of the element that ``select`` chooses in each window; padding is never chosen."""
    window, extents = op.window, shape(op.source)
    fill = np.zeros((), operand.dtype)
    places = np.arange(operand.size).reshape(operand.shape)
    values = padded(operand, window.padding, window.base_dilations, fill)
    indices = padded(places, window.padding, window.base_dilations, np.asarray(-1))
    best, at = np.full(extents, fill), np.full(extents, -1)
    views = [taps(array, window.size, window.strides, window.dilations, extents) for array in (values, indices)]
    for (_, value), (_, index) in zip(*views, strict=True):
        keeps = run_region(op.select, (best, value))[0]
        takes = (index >= 0) & ((at < 0) | ~keeps)
        best, at = np.where(takes, value, best), np.where(takes, index, at)
    if (at < 0).any():
        raise ConversionError("a window contains only padding, so that no element can be selected")
    return at


def _leaves(source: Array, targets: Array, size: int) -> list[Masked]:
    """Return the first source element of every target, then the second of targets with two, and so on."""
    order = np.argsort(targets, kind="stable")
    ordered = targets[order]
    first = np.searchsorted(ordered, ordered)
    turn = np.arange(len(ordered)) - first
    leaves = []
    for k in range(int(turn.max(initial=-1)) + 1):
        values, present = np.zeros(size, source.dtype), np.zeros(size, np.bool_)
        taken = order[turn == k]
        values[targets[taken]], present[targets[taken]] = source[taken], True
        leaves.append((values, present))
    return leaves


def _combined(op: SelectAndScatterOp, leaves: list[Masked], start: Masked) -> Masked:
    schedule = chosen() or Schedule(Shape.LEFT)
    if op.is_left_to_right and schedule.shape is not Shape.LEFT:
        raise ConversionError("elements and accumulators of different types are combined from left to right only")

    def meet(left: Masked, right: Masked) -> Masked:
        pair = ((right[0],), (left[0],)) if op.is_left_to_right else ((left[0],), (right[0],))
        (both,) = combine(op, *pair)
        only = np.where(left[1], left[0], right[0].astype(left[0].dtype))
        return np.where(left[1] & right[1], both, only), left[1] | right[1]

    return schedule.run(leaves, start, meet)
