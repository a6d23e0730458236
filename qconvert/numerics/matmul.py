"""Exact integer matrix products at the speed of float BLAS.

A float type adds integers exactly while every partial sum stays below 2^24 (float32) or 2^53 (float64), in whatever
order BLAS adds them, with or without fused multiply-add.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from qconvert.support.errors import ConversionError

Array = npt.NDArray[Any]

_FLOAT32_EXACT = 1 << 24
_FLOAT64_EXACT = 1 << 53
_INT32_MAX = (1 << 31) - 1
_INT64_MAX = (1 << 63) - 1
_LOW_BITS = 16


def exact_matmul(a: Array, b: Array) -> Array:
    """Return the exact ``a @ b`` of integer arrays (at least 2-D, batches broadcast); the caller subtracts zero points.

    The result is int32 if :func:`accumulator_bound` shows that every partial sum fits, else int64: nothing wraps.
    It is computed in float32 or float64 if that is exact, else split into halves of ``a``. Raises ConversionError if
    even int64 may not suffice.
    """
    bound = accumulator_bound(a, b)
    if bound > _INT64_MAX:
        raise ConversionError(f"an integer matrix product may reach {bound}, outside int64")
    return _product(a, b, bound).astype(np.int32 if bound <= _INT32_MAX else np.int64, copy=False)


def complex_matmul(a: Array, b: Array) -> Array:
    """Return ``a @ b`` of complex numbers, summed in order of the depth as StableHLO's interpreter does."""
    result = np.zeros((*a.shape[:-1], b.shape[-1]), np.result_type(a, b))
    for k in range(b.shape[-2]):
        result += complex_product(a[..., k, np.newaxis], b[..., np.newaxis, k, :])
    return result


def complex_product(a: Array, b: Array) -> Array:
    """Return ``a * b`` of complex numbers with every product and sum rounded, as StableHLO's interpreter does.

    numpy and BLAS fuse multiplication and addition, so that a real or imaginary part near 0 has other digits.
    """
    result = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
    result.real = a.real * b.real - a.imag * b.imag
    result.imag = a.real * b.imag + a.imag * b.real
    return result


def accumulator_bound(a: Array, b: Array) -> int:
    """Return a bound on the magnitude of every partial sum of ``a @ b``: ``max|a| * max over columns of sum|b|``.

    The cheaper ``max|a| * max|b| * K`` is returned if it is below 2^24.
    """
    largest_a, largest_b, depth = largest_magnitude(a), largest_magnitude(b), int(b.shape[-2])
    simple = largest_a * largest_b * depth
    if simple < _FLOAT32_EXACT or largest_b * depth > _INT64_MAX:
        return simple
    columns = np.abs(b.astype(np.int64)).sum(axis=-2)
    return largest_a * int(columns.max(initial=0))


def exact_float_dtype(bound: int) -> np.dtype[Any] | None:
    """Return the smallest float type that adds integers exactly up to ``bound``; None if float64 does not suffice."""
    if bound < _FLOAT32_EXACT:
        return np.dtype(np.float32)
    return np.dtype(np.float64) if bound < _FLOAT64_EXACT else None


def _product(a: Array, b: Array, bound: int) -> Array:
    dtype = exact_float_dtype(bound)
    if dtype is not None:
        exact: Array = np.matmul(a.astype(dtype), b.astype(dtype))
        return exact.astype(np.int64 if bound > _INT32_MAX else np.int32)
    a, b = a.astype(np.int64), b.astype(np.int64)
    high, low = a >> _LOW_BITS, a & ((1 << _LOW_BITS) - 1)
    low_bound = accumulator_bound(low, b)
    if low_bound >= _FLOAT64_EXACT:
        return np.asarray(np.matmul(a, b))  # b is too large: numpy's integer loops are slow but exact
    return (_product(high, b, accumulator_bound(high, b)).astype(np.int64) << _LOW_BITS) + _product(low, b, low_bound)


def largest_magnitude(values: Array) -> int:
    """Return the largest magnitude of integers as a Python int, 0 for no elements."""
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))
