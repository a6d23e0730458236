"""Quantization parameters from the range of values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat

from qconvert import numerics
from qconvert.ir import Storage, UniformQuantizedType
from qconvert.quantization.ranges import Range, at_least_float32
from qconvert.rewriting import magnitude

_BIAS_LIMIT, _PRODUCTS_LIMIT = 2.0**28, 2.0**31 - 2.0**28 - 1024
"""Largest number of LSBs of a bias, and of a sum of products; the rest is for the rounding of scales to f32."""
_SMALLEST = np.finfo(np.float32).tiny


def asymmetric(values: Range, storage: Storage, expressed: AnyFloat) -> UniformQuantizedType:
    """Return scale and zero point of a range, with 0 exact, nudged as TensorFlow's fake quantization does.

    A range that f32 cannot distinguish from [0, 0] gets scale 1 and the integer nearest to 0 as zero point.
    """
    low, high = min(values.minimum, 0.0), max(values.maximum, 0.0)
    if (high - low) / (storage.maximum - storage.minimum) < _SMALLEST:
        zero = min(max(0, storage.minimum), storage.maximum)
        return UniformQuantizedType.per_tensor(storage, 1.0, zero, expressed)
    scale, zero_point = numerics.nudge_range(low, high, storage.minimum, storage.maximum)
    return UniformQuantizedType.per_tensor(storage, scale, zero_point, expressed)


def symmetric(values: Range, storage: Storage, expressed: AnyFloat) -> UniformQuantizedType:
    """Return the scale that covers the range with zero point 0; [0, 0] has scale 1."""
    scales = symmetric_scales(np.asarray([values.minimum]), np.asarray([values.maximum]), storage)
    return UniformQuantizedType.per_tensor(storage, float(scales[0]), 0, expressed)


def symmetric_scales(low: NDArray[Any], high: NDArray[Any], storage: Storage) -> NDArray[np.float32]:
    """Return a scale for each slice; a slice of zeros gets the largest scale of the others, or 1."""
    needed = np.maximum(high, 0.0).astype(np.float64) / max(storage.maximum, 1)
    if storage.minimum < 0:
        needed = np.maximum(needed, np.minimum(low, 0.0).astype(np.float64) / storage.minimum)
    scales = needed.astype(np.float32)
    largest = scales.max(initial=0.0)
    return np.where(scales >= _SMALLEST, scales, largest if largest >= _SMALLEST else np.float32(1.0))


def symmetric_per_axis(
    array: NDArray[Any], axis: int, storage: Storage, expressed: AnyFloat, least: NDArray[Any] | float = 0.0
) -> UniformQuantizedType:
    """Return a scale for each slice of a constant along ``axis``, each at least ``least``."""
    others = tuple(i for i in range(array.ndim) if i != axis)
    wide = at_least_float32(array)
    scales = symmetric_scales(wide.min(others, initial=0.0), wide.max(others, initial=0.0), storage)
    scales = np.maximum(scales, np.asarray(least).astype(np.float32))
    return UniformQuantizedType.per_axis(storage, scales, (0,) * scales.size, axis, expressed)


def least_scales(
    weights: NDArray[Any], bias: NDArray[Any] | None, activation: UniformQuantizedType, axis: int | None
) -> NDArray[np.float64]:
    """Return the smallest scales of weights whose sums stay in 32 bits: one for each slice along ``axis``, or one.

    A bias may take an eighth of the range of 32 bits (TensorFlow Lite's ``AdjustWeightsForBiasScale`` gives it half,
    and does not bound the products). The products at their largest take the rest. Each weight may be rounded up by half
    an LSB. If no scale keeps the products in 32 bits, only the bias counts.
    """
    others = tuple(i for i in range(weights.ndim) if i != axis)
    totals = np.abs(weights).sum(others, dtype=np.float64).reshape(-1)
    reach = magnitude(activation)
    room = _PRODUCTS_LIMIT - reach * (weights.size / max(totals.size, 1) / 2 + 1)
    offsets = np.zeros(1) if bias is None else np.abs(bias.astype(np.float64)).reshape(-1) / activation.scale
    if offsets.size not in (1, totals.size):
        offsets = offsets.max(keepdims=True, initial=0.0)
    alone = np.broadcast_to(offsets / _BIAS_LIMIT, np.broadcast_shapes(totals.shape, offsets.shape))
    return np.maximum(alone, totals * reach / room) if room > 0 else np.asarray(alone)


def of_product(
    lhs: UniformQuantizedType, rhs: UniformQuantizedType, storage: Storage, axis: int | None
) -> UniformQuantizedType | None:
    """Return scale ``s_lhs * s_rhs`` (in float64) and zero point 0; per slice along ``axis`` if a factor is per axis.

    Returns None if the result would have to be per axis and has no axis.
    """
    if not (lhs.is_per_tensor or rhs.is_per_tensor) or lhs.is_sub_channel or rhs.is_sub_channel:
        return None
    scales = lhs.product_scales(rhs)
    if lhs.is_per_tensor and rhs.is_per_tensor:
        return UniformQuantizedType.per_tensor(storage, float(scales[0]), 0, lhs.expressed_type)
    if axis is None:
        return None
    return UniformQuantizedType.per_axis(storage, scales, (0,) * scales.size, axis, lhs.expressed_type)


def clipped(array: NDArray[Any], values: Range) -> NDArray[Any]:
    """Return a constant's elements clamped to a range, for each slice if the range has slices."""
    if values.axis is None or values.axis >= array.ndim or array.shape[values.axis] != len(values.slices):
        return np.clip(array, values.minimum, values.maximum)
    along = [-1 if i == values.axis else 1 for i in range(array.ndim)]
    low, high = (np.asarray(side, array.dtype).reshape(along) for side in zip(*values.slices, strict=True))
    return np.clip(array, low, high)


def on_storage(parameters: UniformQuantizedType, storage: Storage) -> UniformQuantizedType | None:
    """Return the same numbers in another storage of the same width: ui8 with zero point 128 is i8 with zero point 0.

    Returns None if the widths differ or a zero point does not fit the other storage.
    """
    if parameters.storage.width != storage.width:
        return None
    shift = _lowest(storage) - _lowest(parameters.storage)
    zero_points = parameters.zero_points + shift
    if zero_points.min() < storage.minimum or zero_points.max() > storage.maximum:
        return None
    return parameters.with_storage(storage, zero_points)


def _lowest(storage: Storage) -> int:
    return Storage.limits(storage.width, signed=storage.signed)[0]
