"""Reductions over axes.

Source: ONNX ReduceMean, ReduceSum, ... opsets 1 to 18; axes are an attribute first, an input later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import BinaryOp
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.elementwise import magnitude
from qconvert.frontends.reduction import reduced, with_kept
from qconvert.ir import quantized, shape
from qconvert.support.errors import ConversionError


def comparable(ctx: NodeContext) -> SSAValue:
    """Return the first input for an op that only compares: a per-tensor quantized value stays as it is."""
    value = ctx.carried(0)
    element = quantized(value)
    return value if element is not None and element.is_per_tensor else ctx.input(0)


def reduced_with(
    ctx: NodeContext, kind: type[BinaryOp], value: SSAValue, axes: Sequence[int], *, keep: bool
) -> SSAValue:
    """Combine the elements along ``axes``; ``keep`` leaves dimensions of size 1 in their place."""
    return with_kept(ctx, _reduced(ctx, kind, value, axes), value, axes, keep=keep)


def _reduced(ctx: NodeContext, kind: type[BinaryOp], value: SSAValue, axes: Sequence[int]) -> SSAValue:
    return reduced(ctx, kind, value, axes) if axes else value


def reduced_mean(ctx: NodeContext, value: SSAValue, axes: Sequence[int], *, keep: bool) -> SSAValue:
    """Return the sum along ``axes`` divided by the number of elements; integer quotients are truncated."""
    if not axes:
        return value
    total = _reduced(ctx, stablehlo.AddOp, value, axes)
    count = math.prod(shape(value)[i] for i in axes)
    if not count:
        raise ConversionError("the mean of no elements is undefined", hint="Check the shapes in the model")
    mean = ctx.emit(stablehlo.DivideOp(total, ctx.scalar_like(count, total)))
    return with_kept(ctx, mean, value, axes, keep=keep)


def _axes(ctx: NodeContext, rank: int) -> list[int]:
    """Return the axes to reduce: without ``axes`` all, or none with ``noop_with_empty_axes``.

    With no axes the function still applies to each element: ReduceL1 is then the absolute value.
    """
    axes = ctx.ints_from(1, "axes")
    if ctx.integer("noop_with_empty_axes", 0) and not axes:
        return []
    return ctx.axes(axes or range(rank), rank)


Reducer = Callable[[NodeContext, SSAValue, Sequence[int], bool], SSAValue]


def _plain(kind: type[BinaryOp]) -> Reducer:
    return lambda ctx, value, axes, keep: reduced_with(ctx, kind, value, axes, keep=keep)


def _magnitude(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    return reduced_with(ctx, stablehlo.AddOp, magnitude(ctx, value), axes, keep=keep)


def _squares(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    return reduced_with(ctx, stablehlo.AddOp, ctx.emit(stablehlo.MultiplyOp(value, value)), axes, keep=keep)


def _length(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    return ctx.emit(stablehlo.SqrtOp(_squares(ctx, ctx.require_float(value), axes, keep)))


def _log_sum(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    return ctx.emit(stablehlo.LogOp(reduced_with(ctx, stablehlo.AddOp, ctx.require_float(value), axes, keep=keep)))


def _log_sum_exp(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    """Return ``log(sum(exp(x - m))) + m``; m is the largest element, clamped to be finite so that infinities pass."""
    largest = _reduced(ctx, stablehlo.MaximumOp, ctx.require_float(value), axes)
    bound = float(np.finfo(np.float32).max)
    low, high = ctx.scalar_like(-bound, largest), ctx.scalar_like(bound, largest)
    largest = ctx.emit(stablehlo.ClampOp(low, largest, high))
    others = [i for i in range(len(shape(value))) if i not in axes]
    shifted = stablehlo.SubtractOp(value, ctx.emit(stablehlo.BroadcastInDimOp(largest, shape(value), others)))
    powers = ctx.emit(stablehlo.ExponentialOp(ctx.emit(shifted)))
    logarithm = ctx.emit(stablehlo.LogOp(_reduced(ctx, stablehlo.AddOp, powers, axes)))
    return with_kept(ctx, ctx.emit(stablehlo.AddOp(logarithm, largest)), value, axes, keep=keep)


_REDUCTIONS: dict[str, Reducer] = {
    "ReduceL1": _magnitude,
    "ReduceL2": _length,
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": _plain(stablehlo.MaximumOp),
    "ReduceMean": lambda ctx, value, axes, keep: reduced_mean(ctx, value, axes, keep=keep),
    "ReduceMin": _plain(stablehlo.MinimumOp),
    "ReduceProd": _plain(stablehlo.MultiplyOp),
    "ReduceSum": _plain(stablehlo.AddOp),
    "ReduceSumSquare": _squares,
}
_BY_ORDER = ("ReduceMax", "ReduceMin")
"""The operators that only compare."""


@onnx_op(*_REDUCTIONS)
def reduction(ctx: NodeContext) -> SSAValue:
    """Combine the elements along the axes; a quantized value with one scale stays quantized if it is only compared."""
    value = comparable(ctx) if ctx.op_type in _BY_ORDER else ctx.input(0)
    keep = bool(ctx.integer("keepdims", 1))
    return _REDUCTIONS[ctx.op_type](ctx, value, _axes(ctx, len(shape(value))), keep)
