"""ADD, SUB, MUL and functions of one value."""

from __future__ import annotations

from typing import Any

import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.types import quantized
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.fused import activated

_ADD_BITS = {8: 20, 16: 15}
"""How far LiteRT shifts operands to the left before it adds them."""


def _binary(ctx: OpContext, kind: type[stablehlo.BinaryOp], options: Any) -> SSAValue:
    lhs, rhs = ctx.broadcast_together(ctx.value(0), ctx.value(1))
    element = quantized(lhs)
    shift = 0 if element is None or kind is stablehlo.MultiplyOp else _ADD_BITS.get(element.storage.width, 0)
    made = ctx.emit(kind(lhs, rhs, element=ctx.result_type()), litert(left_shift=shift))
    return activated(ctx, made, options.FusedActivationFunction())


@tflite_op("ADD")
def add(ctx: OpContext) -> SSAValue:
    """The sum."""
    return _binary(ctx, stablehlo.AddOp, ctx.options(tflite.AddOptions))


@tflite_op("SUB")
def subtract(ctx: OpContext) -> SSAValue:
    """The difference."""
    return _binary(ctx, stablehlo.SubtractOp, ctx.options(tflite.SubOptions))


@tflite_op("MUL")
def multiply(ctx: OpContext) -> SSAValue:
    """The product."""
    return _binary(ctx, stablehlo.MultiplyOp, ctx.options(tflite.MulOptions))


_UNARY: dict[str, type[stablehlo.UnaryOp]] = {
    "ABS": stablehlo.AbsOp,
    "EXP": stablehlo.ExponentialOp,
    "LOG": stablehlo.LogOp,
    "LOGISTIC": stablehlo.LogisticOp,
    "NEG": stablehlo.NegateOp,
    "RSQRT": stablehlo.RsqrtOp,
    "SQRT": stablehlo.SqrtOp,
    "TANH": stablehlo.TanhOp,
}


@tflite_op(*_UNARY)
def unary(ctx: OpContext) -> SSAValue:
    """The function of each element."""
    return ctx.emit(_UNARY[ctx.op.op_type](ctx.value(), element=ctx.result_type()), litert())
