"""The check that sums stay within the integers of LiteRT's kernels, which wrap around beyond them.

Sums of 8-bit integers have 32 bits. A factor of 1 or more is a shift to the left, in 32 bits as well. Sums of 16-bit
integers have 64 bits, of which the requantization takes 48, and their result has 32 bits before it is clamped.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert.ir import Held, UniformQuantizedType, slabs_of
from qconvert.support.errors import ConversionError

_SUM, _WIDE_SUM = 1 << 31, 1 << 47


def check_total(count: int, element: UniformQuantizedType, factor: float = 0.0) -> None:
    """Raise ConversionError where ``count`` integers of a type, or their sum times a factor, may leave 32 bits.

    LiteRT adds the stored integers, and subtracts zero points from the sum.
    """
    stored = max(element.storage.maximum, -element.storage.minimum)
    _check(np.asarray([count * max(stored, element.largest_distance)]), np.asarray([factor]), _SUM)


def check_products(
    operands: tuple[UniformQuantizedType, UniformQuantizedType],
    weights: Held | tuple[int, ...],
    result: UniformQuantizedType,
    bias: NDArray[Any] | None = None,
    *,
    is_wide: bool = False,
) -> None:
    """Raise ConversionError where sums of products and a bias, or their results, may leave the kernel's integers.

    ``weights`` has its outputs last; computed ones are given by their sizes. ``is_wide`` is True for sums of 64 bits.
    """
    lhs, rhs = operands
    factor = np.asarray(lhs.product_scales(rhs) / result.scale)
    sizes = weights if isinstance(weights, tuple) else weights.shape
    depth, added = prod(sizes[:-1]), np.zeros(1, np.int64) if bias is None else np.abs(bias.astype(np.int64))
    limit = _WIDE_SUM if is_wide else _SUM
    if is_wide and added.max(initial=0) >= limit:
        return  # the writers refuse such a bias by its 48 bits
    rough = np.asarray([depth * lhs.largest_distance * rhs.largest_distance], np.float64) + added
    if isinstance(weights, tuple) or not _is_within(rough, factor, limit):
        exact = rough if isinstance(weights, tuple) else _products(weights, rhs) * lhs.largest_distance + added
        _check(exact, factor, limit)


def _products(weights: Held, element: UniformQuantizedType) -> NDArray[np.float64]:
    """Return the sum of magnitudes of each output's weights minus the zero point."""
    sums, last = np.zeros(weights.shape[-1]), weights.ndim - 1
    points, start = np.broadcast_to(element.zero_points, sums.shape), 0
    for part in slabs_of(weights, last):
        stop = start + part.shape[last]
        centred = part.astype(np.float64) - points[start:stop]
        sums[start:stop], start = np.abs(centred).sum(axis=tuple(range(last))), stop
    return sums


def _is_within(sums: NDArray[np.float64], factor: NDArray[np.float64], limit: int) -> bool:
    return bool((sums < limit).all() and (_shifted(sums, factor, limit) < _SUM).all())


def _shifted(sums: NDArray[Any], factor: NDArray[np.float64], limit: int) -> NDArray[np.float64]:
    """Return sums times a factor: of 64-bit sums the result, of others what LiteRT shifts to the left."""
    if limit == _WIDE_SUM:
        return np.asarray(sums * factor)
    places = np.maximum(np.frexp(factor)[1], 0)
    return np.asarray(np.ldexp(np.asarray(sums, np.float64), places))


def _check(sums: NDArray[Any], factor: NDArray[np.float64], limit: int) -> None:
    if _is_within(sums, factor, limit):
        return
    is_sum = bool((np.asarray(sums) >= limit).any())
    largest = float(np.max(sums if is_sum else _shifted(sums, factor, limit)))
    bits = 47 if is_sum and limit == _WIDE_SUM else 31
    raise ConversionError(
        f"its {'sums' if is_sum else 'results'} may overflow: they reach {largest:.4g}, and LiteRT's integers wrap "
        f"around at 2^{bits}",
        hint="Quantize the model again with a smaller bias, smaller weights or a larger scale of the result",
    )
