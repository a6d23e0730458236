"""Softmax and normalizations.

onnxruntime sums in float32, in an order that depends on the machine's vector width. Sums in float64 are nearest to all
of these orders: about one in a million random 8-bit results differs from onnxruntime's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert.dialects.composite import (
    InstanceNormalizationOp,
    L2NormalizationOp,
    LayerNormalizationOp,
    LogSoftmaxOp,
    RmsNormalizationOp,
    SoftmaxOp,
)
from qconvert.interpreter.elementwise import through_float
from qconvert.interpreter.implementation import Array, implements


def _powers_sum(shifted: Array, axis: int) -> tuple[Array, Array]:
    powers: Array = np.exp(shifted)
    return powers, powers.sum(axis=axis, keepdims=True, dtype=np.float64).astype(powers.dtype)


@implements(SoftmaxOp)
def softmax(op: SoftmaxOp, operands: Sequence[Array]) -> Array:
    """Return ``exp(x - max)`` times the reciprocal of its sum along the axis."""
    axis = op.axis.value.data

    def run(x: Array) -> Array:
        powers, total = _powers_sum(x - x.max(axis=axis, keepdims=True), axis)
        return np.asarray(powers * (1 / total))

    return through_float(op, operands, run)


@implements(LogSoftmaxOp)
def log_softmax(op: LogSoftmaxOp, operands: Sequence[Array]) -> Array:
    """Return ``x - max - log(sum)`` along the axis."""
    axis = op.axis.value.data

    def run(x: Array) -> Array:
        shifted = x - x.max(axis=axis, keepdims=True)
        return np.asarray(shifted - np.log(_powers_sum(shifted, axis)[1]))

    return through_float(op, operands, run)


@implements(L2NormalizationOp)
def l2_normalization(op: L2NormalizationOp, operands: Sequence[Array]) -> Array:
    """Divide by the root of the sum of squares along the axis."""

    def run(x: Array) -> Array:
        wide = x.astype(np.float64)
        total = (wide * wide).sum(axis=op.axis.value.data, keepdims=True)
        return np.asarray(wide / np.sqrt(np.maximum(total, op.floor.value.data)), x.dtype)

    return through_float(op, operands, run)


def _normal(x: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """Return ``x / sqrt(mean(x^2) + epsilon)`` in float64."""
    mean = np.mean(x * x, axis=axes, keepdims=True)
    return np.asarray(x / np.sqrt(mean + epsilon))


def _centred(x: Array, axes: tuple[int, ...]) -> Array:
    wide = x.astype(np.float64)
    return np.asarray(wide - wide.mean(axis=axes, keepdims=True))


@implements(InstanceNormalizationOp)
def instance_normalization(op: InstanceNormalizationOp, operands: Sequence[Array]) -> Array:
    """Normalize each feature over its spatial dimensions, then scale and shift it."""

    def run(x: Array, scale: Array, bias: Array) -> Array:
        axes, features = tuple(range(2, x.ndim)), (-1, *[1] * (x.ndim - 2))
        normal = _normal(_centred(x, axes), axes, op.epsilon.value.data)
        return np.asarray(normal * scale.reshape(features) + bias.reshape(features), x.dtype)

    return through_float(op, operands, run)


@implements(LayerNormalizationOp)
def layer_normalization(op: LayerNormalizationOp, operands: Sequence[Array]) -> Array:
    """Normalize over the trailing dimensions, then scale and shift."""

    def run(x: Array, scale: Array, bias: Array | None = None) -> Array:
        axes = tuple(range(op.axis.value.data, x.ndim))
        scaled = _normal(_centred(x, axes), axes, op.epsilon.value.data) * scale
        return np.asarray(scaled if bias is None else scaled + bias, x.dtype)

    return through_float(op, operands, run)


@implements(RmsNormalizationOp)
def rms_normalization(op: RmsNormalizationOp, operands: Sequence[Array]) -> Array:
    """Divide by the root of the mean of squares over the trailing dimensions, then scale."""

    def run(x: Array, scale: Array) -> Array:
        axes = tuple(range(op.axis.value.data, x.ndim))
        return np.asarray(_normal(x.astype(np.float64), axes, op.epsilon.value.data) * scale, x.dtype)

    return through_float(op, operands, run)
