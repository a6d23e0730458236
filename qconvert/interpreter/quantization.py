"""``constant``, ``uniform_quantize``, ``uniform_dequantize``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import dequantize, quantized_result
from qconvert.interpreter.implementation import Array, implements
from qconvert.ir import UniformQuantizedType, tensor


@implements(stablehlo.ConstantOp)
def constant(op: stablehlo.ConstantOp, operands: Sequence[Array]) -> Array:
    """Return the constant's array, which is read-only."""
    return op.array


@implements(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: Operation, operands: Sequence[Array]) -> Array:
    """Quantize, or requantize."""
    return quantized_result(op, real_values(op, operands[0]))


def real_values(op: Operation, array: Array) -> Array:
    """Return the real values that a ``uniform_quantize`` rounds, before the division by its scale.

    A 32-bit accumulator is scaled in float64. Its value in f32 would be rounded once more. Runtimes that keep the
    accumulator in integers do not round there, and onnxruntime's own float accumulation does not do so either.
    """
    type = tensor(op.operands[0])
    element = type.element_type
    if isinstance(element, UniformQuantizedType) and element.storage.width == 32:
        scales: Array = element.broadcast(element.scales, array.shape)
        zero_points: Array = element.broadcast(element.zero_points, array.shape)
        return np.asarray((array.astype(np.float64) - zero_points) * scales)
    return dequantize(array, type)


@implements(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: Operation, operands: Sequence[Array]) -> Array:
    """Return ``(q - zero_point) * scale`` in the expressed type."""
    return dequantize(operands[0], tensor(op.operands[0]))
