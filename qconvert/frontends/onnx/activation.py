"""Activations: Relu and Clip as StableHLO ops, the others as composites.

Source: ONNX operator texts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.frontends.onnx.context import NodeContext, fits, onnx_op
from qconvert.ir import element_type, shape, tensor
from qconvert.support.errors import ConversionError


@onnx_op("Relu")
def relu(ctx: NodeContext) -> SSAValue:
    """Return ``max(x, 0)``."""
    ctx.ignore("consumed_inputs")
    value = ctx.input(0)
    return ctx.emit(stablehlo.MaximumOp(value, ctx.scalar_like(0, value)))


@onnx_op("Clip")
def clip_attributes(ctx: NodeContext) -> SSAValue:
    """Clamp to bounds given as attributes (before opset 11); an absent bound is the largest float32 value."""
    ctx.ignore("consumed_inputs")
    value = ctx.require_float(ctx.input(0))
    limit = float(np.finfo(np.float32).max)
    low, high = ctx.number("min", -limit), ctx.number("max", limit)
    return ctx.emit(stablehlo.ClampOp(ctx.scalar_like(low, value), value, ctx.scalar_like(high, value)))


@onnx_op("Clip", since=11)
def clip(ctx: NodeContext) -> SSAValue:
    """Clamp to bounds given as optional scalar inputs; the upper bound wins where they cross."""
    value, low, high = ctx.input(0), _bound(ctx, 1), _bound(ctx, 2)
    if low is not None and high is not None:
        return ctx.emit(stablehlo.ClampOp(low, value, high))
    if low is not None:
        return ctx.emit(stablehlo.MaximumOp(value, low))
    return value if high is None else ctx.emit(stablehlo.MinimumOp(value, high))


def _bound(ctx: NodeContext, index: int) -> SSAValue | None:
    """Return a scalar input in the shape of the clipped value, or None if it is absent; a constant becomes a splat."""
    bound = ctx.optional(index)
    if bound is None:
        return None
    if int(np.prod(shape(bound))) != 1:
        raise ConversionError(f"a bound of shape {list(shape(bound))} is not a scalar")
    value = ctx.input(0)
    if element_type(bound) != element_type(value):
        raise ConversionError(f"a bound of type {element_type(bound)} for {element_type(value)}")
    array = stablehlo.elements_of(bound)
    if array is not None:
        return ctx.build.filled_like(array.reshape(()), value)
    return ctx.broadcast(ctx.reshape(bound, ()), shape(value))


@onnx_op("PRelu", since=7)
def prelu(ctx: NodeContext) -> SSAValue:
    """Multiply negative elements by a slope, which broadcasts to x."""
    value, slope = ctx.require_float(ctx.input(0)), ctx.input(1)
    if not fits(slope, value) or element_type(slope) != element_type(value):
        raise ConversionError(f"a slope of type {tensor(slope)} for an input of type {tensor(value)}")
    return ctx.emit(composite.PReluOp(value, slope))


@onnx_op("Gelu", since=20)
def gelu(ctx: NodeContext) -> SSAValue:
    """Return gelu, computed with erf or, for ``approximate="tanh"``, with tanh."""
    form = ctx.text("approximate", "none")
    if form not in ("none", "tanh"):
        raise ConversionError(f"approximate is '{form}'", hint="Use 'none' or 'tanh'")
    return ctx.emit(composite.GeluOp(ctx.require_float(ctx.input(0)), tanh=form == "tanh"))


def _row(make: Callable[..., composite.ActivationOp], **defaults: float) -> Callable[[NodeContext], SSAValue]:
    """Return the importer of a composite whose parameters are float attributes of the same names."""

    def run(ctx: NodeContext) -> SSAValue:
        numbers = {name: ctx.number(name, default) for name, default in defaults.items()}
        return ctx.emit(make(ctx.require_float(ctx.input(0)), **numbers))

    return run


onnx_op("Celu", since=12)(_row(composite.CeluOp, alpha=1.0))
onnx_op("Elu")(_row(composite.EluOp, alpha=1.0))
onnx_op("Erf", since=9)(_row(composite.ErfOp))
onnx_op("HardSigmoid")(_row(composite.HardSigmoidOp, alpha=0.2, beta=0.5))
onnx_op("HardSwish", since=14)(_row(composite.HardSwishOp))
onnx_op("LeakyRelu")(_row(composite.LeakyReluOp, alpha=0.01))
onnx_op("Mish", since=18)(_row(composite.MishOp))
onnx_op("Reciprocal")(_row(composite.ReciprocalOp))
onnx_op("Selu")(_row(composite.SeluOp, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875))
onnx_op("Softplus")(_row(composite.SoftplusOp))
onnx_op("Softsign")(_row(composite.SoftsignOp))
onnx_op("Swish", since=24)(_row(composite.SwishOp, alpha=1.0))
onnx_op("ThresholdedRelu", since=10)(_row(composite.ThresholdedReluOp, alpha=1.0))
