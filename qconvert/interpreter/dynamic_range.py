"""Dynamic-range quantization as onnxruntime computes it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert import numerics
from qconvert.dialects.composite import DynamicRangeQuantizeOp
from qconvert.interpreter.implementation import Array, implements


@implements(DynamicRangeQuantizeOp)
def dynamic_range_quantize(op: DynamicRangeQuantizeOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Return integers, scale and zero point."""
    scale, zero_point = numerics.dynamic_range(operands[0])
    levels = numerics.quantize_onnx(operands[0], scale, zero_point, 0, numerics.LEVELS, np.uint8)
    return levels, scale, zero_point
