"""Cast and CastLike: conversion to another element type.

Source: ONNX Cast-6 to -25, CastLike-15 to -25. A float outside an integer type's range is undefined there; it becomes
the nearest integer that the type holds, as StableHLO's ``convert`` does it here.
"""

from __future__ import annotations

from onnx import TensorProto
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.small_float import converted, to_small_float
from qconvert.frontends.onnx.tensors import element_dtype
from qconvert.ir import element_type, f32, from_numpy_dtype, i32, is_float, is_small_float


@onnx_op("Cast", since=6)
def cast(ctx: NodeContext) -> SSAValue:
    """Convert to the element type of the attribute ``to``."""
    return _converted(ctx, from_numpy_dtype(element_dtype(ctx.integer("to", TensorProto.UNDEFINED))))


@onnx_op("CastLike", since=15)
def cast_like(ctx: NodeContext) -> SSAValue:
    """Convert to the element type of the second input."""
    return _converted(ctx, element_type(ctx.input(1)))


def _converted(ctx: NodeContext, element: Attribute) -> SSAValue:
    """Convert input 0 to another type; ``round_mode`` is for conversions to f8E8M0FNU, which are refused."""
    saturates = bool(ctx.integer("saturate", 1))
    ctx.ignore("round_mode")
    value = ctx.input(0)
    if element_type(value) == element:
        return value
    if is_small_float(element):
        return to_small_float(ctx, value, element, saturates=saturates)
    is_narrow = isinstance(element, IntegerType) and 1 < element.width.data < 8
    source = element_type(value)
    if is_small_float(source) or (is_narrow and isinstance(source, AnyFloat) and source.bitwidth == 16):
        value = converted(ctx, value, f32)
    if is_narrow and is_float(source):
        # To these types onnxruntime rounds floats and drops the higher bits; to wider ones it truncates.
        value = converted(ctx, ctx.emit(stablehlo.RoundNearestAfzOp(value)), i32)
    return converted(ctx, value, element)
