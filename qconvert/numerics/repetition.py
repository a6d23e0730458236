"""Arrays that repeat their elements by strides of 0."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def unrepeated(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with size 1 along every repeated dimension (stride 0); it broadcasts to the original shape.

    A constant of a few bytes may represent more elements than fit in memory.
    """
    return array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)]
