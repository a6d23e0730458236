"""Windows over arrays as views, for convolutions and pools. Only padding copies elements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.lib.stride_tricks import as_strided

from qconvert.interpreter.implementation import Array


def padded(
    array: Array,
    padding: Sequence[tuple[int, int]],
    dilations: Sequence[int],
    fill: Array,
    dtype: np.dtype[np.generic] | None = None,
) -> Array:
    """Return ``array`` with ``dilations[d] - 1`` gaps between neighbours, and edges added or (negative) cropped.

    Gaps and edges have the scalar value ``fill``. The array itself is returned if nothing changes.
    """
    dtype = dtype or array.dtype
    if not any(low or high for low, high in padding) and all(step == 1 for step in dilations):
        return array.astype(dtype, copy=False)
    spread = [max(0, (size - 1) * step + 1) for size, step in zip(array.shape, dilations, strict=True)]
    shape = [size + low + high for size, (low, high) in zip(spread, padding, strict=True)]
    result = np.full(shape, fill, dtype)
    placed = [
        _placed(size, low, extent, step)
        for size, (low, _), extent, step in zip(array.shape, padding, shape, dilations, strict=True)
    ]
    result[tuple(target for target, _ in placed)] = array[tuple(source for _, source in placed)]
    return result


def _placed(size: int, low: int, extent: int, step: int) -> tuple[slice, slice]:
    """Return the positions ``low + i * step`` inside ``extent``, and their indices ``i``, as slices."""
    first = max(0, -(low // step))
    last = min(size, (extent - low + step - 1) // step)
    if first >= last:
        return slice(0, 0), slice(0, 0)
    start = low + first * step
    return slice(start, start + (last - first - 1) * step + 1, step), slice(first, last)


def taps(
    array: Array, size: Sequence[int], strides: Sequence[int], dilations: Sequence[int], result: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Yield each position in a window over the leading dimensions, with the view of the elements at that position."""
    for position in product(*map(range, size)):
        view = tuple(
            slice(at * dilation, at * dilation + (extent - 1) * stride + 1, stride)
            for at, dilation, extent, stride in zip(position, dilations, result, strides, strict=True)
        )
        yield position, array[view]


def windows(
    array: Array, size: Sequence[int], strides: Sequence[int], dilations: Sequence[int], first: int = 0
) -> Array:
    """Return a view of all windows over the dimensions from ``first`` on: ``size`` follows as trailing dimensions.

    A window must fit at least once; otherwise the view would leave the array.
    """
    shape, steps = list(array.shape), list(array.strides)
    for axis, (extent, stride, dilation) in enumerate(zip(size, strides, dilations, strict=True), first):
        shape[axis] = (array.shape[axis] - (extent - 1) * dilation - 1) // stride + 1
        steps[axis] *= stride
        shape.append(extent)
        steps.append(array.strides[axis] * dilation)
    return as_strided(array, shape, steps, writeable=False)


def slabs(batch: int, rows: int, row_elements: int, budget: int) -> Iterator[tuple[slice, slice]]:
    """Yield parts of ``batch`` images of ``rows`` rows with at most ``budget`` elements: images, or else rows."""
    row_elements = max(1, row_elements)
    images = budget // (row_elements * max(1, rows))
    if images:
        yield from ((slice(n, n + images), slice(None)) for n in range(0, batch, images))
        return
    step = max(1, math.floor(budget / row_elements))
    yield from ((slice(n, n + 1), slice(r, r + step)) for n in range(batch) for r in range(0, rows, step))
