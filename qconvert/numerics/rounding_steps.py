"""The rounding of sums to integers in float32, proved equal to a formula in float64 and three times as fast."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Formula(Protocol):
    """The rounding of sums to integers that a step function is to equal."""

    def __call__(self, sums: Doubles, rows: slice) -> Integers:
        """Return the integers of the sums of some rows, one or several sums a row."""


_MOST_EXCEPTIONS = 4
"""The largest number of exceptions a row. To look for more takes longer than the formula."""
_PIECE = 1 << 16
"""The number of elements that are computed at once: their arrays fit in a second-level cache."""
_NUDGES = tuple(step * 2.0**-17 for size in range(1, 4) for step in (size, -size))
"""The numbers added to an offset to look for a better one: halves of the distance between floats above 128."""
_LARGEST_FLOAT32 = 2.0**24 - 2
"""The largest sum that is tested in float32, with its neighbours."""
_LARGEST_BUFFER = 1 << 13
"""The length of rows from which on numpy by itself repeats a column along them without copies of it."""


@dataclass(frozen=True, eq=False)
class RoundingSteps:
    """The integers ``trunc(sum * factor + offset) + minimum``, at least the minimum and at most ``largest`` above it.

    ``factor`` and ``offset`` are columns of float32. For some sums, the exceptions, float32 gives another integer than
    the formula: the sum ``sums[i]`` in the row ``rows[i]`` becomes ``integers[i]``.

    The proof: neither these integers nor the formula's fall when a sum grows. So they are equal for every sum if they
    reach each integer at the same sum, which is tested for each row and integer. Where one reaches it one sum before
    the other, the first of the two sums is an exception.
    """

    factor: Array
    offset: Array
    minimum: int
    largest: int
    rows: npt.NDArray[np.intp]
    sums: Array
    integers: Integers

    def store(self, sums: Array, result: Array) -> None:
        """Write the integers of sums, which are held as floats."""
        count, columns = sums.shape
        step = max(1, _PIECE // max(1, columns))
        held = np.empty((min(count, step), columns), np.float32)
        for first in range(0, count, step):
            part = slice(first, first + step)
            above = held[: count - first]
            _write_above(sums[part], self.factor[part], self.offset[part], self.largest, above)
            np.copyto(result[part].view(f"u{result.itemsize}"), above, casting="unsafe")
            if self.minimum:
                np.add(result[part], result.dtype.type(self.minimum), out=result[part])
        for first in range(0, len(self.rows), step):
            rows, exceptions = self.rows[first : first + step], self.sums[first : first + step].astype(sums.dtype)
            found, place = np.divmod(np.flatnonzero(sums[rows] == exceptions[:, np.newaxis]), columns)
            result[rows[found], place] = self.integers[first + found]


def rounding_steps(
    formula: Formula, ratio: Doubles, shift: Doubles, minimum: int, maximum: int
) -> RoundingSteps | None:
    """Return the steps of a formula that rounds about ``sum * ratio + shift`` to integers between two bounds.

    ``ratio``, positive, and ``shift`` are columns with an element for each row. The formula's integers must not fall
    when a sum grows. None stands for a formula that float32 does not follow closely.
    """
    step = max(1, _PIECE // (maximum - minimum))
    parts = []
    for first in range(0, len(ratio), step):
        rows = slice(first, min(first + step, len(ratio)))
        part = _steps_of_rows(partial(formula, rows=rows), ratio[rows], shift[rows], minimum, maximum)
        if part is None:
            return None
        parts.append(replace(part, rows=part.rows + first))
    arrays = ([getattr(part, name) for part in parts] for name in ("factor", "offset", "rows", "sums", "integers"))
    factor, offset, places, sums, integers = map(np.concatenate, arrays)
    if len(places) > _MOST_EXCEPTIONS * len(ratio):
        return None
    return RoundingSteps(factor, offset, minimum, maximum - minimum, places, sums, integers)


def _steps_of_rows(
    formula: Callable[[Doubles], Integers], ratio: Doubles, shift: Doubles, minimum: int, maximum: int
) -> RoundingSteps | None:
    integers = np.arange(minimum + 1, maximum + 1)
    least = _least_sums(formula, np.ceil((integers - 0.5 - shift) / ratio), integers)
    if least is None:
        return None
    factor, above = ratio.astype(np.float32), integers - minimum
    offset = _best_offset(least, above, factor)
    late, early = _misses(least, above, factor, offset)
    later, earlier = _misses(least + 1, above, factor, offset)[0], _misses(least - 1, above, factor, offset)[1]
    if (late & later).any() or (early & earlier).any():
        return None
    rows = np.concatenate([late.nonzero()[0], early.nonzero()[0]])
    sums = np.concatenate([least[late], least[early] - 1])
    right = minimum + np.sum(least[rows] <= sums[:, np.newaxis], axis=1)
    return RoundingSteps(factor, offset, minimum, len(integers), rows, sums, right)


def _least_sums(
    formula: Callable[[Doubles], Integers], estimates: Doubles, integers: npt.NDArray[np.int64]
) -> Array | None:
    """Return the least sum with which each row reaches each integer; None if some are far from the estimates.

    The sums are floats of the narrowest type that holds them.
    """
    least = estimates
    for _ in range(3):
        is_late, is_early = formula(least - 1) >= integers, formula(least) < integers
        if not is_late.any() and not is_early.any():
            is_narrow = bool((np.abs(least) < _LARGEST_FLOAT32).all())
            return least.astype(np.float32) if is_narrow else least
        least = least + is_early - is_late
    return None


def _best_offset(least: Array, above: npt.NDArray[np.int64], factor: Array) -> Array:
    """Return the offsets with the fewest misses, near the middle of those that real numbers would allow."""
    lowest = above - least * factor.astype(np.float64)
    highest = lowest + factor
    middle = np.asarray((lowest.max(axis=1) + highest.min(axis=1)) / 2, np.float32)[:, np.newaxis]
    best, fewest = middle.copy(), np.sum(_misses(least, above, factor, middle), axis=(0, 2))
    for nudge in _NUDGES:
        [missed] = fewest.nonzero()
        tried = middle[missed] + np.float32(nudge)
        misses = np.sum(_misses(least[missed], above, factor[missed], tried), axis=(0, 2))
        is_better = misses < fewest[missed]
        best[missed[is_better]], fewest[missed[is_better]] = tried[is_better], misses[is_better]
    return best


def _misses(
    least: Array, above: npt.NDArray[np.int64], factor: Array, offset: Array
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return where the least sums of integers do not reach them, and where the sums before do."""
    whole = above.astype(np.float32)
    found = np.empty(least.shape, np.float32)
    _write_above(least, factor, offset, len(above), found)
    late = found < whole
    _write_above(least - 1, factor, offset, len(above), found)
    return late, found >= whole


def _write_above(sums: Array, factor: Array, offset: Array, largest: int, result: Array) -> None:
    """Write how far the integers of sums are above the minimum, with fractions, within the bounds."""
    with _buffers_of(sums.shape[1]):
        np.multiply(sums, factor, out=result, casting="same_kind")
        np.add(result, offset, out=result)
    result.clip(np.float32(0), np.float32(largest + 0.5), out=result)


@contextmanager
def _buffers_of(columns: int) -> Iterator[None]:
    """Have numpy repeat a column along rows of a number of elements without copies of it."""
    before = np.setbufsize(max(16, min(_LARGEST_BUFFER, columns // 16 * 16)))
    try:
        yield
    finally:
        np.setbufsize(before)
