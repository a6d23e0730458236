"""Cast and CastLike: conversion to another element type.

Source: ONNX Cast-6 to -25, CastLike-15 to -25. A float outside an integer type's range is undefined there; it becomes
the nearest integer that the type holds, as StableHLO's ``convert`` does it here.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.ir import element_type, from_numpy_dtype
from qconvert.support.errors import ConversionError


@onnx_op("Cast", since=6)
def cast(ctx: NodeContext) -> SSAValue:
    """Convert to the element type of the attribute ``to``."""
    to = ctx.integer("to", TensorProto.UNDEFINED)
    if to not in TensorProto.DataType.values() or to in (TensorProto.UNDEFINED, TensorProto.STRING):
        raise ConversionError(f"a cast to the element type {to} is not supported")
    return _converted(ctx, from_numpy_dtype(np.dtype(helper.tensor_dtype_to_np_dtype(to))))


@onnx_op("CastLike", since=15)
def cast_like(ctx: NodeContext) -> SSAValue:
    """Convert to the element type of the second input."""
    return _converted(ctx, element_type(ctx.input(1)))


def _converted(ctx: NodeContext, element: Attribute) -> SSAValue:
    """Convert input 0 to another type; ``saturate`` and ``round_mode`` apply to float8 types only."""
    ctx.ignore("saturate", "round_mode")
    value = ctx.input(0)
    if isinstance(element, IntegerType) and 1 < element.width.data < 8:
        raise ConversionError(
            f"a cast to {element} is not supported", hint="QuantizeLinear makes values of 2 and 4 bits"
        )
    return value if element_type(value) == element else ctx.emit(stablehlo.ConvertOp(value, element))
