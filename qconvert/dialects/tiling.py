"""Repeating a whole tensor along its dimensions, in broadcasts and reshapes of few dimensions.

::

    [2, 3] times [1, 4] ── broadcast_in_dim [2, 4, 3] ── reshape [2, 12]

TOSA's level 8k has six dimensions and LiteRT's RESHAPE eight. Where one broadcast of the dimensions as they are has
more than six, neighbours are merged first, and what is still beyond is repeated in two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from qconvert.dialects.stablehlo import BroadcastInDimOp, ReshapeOp
from qconvert.ir import shape

_MOST_DIMENSIONS = 6


def tiled(value: SSAValue, times: Sequence[int], emit: Callable[[Operation], SSAValue]) -> SSAValue:
    """Repeat a value ``times`` along each dimension; ``emit`` places the ops. Without repeats nothing is emitted."""
    sizes = shape(value)
    result = [count * size for count, size in zip(times, sizes, strict=True)]
    repeated = [axis for axis, count in enumerate(times) if count != 1]
    if not repeated:
        return value
    merged, counts = _merged(sizes, times)
    forms = (
        (sizes, *_beside(sizes, times)),
        (sizes, *_beside(sizes, times, shares=True)),
        (merged, *_beside(merged, counts)),
    )
    for own, wide, dimensions in forms:
        if len(wide) <= _MOST_DIMENSIONS:
            made = emit(BroadcastInDimOp(_reshaped(value, own, emit), wide, dimensions))
            return _reshaped(made, result, emit)
    later = repeated[len(repeated) // 2 :]
    first = [1 if axis in later else count for axis, count in enumerate(times)]
    second = [count if axis in later else 1 for axis, count in enumerate(times)]
    return tiled(tiled(value, first, emit), second, emit)


def _reshaped(value: SSAValue, sizes: Sequence[int], emit: Callable[[Operation], SSAValue]) -> SSAValue:
    return value if shape(value) == tuple(sizes) else emit(ReshapeOp(value, sizes))


def _beside(sizes: Sequence[int], times: Sequence[int], *, shares: bool = False) -> tuple[list[int], list[int]]:
    """Return the sizes with a new dimension in front of each that is repeated, and the places of the given ones.

    A dimension of size 1 needs no new one. With ``shares`` it serves the dimension behind it as well, which a layout
    may then not part from it.
    """
    wide, places = list[int](), list[int]()
    for axis, (size, count) in enumerate(zip(sizes, times, strict=True)):
        if count != 1 and size != 1 and shares and axis and sizes[axis - 1] == 1:
            wide[-1] *= count
        elif count != 1 and size != 1:
            wide.append(count)
        places.append(len(wide))
        wide.append(count if size == 1 else size)
    return wide, places


def _merged(sizes: Sequence[int], times: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return sizes and repeats of as few dimensions, of which no two neighbours can be merged."""
    merged, counts = [1], [1]
    for size, count in zip(sizes, times, strict=True):
        if count == counts[-1] == 1:
            merged[-1] *= size
        elif merged[-1] == 1:
            merged[-1], counts[-1] = size, counts[-1] * count
        elif (size, count) != (1, 1):
            merged.append(size)
            counts.append(count)
    return merged, counts
