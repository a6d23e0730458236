"""The rounding of many exact sums, with the integers of ``requantize_onnx`` and its fellow."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from qconvert.numerics.affine import requantize_onnx, requantize_stablehlo
from qconvert.numerics.rounding_steps import RoundingSteps, rounding_steps

Array = npt.NDArray[Any]
Doubles = npt.NDArray[np.float64]

_LARGEST_RANGE = 255
"""The largest difference of two results for which steps are prepared: that of 8 bits."""
_SUMS_OF_A_STEP = 8
"""The number of sums of a row that the formula rounds for each integer: a step takes the time of twice as many."""
_PIECE = 1 << 16
"""The number of sums that the formula rounds at once."""


@dataclass(eq=False)
class SumRounding:
    """The rounding of ``(sum + bias) * scale / result_scale`` to integers from ``minimum`` to ``maximum``.

    Sums are rows of integers, one row for each feature, and so is ``bias``, a column. The other arrays are columns, of
    one element or one for each feature. ``is_onnx`` chooses the order: the zero point is added after the rounding.

    Integers of 8 bits are made by the formula at first, and by steps once that has taken half the time of their
    preparation.
    """

    bias: Doubles
    scale: Doubles
    result_scale: Doubles
    zero_point: Doubles
    minimum: int
    maximum: int
    is_onnx: bool
    _seen: int = field(default=0, init=False)
    """The number of sums of a row that were rounded."""

    def store(self, sums: Array, result: Array) -> None:
        """Write the integers of sums, which are held as floats."""
        levels, (count, columns) = self.maximum - self.minimum, sums.shape
        if 0 < levels <= _LARGEST_RANGE and self._seen >= _SUMS_OF_A_STEP * levels and self._steps is not None:
            self._steps.store(sums, result)
            return
        self._seen += columns
        step = max(1, _PIECE // max(1, columns))
        for first in range(0, count, step):
            part = slice(first, first + step)
            result[part] = self._formula(sums[part], part, result.dtype)

    @cached_property
    def _steps(self) -> RoundingSteps | None:
        ratio = np.broadcast_to(self.scale / self.result_scale, self.bias.shape)
        return rounding_steps(self._formula, ratio, self.bias * ratio + self.zero_point, self.minimum, self.maximum)

    def _formula(self, sums: Array, rows: slice, dtype: npt.DTypeLike = np.int64) -> Array:
        accumulator = np.add(sums, self.bias[rows], dtype=np.float64)
        scale, result_scale, zero_point = (
            column if len(column) == 1 else column[rows] for column in (self.scale, self.result_scale, self.zero_point)
        )
        requantize = requantize_onnx if self.is_onnx else requantize_stablehlo
        return requantize(accumulator, scale, result_scale, zero_point, self.minimum, self.maximum, dtype)
