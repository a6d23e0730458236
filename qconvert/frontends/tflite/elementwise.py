"""Elementwise operators: arithmetic, MAXIMUM, MINIMUM, SQUARED_DIFFERENCE, POW, ATAN2 and functions of one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.frontends.tflite.context import OpContext, element_of, litert, tflite_op
from qconvert.frontends.tflite.fused import activated
from qconvert.ir import UniformQuantizedType, element_type, i32, is_float, quantized, shape
from qconvert.numerics import scale_exponent
from qconvert.numerics.fixed_point import ADD_BITS, SQUARED_DIFFERENCE_BITS
from qconvert.support.errors import ConversionError

_LINEAR: dict[str, tuple[type[stablehlo.BinaryOp], Callable[[], Any]]] = {
    "ADD": (stablehlo.AddOp, tflite.AddOptions),
    "MUL": (stablehlo.MultiplyOp, tflite.MulOptions),
    "SUB": (stablehlo.SubtractOp, tflite.SubOptions),
}


@tflite_op(*_LINEAR)
def linear(ctx: OpContext) -> SSAValue:
    """Return the sum, product or difference."""
    kind, options_kind = _LINEAR[ctx.op.op_type]
    options, (lhs, rhs) = ctx.options(options_kind), ctx.broadcast_together(ctx.value(0), ctx.value(1))
    shift = 0 if kind is stablehlo.MultiplyOp else _left_shift(ctx, options)
    result = ctx.emit(kind(lhs, rhs, element=ctx.result_type()), litert(left_shift=shift))
    return activated(ctx, result, options.FusedActivationFunction())


def _left_shift(ctx: OpContext, options: tflite.AddOptions | tflite.SubOptions) -> int:
    """Return the left shift of the operands: 0 if 16-bit scales are powers of two and the option PotScaleInt16 is set.

    Raises ConversionError for power-of-two scales that LiteRT refuses.
    """
    elements = [element_of(tensor) for tensor in (ctx.tensor(0), ctx.tensor(1), ctx.output())]
    quantized_types = [element for element in elements if isinstance(element, UniformQuantizedType)]
    if len(quantized_types) < 3:
        return 0
    width, scales = quantized_types[0].storage.width, [element.scale for element in quantized_types]
    powers = [power for power in map(scale_exponent, scales) if power is not None]
    if width != 16 or not options.PotScaleInt16() or len(powers) < len(scales):
        return ADD_BITS.get(width, 0)
    if max(powers[:2]) != powers[2]:
        found_scales = f"the scales of the operands and the result are the powers of two {scales}"
        raise ConversionError(found_scales, hint="LiteRT needs the result's scale equal to the larger operand's")
    return 0


@tflite_op("DIV")
def divide(ctx: OpContext) -> SSAValue:
    """Return the quotient; LiteRT refuses divisors of 0."""
    options = ctx.options(tflite.DivOptions)
    lhs, rhs = ctx.broadcast_together(ctx.value(0), ctx.value(1))
    quotient = ctx.emit(stablehlo.DivideOp(lhs, rhs, element=ctx.result_type()), litert(floats=32))
    return activated(ctx, quotient, options.FusedActivationFunction())


@tflite_op("SQUARED_DIFFERENCE")
def squared_difference(ctx: OpContext) -> SSAValue:
    """Return the square of the difference."""
    lhs, rhs = ctx.broadcast_together(ctx.value(0), ctx.value(1))
    element = quantized(lhs)
    if element is not None and element.storage.width != 8:
        raise ConversionError(f"{element} is not supported", hint="LiteRT has kernels for floats and 8 bits")
    op = composite.SquaredDifferenceOp(lhs, rhs, element=ctx.result_type())
    return ctx.emit(op, litert(left_shift=SQUARED_DIFFERENCE_BITS))


_LIMITS: dict[str, type[stablehlo.BinaryOp]] = {"MAXIMUM": stablehlo.MaximumOp, "MINIMUM": stablehlo.MinimumOp}


@tflite_op(*_LIMITS)
def limit(ctx: OpContext) -> SSAValue:
    """Return the larger or smaller value; integers are compared as they are. Raises ConversionError if types differ."""
    lhs, rhs = ctx.broadcast_together(ctx.value(0), ctx.value(1))
    result = ctx.result_type()
    if not element_type(lhs) == element_type(rhs) == result:
        types = f"{element_type(lhs)}, {element_type(rhs)} and {result}"
        raise ConversionError(f"operands and result have the types {types}", hint="LiteRT needs one type for all")
    return ctx.emit(_LIMITS[ctx.op.op_type](lhs, rhs), litert())


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
    """Apply a function to each element."""
    kind = _UNARY[ctx.op.op_type]
    if kind is stablehlo.NegateOp:
        _check_negated(ctx)
    return ctx.emit(kind(ctx.value(), element=ctx.result_type()), litert(floats=32))


def _check_negated(ctx: OpContext) -> None:
    """Raise ConversionError for zero points and differing scales, which LiteRT's kernel ignores."""
    element, result = quantized(ctx.value()), ctx.result_type()
    if element is not None and (element != result or element.zero_point):
        raise ConversionError(f"{element} is negated to {result}", hint="One scale and no zero point are needed")


_OF_FLOATS: dict[str, type[stablehlo.UnaryOp]] = {
    "CEIL": stablehlo.CeilOp,
    "COS": stablehlo.CosineOp,
    "FLOOR": stablehlo.FloorOp,
    "ROUND": stablehlo.RoundNearestEvenOp,
    "SIGN": stablehlo.SignOp,
    "SIN": stablehlo.SineOp,
}


@tflite_op(*_OF_FLOATS)
def unary_of_floats(ctx: OpContext) -> SSAValue:
    """Apply a function that LiteRT computes in floats only, SIGN of int32 as well."""
    _check_unscaled(ctx, ctx.value())
    return ctx.emit(_OF_FLOATS[ctx.op.op_type](ctx.value()))


_BINARY_OF_FLOATS: dict[str, type[stablehlo.BinaryOp]] = {"ATAN2": stablehlo.Atan2Op, "POW": stablehlo.PowerOp}


@tflite_op(*_BINARY_OF_FLOATS)
def binary_of_floats(ctx: OpContext) -> SSAValue:
    """Apply a function of two values that LiteRT computes in floats only, POW of int32 as well."""
    lhs, rhs = ctx.value(0), ctx.value(1)
    kind = _BINARY_OF_FLOATS[ctx.op.op_type]
    if kind is stablehlo.Atan2Op and shape(lhs) != shape(rhs):
        raise ConversionError(
            f"its operands have the shapes {shape(lhs)} and {shape(rhs)}", hint="Repeat the smaller one"
        )
    lhs, rhs = ctx.broadcast_together(lhs, rhs)
    _check_unscaled(ctx, lhs, rhs)
    return ctx.emit(kind(lhs, rhs))


_WITH_INTEGERS = ("POW", "SIGN")
"""Operators of floats that take int32 as well."""


def _check_unscaled(ctx: OpContext, *values: SSAValue) -> None:
    """Raise ConversionError for elements without a kernel in LiteRT, or that differ from the result's."""
    result = ctx.result_type()
    for element in map(element_type, values):
        is_known = is_float(element) or (ctx.op.op_type in _WITH_INTEGERS and element == i32)
        if not is_known or element != result:
            raise ConversionError(
                f"{ctx.op.op_type} of {element} to {result} is not supported",
                hint="LiteRT computes it in floats; dequantize the operands",
            )
