"""Hybrid contractions: a float left-hand side on a quantized right-hand side.

Source: StableHLO's RFC on hybrid quantized ops for weight-only quantization. ``hybrid_dequantize_then_op`` dequantizes
the right-hand side and computes in float; the weights stay integers in the program until then.
"""

from __future__ import annotations

from typing import TypeGuard

from xdsl.ir import Operation

from qconvert.dialects.stablehlo import ConvolutionOp, DotGeneralOp
from qconvert.ir.types import quantized

CONTRACTIONS = (ConvolutionOp, DotGeneralOp)


def is_hybrid(op: Operation) -> TypeGuard[ConvolutionOp | DotGeneralOp]:
    """Whether an op is a convolution or matrix product of a float by a quantized tensor."""
    return isinstance(op, CONTRACTIONS) and quantized(op.lhs) is None and quantized(op.rhs) is not None
