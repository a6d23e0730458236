"""Elementwise operators: rows for those that are one op after broadcasting.

Source: ONNX operator texts; broadcasting is numpy's from opset 7 on.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import BinaryOp, UnaryOp
from qconvert.frontends.onnx.context import NodeContext, onnx_op

_UNARY: dict[str, type[UnaryOp]] = {
    "Abs": stablehlo.AbsOp,
    "Ceil": stablehlo.CeilOp,
    "Cos": stablehlo.CosineOp,
    "Exp": stablehlo.ExponentialOp,
    "Floor": stablehlo.FloorOp,
    "Log": stablehlo.LogOp,
    "Neg": stablehlo.NegateOp,
    "Not": stablehlo.NotOp,
    "Round": stablehlo.RoundNearestEvenOp,
    "Sign": stablehlo.SignOp,
    "Sigmoid": stablehlo.LogisticOp,
    "Sin": stablehlo.SineOp,
    "Sqrt": stablehlo.SqrtOp,
    "Tan": stablehlo.TanOp,
    "Tanh": stablehlo.TanhOp,
}
_BINARY: dict[str, type[BinaryOp]] = {
    "Add": stablehlo.AddOp,
    "And": stablehlo.AndOp,
    "Div": stablehlo.DivideOp,
    "Mul": stablehlo.MultiplyOp,
    "Or": stablehlo.OrOp,
    "Pow": stablehlo.PowerOp,
    "Sub": stablehlo.SubtractOp,
    "Xor": stablehlo.XorOp,
}
_VARIADIC: dict[str, type[BinaryOp]] = {
    "Max": stablehlo.MaximumOp,
    "Min": stablehlo.MinimumOp,
    "Sum": stablehlo.AddOp,
}


def _unary(kind: type[UnaryOp]) -> Callable[[NodeContext], SSAValue]:
    def run(ctx: NodeContext) -> SSAValue:
        return ctx.emit(kind(ctx.input(0)))

    return run


def _binary(kind: type[BinaryOp]) -> Callable[[NodeContext], SSAValue]:
    def run(ctx: NodeContext) -> SSAValue:
        lhs, rhs = ctx.broadcast_together(ctx.input(0), ctx.input(1))
        return ctx.emit(kind(lhs, rhs))

    return run


def _variadic(kind: type[BinaryOp]) -> Callable[[NodeContext], SSAValue]:
    def run(ctx: NodeContext) -> SSAValue:
        first, *rest = ctx.broadcast_together(*ctx.all_inputs())
        for value in rest:
            first = ctx.emit(kind(first, value))
        return first

    return run


for _name, _kind in _UNARY.items():
    onnx_op(_name)(_unary(_kind))
for _name, _operation in _BINARY.items():
    onnx_op(_name, since=7)(_binary(_operation))
for _name, _operation in _VARIADIC.items():
    onnx_op(_name, since=8)(_variadic(_operation))
