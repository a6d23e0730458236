"""The number of multiply-accumulates of TOSA's ops."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation

from qconvert.dialects import tosa
from qconvert.ir import shape


def macs(op: Operation) -> int:
    """Return the number of multiply-accumulates of a convolution or a matrix product; 0 for other ops."""
    if isinstance(op, tosa.DepthwiseConv2DOp):
        return prod(shape(op.output)) * prod(op.kernel_sizes)
    if isinstance(op, tosa.Conv2DOp | tosa.Conv3DOp):
        return prod(shape(op.output)) * prod(op.kernel_sizes) * op.inputs
    if isinstance(op, tosa.TransposeConv2DOp):
        return prod(shape(op.input)[:-1]) * prod(shape(op.weight))
    return prod(shape(op.a)) * shape(op.b)[-1] if isinstance(op, tosa.MatMulOp) else 0
