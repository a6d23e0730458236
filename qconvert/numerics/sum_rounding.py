"""The rounding of many exact sums by prepared factors, with the integers of ``requantize_onnx`` and its fellow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from qconvert.numerics.affine import requantize_onnx, requantize_stablehlo

Array = npt.NDArray[Any]
Doubles = npt.NDArray[np.float64]

_UNIT = 2.0**-24
"""The relative error of one rounding to float32."""
_LARGEST_ERROR = 2.0**-7
_FACTORS = 2.0**-60, 2.0**60
_PIECE = 1 << 16
"""The number of sums that are rounded at once: three arrays of float32 fit in a second-level cache."""


@dataclass(frozen=True, eq=False)
class SumRounding:
    """The rounding of ``(sum + bias) * scale / result_scale`` to integers from ``minimum`` to ``maximum``.

    Sums are rows of integers, one row for each feature. The other arrays are columns, of one element or one for each
    feature. ``is_onnx`` chooses the order: the zero point is added after the rounding.

    The value is computed in float32, with the zero point in the offset. With the unit ``u = 2^-24`` the factor, the
    product, the offset and their sum have a relative error of u each, so that a value y is wrong by less than
    ``4u(|y| + |offset|)``. Where y is so near to a half that this might choose the other integer, or that the order of
    rounding matters, the value is computed in float64 once more. Where y is more than 1 outside the bounds, its error
    does not bring it back.
    """

    bias: Doubles
    scale: Doubles
    result_scale: Doubles
    zero_point: Doubles
    minimum: int
    maximum: int
    is_onnx: bool

    @cached_property
    def _factor(self) -> Array:
        return (self.scale / self.result_scale).astype(np.float32)

    @cached_property
    def _offset(self) -> Array:
        return np.asarray(self.bias * self.scale / self.result_scale + self.zero_point, np.float32)

    @cached_property
    def _bounds(self) -> tuple[np.float32, np.float32]:
        return np.float32(self.minimum), np.float32(self.maximum)

    @cached_property
    def _error(self) -> float:
        """The largest error of a value in float32 that is not outside the bounds; infinite for factors without one."""
        reach = max(abs(self.minimum), abs(self.maximum)) + 2 + float(np.abs(self._offset).max(initial=0))
        low, high = _FACTORS
        is_usual = bool(((self._factor >= low) & (self._factor <= high)).all())
        return 4 * _UNIT * reach if is_usual else float("inf")

    def store(self, sums: Array, result: Array) -> None:
        """Write the integers of sums, which are held as floats."""
        if self._error >= _LARGEST_ERROR:
            result[...] = self._exact(sums, slice(None), result.dtype)
            return
        count, columns = sums.shape
        rows = max(1, _PIECE // max(1, columns))
        held = np.empty((2, min(count, rows), columns), np.float32)
        near = [np.zeros(0, np.intp)]
        for first in range(0, count, rows):
            part = slice(first, first + rows)
            near.append(first * columns + self._store_fast(sums[part], result[part], part, held))
        places = np.concatenate(near)
        if places.size:
            row, place = np.divmod(places, columns)
            result[row, place] = self._exact(sums[row, place, np.newaxis], row, result.dtype)[:, 0]

    def _store_fast(self, sums: Array, result: Array, rows: slice, held: Array) -> npt.NDArray[np.intp]:
        """Write the integers of some rows; return the places of those that may be wrong."""
        real, rounded = held[:, : len(sums)]
        np.multiply(sums, _of(self._factor, rows), out=real, casting="same_kind")
        if self._has_offset:
            np.add(real, _of(self._offset, rows), out=real)
        np.rint(real, out=rounded)
        np.subtract(real, rounded, out=real)
        near: npt.NDArray[np.intp] = (np.abs(real, out=real) > self._threshold).ravel().nonzero()[0]
        rounded.clip(*self._bounds, out=rounded)
        np.copyto(result, rounded, casting="unsafe")
        return near

    def _exact(self, sums: Array, rows: slice | Array, dtype: np.dtype[Any]) -> Array:
        """Return the integers of sums of some features, one or several to a row, by the formula itself."""
        accumulator = np.add(sums, _of(self.bias, rows), dtype=np.float64)
        scale, result_scale, zero_point = (
            _of(column, rows) for column in (self.scale, self.result_scale, self.zero_point)
        )
        formula = requantize_onnx if self.is_onnx else requantize_stablehlo
        return formula(accumulator, scale, result_scale, zero_point, self.minimum, self.maximum, dtype)

    @cached_property
    def _threshold(self) -> np.float32:
        """The distance from an integer from which on a value may belong to the next."""
        return np.float32(0.5 - self._error)

    @cached_property
    def _has_offset(self) -> bool:
        return bool(self._offset.any())


def _of(column: Array, rows: slice | Array) -> Array:
    """Return the elements of rows of a column, or the only element."""
    return column if len(column) == 1 else column[rows]
