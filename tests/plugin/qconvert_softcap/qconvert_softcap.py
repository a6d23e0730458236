"""Adds ``com.example.SoftCap``: ``cap * tanh(x / cap)``, a float attribute ``cap`` (50.0 by default)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.onnx import NodeContext, onnx_op


@onnx_op("SoftCap", domain="com.example")
def softcap(ctx: NodeContext) -> SSAValue:
    """Emit three ops; types and shapes follow from the operands."""
    x = ctx.require_float(ctx.input(0))
    cap = ctx.scalar_like(ctx.number("cap", 50.0), x)
    squashed = ctx.emit(stablehlo.TanhOp(ctx.emit(stablehlo.DivideOp(x, cap))))
    return ctx.emit(stablehlo.MultiplyOp(squashed, cap))
