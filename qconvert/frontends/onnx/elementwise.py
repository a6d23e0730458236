"""Elementwise operators; those that are one op after broadcasting stand in tables.

Source: ONNX operator texts; broadcasting is numpy's from opset 7 on.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import BinaryOp, UnaryOp
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.ir import element_type, f64, i1, is_float, shape
from qconvert.support.errors import ConversionError

Kind = Callable[[Attribute], bool]


def _boolean(element: Attribute) -> bool:
    return element == i1


def _integer(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element != i1


def _number(element: Attribute) -> bool:
    return is_float(element) or _integer(element)


def _unsigned(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED


_UNARY: dict[str, tuple[type[UnaryOp], Kind]] = {
    "BitwiseNot": (stablehlo.NotOp, _integer),
    "Ceil": (stablehlo.CeilOp, is_float),
    "Cos": (stablehlo.CosineOp, is_float),
    "Exp": (stablehlo.ExponentialOp, is_float),
    "Floor": (stablehlo.FloorOp, is_float),
    "Log": (stablehlo.LogOp, is_float),
    "Neg": (stablehlo.NegateOp, _number),
    "Not": (stablehlo.NotOp, _boolean),
    "Round": (stablehlo.RoundNearestEvenOp, is_float),
    "Sigmoid": (stablehlo.LogisticOp, is_float),
    "Sin": (stablehlo.SineOp, is_float),
    "Sqrt": (stablehlo.SqrtOp, is_float),
    "Tan": (stablehlo.TanOp, is_float),
    "Tanh": (stablehlo.TanhOp, is_float),
}
_BINARY: dict[str, tuple[type[BinaryOp], Kind]] = {
    "Add": (stablehlo.AddOp, _number),
    "And": (stablehlo.AndOp, _boolean),
    "BitwiseAnd": (stablehlo.AndOp, _integer),
    "BitwiseOr": (stablehlo.OrOp, _integer),
    "BitwiseXor": (stablehlo.XorOp, _integer),
    "Div": (stablehlo.DivideOp, _number),
    "Mul": (stablehlo.MultiplyOp, _number),
    "Or": (stablehlo.OrOp, _boolean),
    "Sub": (stablehlo.SubtractOp, _number),
    "Xor": (stablehlo.XorOp, _boolean),
}
_VARIADIC: dict[str, type[BinaryOp]] = {
    "Max": stablehlo.MaximumOp,
    "Min": stablehlo.MinimumOp,
    "Sum": stablehlo.AddOp,
}


def _operands(ctx: NodeContext, kind: Kind) -> list[SSAValue]:
    """Return all inputs in their common shape; raises ConversionError if their types differ or are not of ``kind``."""
    values = ctx.broadcast_together(*ctx.all_inputs())
    elements = {element_type(value) for value in values}
    if len(elements) != 1 or not kind(next(iter(elements))):
        types = " and ".join(str(element_type(value)) for value in values)
        raise ConversionError(f"inputs of type {types}", hint="Check the model with onnx.checker")
    return values


@onnx_op(*_UNARY)
def unary(ctx: NodeContext) -> SSAValue:
    """Apply a function to each element."""
    make, kind = _UNARY[ctx.op_type]
    (value,) = _operands(ctx, kind)
    return ctx.emit(make(value))


def magnitude(ctx: NodeContext, value: SSAValue) -> SSAValue:
    """Return ``|x|``: unsigned integers as they are, which StableHLO's abs does not take (I1)."""
    return value if _unsigned(element_type(value)) else ctx.emit(stablehlo.AbsOp(value))


@onnx_op("Abs")
def absolute(ctx: NodeContext) -> SSAValue:
    """Return the magnitude of each element."""
    (value,) = _operands(ctx, _number)
    return magnitude(ctx, value)


@onnx_op("Sign")
def sign(ctx: NodeContext) -> SSAValue:
    """Return -1, 0 or 1 for each element; StableHLO's sign takes no unsigned integers (I1)."""
    (value,) = _operands(ctx, _number)
    if _unsigned(element_type(value)):
        return ctx.emit(stablehlo.MinimumOp(value, ctx.scalar_like(1, value)))
    return ctx.emit(stablehlo.SignOp(value))


@onnx_op(*_BINARY, since=7)
def binary(ctx: NodeContext) -> SSAValue:
    """Combine two inputs element by element."""
    make, kind = _BINARY[ctx.op_type]
    lhs, rhs = _operands(ctx, kind)
    return ctx.emit(make(lhs, rhs))


_SHIFTS: dict[str, type[BinaryOp]] = {"LEFT": stablehlo.ShiftLeftOp, "RIGHT": stablehlo.ShiftRightLogicalOp}


@onnx_op("BitShift", since=11)
def bit_shift(ctx: NodeContext) -> SSAValue:
    """Shift the bits of integers; those with a sign, which opset 28 adds, keep it."""
    direction = ctx.text("direction", "")
    if direction not in _SHIFTS:
        raise ConversionError(f"the direction is '{direction}'", hint="Give LEFT or RIGHT")
    lhs, rhs = _operands(ctx, _unsigned if ctx.opset < 28 else _integer)
    if direction == "RIGHT" and not _unsigned(element_type(lhs)):
        return ctx.emit(stablehlo.ShiftRightArithmeticOp(lhs, rhs))
    return ctx.emit(_SHIFTS[direction](lhs, rhs))


@onnx_op(*_VARIADIC, since=8)
def variadic(ctx: NodeContext) -> SSAValue:
    """Combine all inputs element by element."""
    return _chain(ctx, _VARIADIC[ctx.op_type])


def _chain(ctx: NodeContext, make: type[BinaryOp]) -> SSAValue:
    """Combine all inputs from left to right."""
    first, *rest = _operands(ctx, _number)
    for value in rest:
        first = ctx.emit(make(first, value))
    return first


@onnx_op("Mean", since=8)
def mean(ctx: NodeContext) -> SSAValue:
    """Return the sum of all inputs divided by their number."""
    total = _chain(ctx, stablehlo.AddOp)
    return ctx.emit(stablehlo.DivideOp(total, ctx.scalar_like(len(ctx.inputs), total)))


@onnx_op("Mod", since=10)
def mod(ctx: NodeContext) -> SSAValue:
    """Return the remainder with the sign of the divisor or, with ``fmod``, of the dividend."""
    lhs, rhs = _operands(ctx, _number)
    remainder = ctx.emit(stablehlo.RemainderOp(lhs, rhs))
    if ctx.integer("fmod", 0):
        return remainder
    if is_float(element_type(lhs)) and ctx.opset < 28:
        raise ConversionError("Mod of floats needs fmod=1", hint="Mod without fmod takes floats from opset 28 on")
    zero = ctx.scalar_like(0, lhs)
    below = [ctx.emit(stablehlo.CompareOp(v, zero, stablehlo.ComparisonDirection.LT)) for v in (remainder, rhs)]
    differs = ctx.emit(stablehlo.XorOp(below[0], below[1]))
    nonzero = ctx.emit(stablehlo.CompareOp(remainder, zero, stablehlo.ComparisonDirection.NE))
    wrong_sign = ctx.emit(stablehlo.AndOp(nonzero, differs))
    return ctx.emit(stablehlo.SelectOp(wrong_sign, ctx.emit(stablehlo.AddOp(remainder, rhs)), remainder))


@onnx_op("Pow", since=7)
def power(ctx: NodeContext) -> SSAValue:
    """Return ``base ** exponent`` in the base's type. Integers with float exponents are computed in f64 and truncated.

    As in onnxruntime, a constant exponent of 2 or 3 becomes a product, which also has a quantized form.
    """
    base, exponent = ctx.input(0), ctx.input(1)
    number = stablehlo.elements_of(exponent)
    wanted = element_type(base)
    if number is not None and number.size == 1 and number.item() in (2, 3) and len(shape(exponent)) <= len(shape(base)):
        square = ctx.emit(stablehlo.MultiplyOp(base, base))
        return square if number.item() == 2 else ctx.emit(stablehlo.MultiplyOp(square, base))
    common = f64 if is_float(element_type(exponent)) and not is_float(wanted) else wanted
    base, exponent = ctx.broadcast_together(_converted(ctx, base, common), _converted(ctx, exponent, common))
    return _converted(ctx, ctx.emit(stablehlo.PowerOp(base, exponent)), wanted)


def _converted(ctx: NodeContext, value: SSAValue, element: Attribute) -> SSAValue:
    return value if element_type(value) == element else ctx.emit(stablehlo.ConvertOp(value, element))
