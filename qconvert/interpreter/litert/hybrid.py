"""LiteRT's hybrid kernels: float activations quantized at run time, multiplied by 8-bit weights in integers.

Source: TensorFlow Lite's hybrid evaluation of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and BATCH_MATMUL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.interpreter.contraction import convolve, matrix_product
from qconvert.interpreter.implementation import Array
from qconvert.interpreter.litert.kernels import kernel
from qconvert.ir import Arithmetic, UniformQuantizedType, quantized
from qconvert.numerics import round_half_away
from qconvert.support.errors import ConversionError

_LARGEST = 127


@dataclass(frozen=True)
class _Batch:
    """The integers of each slice, with their scale and zero point."""

    integers: Array
    scales: Array
    zero_points: Array


def _weights(op: Operation) -> UniformQuantizedType:
    element = quantized(op.operands[1])
    if element is None or element.storage.width != 8 or not element.has_zero_zero_point:
        raise ConversionError(f"LiteRT's hybrid kernels take symmetric 8-bit weights, found {op.operands[1].type}")
    return element


def _symmetric(real: Array, axes: tuple[int, ...]) -> _Batch:
    """Quantize each slice along ``axes`` by its largest magnitude, which becomes 127."""
    largest = np.abs(real).max(axis=axes, keepdims=True)
    safe = np.where(largest == 0, np.float32(1), largest).astype(np.float32)
    integers = round_half_away(real * (np.float32(_LARGEST) / safe))
    scales = np.where(largest == 0, np.float32(1), safe / np.float32(_LARGEST)).astype(np.float32)
    return _Batch(np.clip(integers, -_LARGEST, _LARGEST).astype(np.int64), scales, np.zeros(scales.shape, np.int64))


def _asymmetric(real: Array, axes: tuple[int, ...]) -> _Batch:
    """Quantize each slice along ``axes`` by its range, widened to include 0, to the integers from -128 to 127."""
    low = np.minimum(real.min(axis=axes, keepdims=True), 0).astype(np.float64)
    high = np.maximum(real.max(axis=axes, keepdims=True), 0).astype(np.float64)
    scale = np.where(low == high, 1.0, (high - low) / 255.0)
    from_low, from_high = -128 - low / scale, _LARGEST - high / scale
    low_error, high_error = 128 + np.abs(low / scale), _LARGEST + np.abs(high / scale)
    point = np.where(low_error < high_error, from_low, from_high)
    nudged = np.where(low == high, 0, np.clip(round_half_away(point), -128, _LARGEST)).astype(np.int64)
    inverse = np.float32(1.0) / scale.astype(np.float32)
    integers = round_half_away((nudged.astype(np.float32) + real * inverse).astype(np.float32))
    return _Batch(np.clip(integers, -128, _LARGEST).astype(np.int64), scale.astype(np.float32), nudged)


@kernel(stablehlo.DotGeneralOp, of_floats=True)
def dot_general(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Multiply rows of floats that are quantized one by one."""
    assert isinstance(op, stablehlo.DotGeneralOp)
    element, numbers = _weights(op), op.numbers
    rows = _batch(follows, operands[0], numbers.lhs_contracting_dimensions)
    sums = matrix_product(rows.integers - rows.zero_points, operands[1].astype(np.int64), numbers)
    outer = (*numbers.lhs_batching_dimensions, *numbers.lhs_free(operands[0].ndim))
    scales = rows.scales.transpose(*outer, *numbers.lhs_contracting_dimensions)
    scales = scales.reshape(*scales.shape[: len(outer)], *(1 for _ in range(sums.ndim - len(outer))))
    return np.asarray(sums.astype(np.float32) * (scales * element.scales.astype(np.float32)))


def _batch(follows: Arithmetic, real: Array, axes: tuple[int, ...]) -> _Batch:
    return (_asymmetric if follows.asymmetric else _symmetric)(real, axes)


@kernel(stablehlo.ConvolutionOp, of_floats=True)
def hybrid_convolution(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Convolve images that are quantized one by one."""
    assert isinstance(op, stablehlo.ConvolutionOp)
    element = _weights(op)
    images = _batch(follows, operands[0], tuple(range(1, operands[0].ndim)))
    sums = convolve(images.integers - images.zero_points, operands[1].astype(np.int64), op.window, op.groups)
    return np.asarray(sums.astype(np.float32) * (images.scales * element.scales.astype(np.float32)))
