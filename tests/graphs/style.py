"""Parameters of quantization: how one graph's quantizer chooses scales, zero points and types."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from tests.graphs.network import Array, Weight

_BITS = {np.dtype(ml_dtypes.int4): (-8, 7), np.dtype(ml_dtypes.uint4): (0, 15)}


def limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the least and the largest integer of a type, 4-bit ones included."""
    if dtype in _BITS:
        return _BITS[dtype]
    found = np.iinfo(dtype)
    return int(found.min), int(found.max)


@dataclass(frozen=True)
class Parameters:
    """Scale, zero point and type of a quantized tensor; arrays along ``axis``, or in blocks along it."""

    scale: Array
    zero_point: Array
    axis: int | None = None
    block: int = 0

    def integers(self, array: Array) -> Array:
        """Return the storage integers of an array of floats."""
        scale, zero_point = self._spread(self.scale, array), self._spread(self.zero_point.astype(np.int64), array)
        low, high = limits(self.zero_point.dtype)
        return np.clip(np.rint(array / scale) + zero_point, low, high).astype(self.zero_point.dtype)

    def _spread(self, values: Array, array: Array) -> Array:
        if self.block:
            assert self.axis is not None
            repeated = np.repeat(values, self.block, self.axis)
            return np.asarray(np.take(repeated, np.arange(array.shape[self.axis]), self.axis))
        return values.reshape([-1 if i == self.axis else 1 for i in range(array.ndim)])


@dataclass(frozen=True)
class Style:
    """The choices of one graph's quantizer.

    ``mixed`` is the share of tensors with 16 bits in a graph of 8 bits, or the other way about.
    """

    activations: type[np.generic]
    weights: type[np.generic]
    weight_zero_point: int = 0
    power_of_two: bool = False
    odd_zero_points: bool = False
    per_axis: bool = True
    mixed: float = 0.0
    integer_input: bool = False
    integer_output: bool = False
    weight_only: bool = False
    microsoft: bool = False
    """True if quantizers are onnxruntime's own operators, which older exporters write for 16 bits."""

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Style:
        """Return a style that an exporter could have."""
        names = (np.int8, np.uint8, np.int16, np.uint16)
        activations = names[int(rng.choice(4, p=[0.42, 0.4, 0.13, 0.05]))]
        weights: type[np.generic] = np.int8
        if np.dtype(activations).kind == "u" and rng.random() < 0.3:
            weights = np.uint8
        middle = 128 if weights is np.uint8 else 0
        zero_point = middle + (int(rng.integers(-20, 20)) if rng.random() < 0.15 else 0)
        mixed = 0.3 if rng.random() < 0.1 else 0.0
        flags = [bool(rng.random() < share) for share in (0.1, 0.15, 0.6, 0.4, 0.5)]
        style = cls(activations, weights, zero_point, flags[0], flags[1], flags[2], mixed, flags[3], flags[4])
        return replace(style, microsoft=bool(rng.random() < 0.05))

    @classmethod
    def draw_weight_only(cls, rng: np.random.Generator) -> Style:
        """Return a style in which weights alone are quantized, to 8 bits or to blocks of 4 bits."""
        weights = (np.int8, ml_dtypes.int4, ml_dtypes.uint4)[int(rng.integers(3))]
        zero_point = {np.int8: 0, ml_dtypes.int4: 0, ml_dtypes.uint4: 8}[weights]
        return cls(np.int8, weights, zero_point, weight_only=True)

    @property
    def granularity(self) -> str:
        """The granularity of weights, for the distribution."""
        if np.dtype(self.weights) in _BITS:
            return "blocks"
        return "per axis" if self.per_axis else "per tensor"

    def of_value(self, name: str) -> Style:
        """Return the style for a tensor, which has another width in a mixed graph."""
        if not self.mixed or (sum(map(ord, name)) * 2654435761 % 997) / 997 > self.mixed:
            return self
        wide = {np.int8: np.int16, np.uint8: np.int16, np.int16: np.int8, np.uint16: np.uint8}
        return replace(self, activations=wide[self.activations])

    def activation(self, low: float, high: float) -> Parameters:
        """Return parameters that hold a range and zero."""
        least, most = limits(np.dtype(self.activations))
        low, high = min(low, 0.0), max(high, 0.0)
        if self.odd_zero_points:
            high, low = (high, low / 3) if -low > high else (high / 3, low)
        scale = self._rounded(max((high - low) / (most - least), 1e-6))
        zero_point = np.clip(np.rint(least - low / scale), least, most)
        if least < -128 and not self.odd_zero_points:  # 16 bits are symmetric as a rule
            scale, zero_point = self._rounded(max(high, -low, 1e-4) / most), np.zeros(())
        return Parameters(np.asarray(scale, np.float32), zero_point.astype(self.activations))

    def weight(self, weight: Weight) -> Parameters:
        """Return parameters that hold the largest magnitude, of each slice where there is an axis."""
        if np.dtype(self.weights) in _BITS and weight.array.ndim == 2 and weight.axis is not None:
            return self._blocked(weight)
        axis = weight.axis if self.per_axis else None
        others = tuple(i for i in range(weight.array.ndim) if i != axis)
        largest = np.maximum(np.abs(weight.array).max(axis=None if axis is None else others), 1e-3)
        most = 7 if np.dtype(self.weights) in _BITS else 127
        scale = np.vectorize(self._rounded)(largest / most).astype(np.float32)
        return Parameters(scale, np.full(scale.shape, self.weight_zero_point, self.weights), axis)

    def _blocked(self, weight: Weight) -> Parameters:
        """Return parameters for blocks along the dimension that a product sums over."""
        assert weight.axis is not None
        axis, block = 1 - weight.axis, 4
        count = -(-weight.array.shape[axis] // block)
        magnitude = np.abs(np.moveaxis(weight.array, axis, 0))
        parts = [magnitude[i * block : (i + 1) * block].max(0) for i in range(count)]
        scale = np.moveaxis(np.maximum(np.stack(parts), 1e-3) / 7, 0, axis).astype(np.float32)
        return Parameters(scale, np.full(scale.shape, self.weight_zero_point, self.weights), axis, block)

    def _rounded(self, scale: float) -> float:
        return 2.0 ** math.ceil(math.log2(scale)) if self.power_of_two else float(scale)
