"""Arrays that repeat their elements without holding them again."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def unrepeated(array: NDArray[Any]) -> NDArray[Any]:
    """The array with size 1 along every dimension that it is repeated over (stride 0), against which it broadcasts.

    A constant of a few bytes may stand for more elements than memory holds: compute with what is there.
    """
    return array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)]
