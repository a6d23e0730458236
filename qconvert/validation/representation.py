"""How arrays of two models hold the same numbers: as real numbers or storage integers, and in which layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert.ir import UniformQuantizedType
from qconvert.numerics import quantize_onnx
from qconvert.support.arrays import Array

Layout = tuple[int, ...]
"""The order of dimensions in which one model's value has the layout of the other's."""


def real(array: Array, element: UniformQuantizedType | None) -> NDArray[np.float64]:
    """Return the real numbers that integers stand for, in float64; other arrays are only widened."""
    numbers = array.astype(np.float64)
    stored = stored_type(array.dtype, element)
    return numbers if stored is None else np.asarray((numbers - stored.zero_point) * stored.scale)


def stored_type(dtype: np.dtype[Any], element: UniformQuantizedType | None) -> UniformQuantizedType | None:
    """Return a quantized type if arrays of a type of element can hold its integers, else None."""
    return element if dtype.kind in "iuV" else None


def carried(
    array: Array, source: UniformQuantizedType | None, target: UniformQuantizedType | None, dtype: np.dtype[Any]
) -> Array:
    """Return a value of one model as another model holds it: its storage integers, else floats or plain integers."""
    numbers, wanted = real(array, source), stored_type(dtype, target)
    if wanted is None and dtype.kind in "iu" and array.dtype.itemsize == dtype.itemsize:
        return array.view(dtype)  # integers whose sign the second model does not state
    if wanted is None:
        return np.asarray(numbers.astype(dtype))
    storage = wanted.storage
    found = quantize_onnx(numbers, wanted.scale, wanted.zero_point, storage.minimum, storage.maximum, dtype)
    return np.asarray(found)


def layouts(first: tuple[int, ...], second: tuple[int, ...]) -> Iterator[Layout]:
    """Yield the orders in which the first shape is the second but for dimensions of 1: as it is, channels moved."""
    rank = len(first)
    orders = [tuple(range(rank))]
    if rank > 2:
        orders += [(0, rank - 1, *range(1, rank - 1)), (0, *range(2, rank), 1)]
    squeezed = tuple(size for size in second if size != 1)
    for order in orders:
        if tuple(first[axis] for axis in order if first[axis] != 1) == squeezed:
            yield order


def laid_out(array: Array, layout: Layout, shape: tuple[int, ...]) -> Array:
    """Return an array in another layout and shape."""
    return array.transpose(layout).reshape(shape)
