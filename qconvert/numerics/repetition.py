"""Arrays that repeat their elements, by strides of 0 or written out."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def unrepeated(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with size 1 along every repeated dimension (stride 0); it broadcasts to the original shape.

    A constant of a few bytes may represent more elements than fit in memory.
    """
    return array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)]


def values_along(array: NDArray[Any], axis: int) -> NDArray[Any] | None:
    """Return the elements along one dimension if they repeat along all others, else None; None without elements."""
    if not array.size:
        return None
    first = array[tuple(slice(None) if i == axis else slice(0, 1) for i in range(array.ndim))]
    is_repeated = first.size == array.size or unrepeated(array).size == unrepeated(first).size
    return first.reshape(-1) if is_repeated or (array == first).all() else None
