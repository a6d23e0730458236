"""Sums of signed integers, as LiteRT's reference kernel computes those of unsigned ones.

Source: TensorFlow Lite's ``QuantizedMeanOrSum`` (kernels/internal/reference/reduce.h). LiteRT 2.3 takes its form of
uint8 for signed integers as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Affine(NamedTuple):
    """A quantized tensor: its name, the name of its integers' type, scale and zero point."""

    name: str
    kind: str
    scale: float
    zero_point: int


class Sum(NamedTuple):
    """A sum along dimensions, from one quantized tensor to another."""

    operand: Affine
    result: Affine
    axes: tuple[int, ...]
    keeps_dims: bool

    def of(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of integers, rescaled by LiteRT's multiplier with its two roundings."""
        from qconvert import numerics  # which other files do not need

        axes = tuple({axis % array.ndim for axis in self.axes})
        total = np.sum(array.astype(np.int64) - self.operand.zero_point, axis=axes, keepdims=self.keeps_dims)
        info, zero_points = np.iinfo(self.result.kind), numerics.ZeroPoints(0, self.result.zero_point)
        factor = numerics.multiplier_and_shift(self.operand.scale / self.result.scale)
        limits = int(info.min), int(info.max)
        found = numerics.rescale_and_clamp(total, *factor, zero_points, limits, numerics.Rounding.DOUBLE_ROUND)
        return np.asarray(found.astype(self.result.kind)).reshape(total.shape)
