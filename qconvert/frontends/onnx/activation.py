"""Activations: Relu and Clip as StableHLO has them, the rest as composites.

Source: ONNX operator texts.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.types import shape
from qconvert.errors import ConversionError
from qconvert.frontends.onnx.context import NodeContext, constant_array, onnx_op


@onnx_op("Relu")
def relu(ctx: NodeContext) -> SSAValue:
    """``max(x, 0)``."""
    ctx.ignore("consumed_inputs")
    value = ctx.input(0)
    return ctx.emit(stablehlo.MaximumOp(value, ctx.scalar_like(0, value)))


@onnx_op("Clip")
def clip_attributes(ctx: NodeContext) -> SSAValue:
    """Bounds as attributes (before opset 11), the largest float32 values where they are absent."""
    ctx.ignore("consumed_inputs")
    value = ctx.require_float(ctx.input(0))
    limit = float(np.finfo(np.float32).max)
    low, high = ctx.number("min", -limit), ctx.number("max", limit)
    return ctx.emit(stablehlo.ClampOp(ctx.scalar_like(low, value), value, ctx.scalar_like(high, value)))


@onnx_op("Clip", since=11)
def clip(ctx: NodeContext) -> SSAValue:
    """Bounds as optional scalar inputs; the upper one wins where they cross."""
    value, low, high = ctx.input(0), _bound(ctx, 1), _bound(ctx, 2)
    if low is not None and high is not None:
        return ctx.emit(stablehlo.ClampOp(low, value, high))
    if low is not None:
        return ctx.emit(stablehlo.MaximumOp(value, low))
    return value if high is None else ctx.emit(stablehlo.MinimumOp(value, high))


def _bound(ctx: NodeContext, index: int) -> SSAValue | None:
    """A scalar input in the shape of the clipped value: a splat where it is constant."""
    bound = ctx.optional(index)
    if bound is None:
        return None
    if int(np.prod(shape(bound))) != 1:
        raise ConversionError(f"a bound of shape {list(shape(bound))} is not a scalar")
    value = ctx.input(0)
    array = constant_array(bound)
    if array is not None:
        return ctx.build.filled_like(array.reshape(()), value)
    return ctx.broadcast(ctx.reshape(bound, ()), shape(value))
