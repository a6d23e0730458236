"""Ranges of real values: observed in calibration, annotated, or taken from a constant or from parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert import numerics
from qconvert.ir import UniformQuantizedType
from qconvert.support.errors import UsageError


@dataclass(frozen=True)
class Range:
    """The smallest and largest real value; ``slices`` holds these for each index along ``axis``, if known.

    Raises UsageError for bounds that are not finite and for a minimum above its maximum.
    """

    minimum: float
    maximum: float
    axis: int | None = None
    slices: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        for low, high in ((self.minimum, self.maximum), *self.slices):
            if not (math.isfinite(low) and math.isfinite(high)):
                raise UsageError(f"the range from {low} to {high} is not finite")
            if low > high:
                raise UsageError(f"the minimum {low} is above the maximum {high}")
        if (self.axis is None) != (not self.slices):
            raise UsageError("axis and slices are given together or not at all")

    def union(self, other: Range) -> Range:
        """Return the smallest range that contains both; slices are kept only if the ranges are equal."""
        if self == other:
            return self
        return Range(min(self.minimum, other.minimum), max(self.maximum, other.maximum))

    @classmethod
    def of_array(cls, array: NDArray[Any]) -> Range:
        """Return the range of a constant's elements, which must be finite; [0, 0] without elements."""
        wide = at_least_float32(array)
        return cls(float(wide.min(initial=np.inf)), float(wide.max(initial=-np.inf))) if array.size else cls(0.0, 0.0)

    @classmethod
    def of_parameters(cls, parameters: UniformQuantizedType) -> Range:
        """Return the range of real values that parameters represent, over all slices."""
        storage = parameters.storage
        low = (storage.minimum - parameters.zero_points) * parameters.scales
        high = (storage.maximum - parameters.zero_points) * parameters.scales
        return cls(float(low.min()), float(high.max()))


def at_least_float32(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that numpy's reductions accept, without a copy if possible."""
    return array.astype(numerics.at_least_float32(array.dtype), copy=False)
