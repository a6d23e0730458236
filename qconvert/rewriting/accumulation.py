"""Bounds on the integer sums of a contraction."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import ACCUMULATOR, UniformQuantizedType, shape
from qconvert.rewriting.constants import constant_of

Contraction: TypeAlias = stablehlo.ConvolutionOp | stablehlo.DotGeneralOp

INT32_LIMIT = ACCUMULATOR.maximum

_SLAB = 1 << 20
"""Number of elements of a weight that are read at once. A copy of a large weight would double its memory."""


def magnitude(element: UniformQuantizedType) -> int:
    """Return the largest distance of a storage integer from its zero point."""
    zero_points = element.zero_points
    return max(int(zero_points.max()) - element.storage.minimum, element.storage.maximum - int(zero_points.min()))


def products_summed(op: Contraction) -> int:
    """Return the number of products that are summed for one element of the result."""
    sizes = shape(op.rhs)
    return math.prod(size for i, size in enumerate(sizes) if i not in _kept_dimensions(op))


def _kept_dimensions(op: Contraction) -> tuple[int, ...]:
    """Return the dimensions of rhs that are not summed."""
    numbers = op.numbers
    if isinstance(numbers, stablehlo.ConvDimensionNumbers):
        return (numbers.kernel_output_feature,)
    return (*numbers.rhs_batching_dimensions, *numbers.rhs_free(len(shape(op.rhs))))


def accumulator_bound(
    op: Contraction, lhs: UniformQuantizedType, weights: SSAValue, rhs: UniformQuantizedType, limit: int = INT32_LIMIT
) -> int:
    """Return the largest magnitude that a sum of ``op`` can reach.

    The operands hold integers of the type ``lhs``, and ``weights`` of the type ``rhs``. The elements of constant
    weights are read only if the types alone do not keep the sum within ``limit``.
    """
    bound = magnitude(lhs) * magnitude(rhs) * products_summed(op)
    constant = constant_of(weights)
    if bound <= limit or constant is None:
        return bound
    return magnitude(lhs) * _l1_norm(constant.array, rhs, _kept_dimensions(op))


def _l1_norm(array: NDArray[Any], element: UniformQuantizedType, kept: tuple[int, ...]) -> int:
    """Return the largest sum of ``|w - zero_point|`` over the elements that one element of the result sums."""
    last = range(array.ndim - len(kept), array.ndim)
    zero_points = np.broadcast_to(element.broadcast(element.zero_points, array.shape), array.shape)
    columns = math.prod(array.shape[i] for i in kept)
    rows, offsets = (np.moveaxis(values, kept, last).reshape(-1, columns) for values in (array, zero_points))
    total = np.zeros(columns, np.int64)
    slab = max(1, _SLAB // max(1, columns))
    for start in range(0, len(rows), slab):
        part = slice(start, start + slab)
        total += np.abs(rows[part].astype(np.int64) - offsets[part]).sum(axis=0)
    return int(total.max(initial=0))
