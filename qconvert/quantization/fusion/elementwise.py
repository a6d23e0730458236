"""Arithmetic on tensors of one shape, with an activation. Inputs: the operands in order, constants among them."""

from __future__ import annotations

from xdsl.ir import Operation

from qconvert.dialects import composite, stablehlo
from qconvert.quantization.fusion.pattern import ACTIVATION, Pattern


def kernel_of(kind: type[Operation]) -> str:
    """The kernel that is one op, named as the op is without its dialect."""
    return kind.name.rpartition(".")[2]


_WITH_ACTIVATION = (stablehlo.AddOp, stablehlo.SubtractOp, stablehlo.MultiplyOp, stablehlo.DivideOp)
_BINARY = (
    stablehlo.MaximumOp,
    stablehlo.MinimumOp,
    stablehlo.PowerOp,
    stablehlo.Atan2Op,
    stablehlo.RemainderOp,
    *composite.ELEMENTWISE,
)
_UNARY = (
    stablehlo.AbsOp,
    stablehlo.CbrtOp,
    stablehlo.CeilOp,
    stablehlo.CosineOp,
    stablehlo.ExponentialOp,
    stablehlo.ExponentialMinusOneOp,
    stablehlo.FloorOp,
    stablehlo.LogOp,
    stablehlo.LogPlusOneOp,
    stablehlo.NegateOp,
    stablehlo.RoundNearestEvenOp,
    stablehlo.RoundNearestAfzOp,
    stablehlo.RsqrtOp,
    stablehlo.SignOp,
    stablehlo.SineOp,
    stablehlo.SqrtOp,
    stablehlo.TanOp,
)

PATTERNS = (
    *(Pattern(kernel_of(kind), (kind,), steps=(ACTIVATION, ACTIVATION)) for kind in _WITH_ACTIVATION),
    *(Pattern(kernel_of(kind), (kind,)) for kind in (*_BINARY, *_UNARY)),
)
