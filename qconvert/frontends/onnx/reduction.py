"""Reductions over axes; a mean is a sum divided by a splat.

Source: ONNX ReduceMean, ReduceSum, ... opsets 1 to 18; axes are an attribute first, an input later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import BinaryOp
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, numpy_dtype, quantized, shape
from qconvert.support.errors import ConversionError


def comparable(ctx: NodeContext) -> SSAValue:
    """The first input where order is all that counts: a per-tensor quantized value stays as it is."""
    value = ctx.carried(0)
    element = quantized(value)
    return value if element is not None and element.is_per_tensor else ctx.input(0)


def least(element: Attribute) -> float:
    """What every value of the type is at least: the start of a maximum."""
    return _extreme(element, -1)


def greatest(element: Attribute) -> float:
    """What every value of the type is at most: the start of a minimum."""
    return _extreme(element, 1)


def _extreme(element: Attribute, sign: int) -> float:
    if isinstance(element, UniformQuantizedType):
        return element.storage.maximum if sign > 0 else element.storage.minimum
    if not isinstance(element, IntegerType):
        return sign * math.inf
    if element.width.data == 1:
        return int(sign > 0)
    limits = np.iinfo(numpy_dtype(element).name)
    return int(limits.max if sign > 0 else limits.min)


_START: dict[type[BinaryOp], Callable[[Attribute], float]] = {
    stablehlo.AddOp: lambda _: 0,
    stablehlo.MultiplyOp: lambda _: 1,
    stablehlo.MaximumOp: least,
    stablehlo.MinimumOp: greatest,
}


def reduced_with(
    ctx: NodeContext, kind: type[BinaryOp], value: SSAValue, axes: Sequence[int], *, keep: bool
) -> SSAValue:
    """Combine the elements along ``axes``; ``keep`` leaves dimensions of size 1 in their place."""
    return _kept(ctx, _reduced(ctx, kind, value, axes), value, axes, keep=keep)


def _reduced(ctx: NodeContext, kind: type[BinaryOp], value: SSAValue, axes: Sequence[int]) -> SSAValue:
    if not axes:
        return value
    element = element_type(value)
    start = ctx.constant(np.asarray(_START[kind](element)).astype(numpy_dtype(element)), element)
    return ctx.emit(stablehlo.ReduceOp(value, start, axes, [stablehlo.binary_body(kind, element)]))


def _kept(ctx: NodeContext, reduced: SSAValue, value: SSAValue, axes: Sequence[int], *, keep: bool) -> SSAValue:
    if not keep:
        return reduced
    return ctx.reshape(reduced, [1 if i in axes else size for i, size in enumerate(shape(value))])


def reduced_mean(ctx: NodeContext, value: SSAValue, axes: Sequence[int], *, keep: bool) -> SSAValue:
    """The sum along ``axes``, divided by the number of elements; of integers the quotient is cut off."""
    if not axes:
        return value
    total = _reduced(ctx, stablehlo.AddOp, value, axes)
    count = math.prod(shape(value)[i] for i in axes)
    if not count:
        raise ConversionError("a mean over no elements")
    mean = ctx.emit(stablehlo.DivideOp(total, ctx.scalar_like(count, total)))
    return _kept(ctx, mean, value, axes, keep=keep)


def _axes(ctx: NodeContext, rank: int) -> list[int]:
    """The axes to reduce; where none are given all of them, or none where the node says so.

    Without axes the function still applies to each element alone: ReduceL1 is the absolute value then.
    """
    given = ctx.ints_from(1, "axes")
    if ctx.integer("noop_with_empty_axes", 0) and not given:
        return []
    return ctx.axes(given or range(rank), rank)


Reducer = Callable[[NodeContext, SSAValue, Sequence[int], bool], SSAValue]


def _reduction(reducer: Reducer, *, by_order: bool = False) -> Callable[[NodeContext], SSAValue]:
    """An importer that reads axes and keepdims; ``by_order`` says that quantized values can stay as they are."""

    def run(ctx: NodeContext) -> SSAValue:
        value = comparable(ctx) if by_order else ctx.input(0)
        return reducer(ctx, value, _axes(ctx, len(shape(value))), bool(ctx.integer("keepdims", 1)))

    return run


def _plain(kind: type[BinaryOp]) -> Reducer:
    return lambda ctx, value, axes, keep: reduced_with(ctx, kind, value, axes, keep=keep)


def _magnitude(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    return reduced_with(ctx, stablehlo.AddOp, ctx.emit(stablehlo.AbsOp(value)), axes, keep=keep)


def _squares(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    return reduced_with(ctx, stablehlo.AddOp, ctx.emit(stablehlo.MultiplyOp(value, value)), axes, keep=keep)


def _length(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    return ctx.emit(stablehlo.SqrtOp(_squares(ctx, ctx.require_float(value), axes, keep)))


def _log_sum(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    return ctx.emit(stablehlo.LogOp(reduced_with(ctx, stablehlo.AddOp, ctx.require_float(value), axes, keep=keep)))


def _log_sum_exp(ctx: NodeContext, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
    """``log(sum(exp(x - m))) + m`` with the largest element as m, which stays finite so that infinities pass."""
    largest = _reduced(ctx, stablehlo.MaximumOp, ctx.require_float(value), axes)
    bound = float(np.finfo(np.float32).max)
    low, high = ctx.scalar_like(-bound, largest), ctx.scalar_like(bound, largest)
    largest = ctx.emit(stablehlo.ClampOp(low, largest, high))
    others = [i for i in range(len(shape(value))) if i not in axes]
    shifted = stablehlo.SubtractOp(value, ctx.emit(stablehlo.BroadcastInDimOp(largest, shape(value), others)))
    powers = ctx.emit(stablehlo.ExponentialOp(ctx.emit(shifted)))
    logarithm = ctx.emit(stablehlo.LogOp(_reduced(ctx, stablehlo.AddOp, powers, axes)))
    return _kept(ctx, ctx.emit(stablehlo.AddOp(logarithm, largest)), value, axes, keep=keep)


_REDUCTIONS: dict[str, Reducer] = {
    "ReduceL1": _magnitude,
    "ReduceL2": _length,
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMean": lambda ctx, value, axes, keep: reduced_mean(ctx, value, axes, keep=keep),
    "ReduceProd": _plain(stablehlo.MultiplyOp),
    "ReduceSum": _plain(stablehlo.AddOp),
    "ReduceSumSquare": _squares,
}
_BY_ORDER: dict[str, Reducer] = {
    "ReduceMax": _plain(stablehlo.MaximumOp),
    "ReduceMin": _plain(stablehlo.MinimumOp),
}
for _name, _reducer in _REDUCTIONS.items():
    onnx_op(_name)(_reduction(_reducer))
for _name, _reducer in _BY_ORDER.items():
    onnx_op(_name)(_reduction(_reducer, by_order=True))
