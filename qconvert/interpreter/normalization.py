"""Softmax and layer normalization, in the operand's float type and in onnxruntime's order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert.dialects.composite import LayerNormalizationOp, SoftmaxOp
from qconvert.interpreter.core import Array, implements
from qconvert.interpreter.elementwise import through_float


@implements(SoftmaxOp)
def softmax(op: SoftmaxOp, operands: Sequence[Array]) -> Array:
    """``exp(x - max) / sum`` along the axis."""
    axis = op.axis.value.data

    def run(x: Array) -> Array:
        powers = np.exp(x - x.max(axis=axis, keepdims=True))
        return np.asarray(powers / powers.sum(axis=axis, keepdims=True))

    return through_float(op, operands, run)


@implements(LayerNormalizationOp)
def layer_normalization(op: LayerNormalizationOp, operands: Sequence[Array]) -> Array:
    """Normalize over the trailing dimensions, then scale and shift."""
    epsilon = op.epsilon.value.data

    def run(x: Array, scale: Array, bias: Array | None = None) -> Array:
        axes = tuple(range(op.axis.value.data, x.ndim))
        centred = x - x.mean(axis=axes, keepdims=True)
        deviation = np.sqrt((centred * centred).mean(axis=axes, keepdims=True) + x.dtype.type(epsilon))
        normal = centred / deviation * scale
        return np.asarray(normal if bias is None else normal + bias)

    return through_float(op, operands, run)
