"""Weights and biases in other integers of the same values, for which the reference kernels round sums closer.

The reference kernels of convolutions multiply a sum of 8-bit products by a factor of one half to one, round, divide by
a power of two, and round again. The larger the sum, the less the first rounding matters. The kernels multiply a sum of
64 bits, which a bias of 64 bits asks for, by a factor of 16 bits, and one of 32 bits by a factor of 32 bits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert.backends.tflite.graph import Tensor
from qconvert.backends.tflite.lowering import Writer
from qconvert.backends.tflite.weights import Operands, scaled_bias
from qconvert.ir import ACCUMULATOR, Storage, UniformQuantizedType, array_of, computed, converted

_LARGEST = 127


def enlarged(operands: Operands, axis: int, write: Writer) -> Operands:
    """Return operands whose weights are multiplied by the power of two that a channel's 8 bits have room for.

    Scales are divided by it, and the bias is multiplied by it. ``axis`` has the outputs.
    """
    activations, weights, bias = operands.activations.quantization, operands.weights, _integers(operands.bias)
    element = weights.quantization
    if activations is None or element is None or weights.data is None or bias is None:
        return operands
    if element.storage.width != 8 or not element.storage.signed or np.any(element.zero_points):
        return operands
    rows = _magnitudes(array_of(weights.data), axis)
    room = _LARGEST // np.maximum(rows.max(axis=1).astype(np.int64), 1)
    if activations.storage.width == 8:
        room = np.minimum(room, ((1 << (ACCUMULATOR.width - 1)) - 1) // _largest_sums(activations, rows, bias))
    factors = 1 << np.floor(np.log2(np.maximum(room, 1))).astype(np.int64)
    if not np.any(factors > 1):
        return operands
    scales = np.broadcast_to(element.scales, factors.shape) / factors
    kind = UniformQuantizedType.per_axis(element.storage, scales, np.zeros(scales.size, np.int64), axis)
    along = [1] * len(weights.shape)
    along[axis] = -1
    along_axis, dtype = factors.reshape(along), weights.data.dtype
    data = computed(weights.data, lambda array: (array * along_axis).astype(dtype), dtype)
    added = scaled_bias(write, bias * factors, activations, kind, f"{operands.bias.name}_enlarged")
    return replace(operands, weights=replace(weights, element=kind, data=data), bias=added)


def widened(weights: Tensor) -> Tensor:
    """Return weights of 4 bits in 8, for kernels that take no others."""
    element = weights.quantization
    if element is None or element.storage.width != _NIBBLE or weights.data is None:
        return weights
    held = element.with_storage(Storage.full(2 * _NIBBLE, signed=True), element.data.zero_points)
    return replace(weights, element=held, data=converted(weights.data, np.dtype(np.int8)))


_NIBBLE = 4


def narrowed(operands: Operands, axis: int, write: Writer) -> Operands | None:
    """Return operands with a bias of 32 bits for activations of 16 bits, None where sums may need more bits."""
    activations, weights, bias = operands.activations.quantization, operands.weights, _integers(operands.bias)
    element = weights.quantization
    if activations is None or element is None or weights.data is None or bias is None:
        return None
    if activations.storage.width != 16 or element.storage.width != 8:
        return None
    rows = _magnitudes(array_of(weights.data), axis)
    if _largest_sums(activations, rows, bias).max() >= 1 << (ACCUMULATOR.width - 1):
        return None
    kind = UniformQuantizedType.accumulator(activations.product_scales(element), 0)
    return replace(operands, bias=write.constant(bias, kind, f"{operands.bias.name}_narrow"))


def _integers(bias: Tensor) -> NDArray[Any] | None:
    return None if bias.data is None else array_of(bias.data)


def _magnitudes(weights: NDArray[Any], axis: int) -> NDArray[np.int16]:
    """Return the magnitudes of weights of 8 bits, one row for each slice along an axis."""
    rows = np.moveaxis(weights, axis, 0).reshape(weights.shape[axis], -1)
    magnitudes: NDArray[np.int16] = np.abs(rows, dtype=np.int16)
    return magnitudes


def _largest_sums(activations: UniformQuantizedType, rows: NDArray[np.int16], bias: NDArray[Any]) -> NDArray[np.int64]:
    """Return the largest magnitude that a sum of each channel may have, at least 1."""
    storage, zero_point = activations.storage, int(activations.zero_point)
    largest = max(storage.maximum - zero_point, zero_point - storage.minimum)
    found: NDArray[np.int64] = rows.sum(axis=1, dtype=np.int64) * largest + np.abs(bias.astype(np.int64))
    return np.maximum(found, 1)
