"""Pad in all its modes: constant as PadOp, the others as a selection of elements along each axis.

Source: ONNX Pad-2, -11, -13, -18 to -25.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.indexing import check_count, movable, sliced, take
from qconvert.ir import element_type, numpy_dtype, quantized, shape, storage_element
from qconvert.support.errors import ConversionError

_PICKING: dict[str, Literal["reflect", "edge", "wrap"]] = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}


@onnx_op("Pad", since=2)
def pad(ctx: NodeContext) -> SSAValue:
    """Add elements at the ends of each axis; a negative number crops."""
    value, mode = movable(ctx), ctx.text("mode", "constant")
    rank = len(shape(value))
    low, high = _amounts(ctx, rank)
    if mode == "constant":
        return _constant(ctx, value, low, high)
    if mode not in _PICKING:
        raise ConversionError(f"the mode '{mode}' is unknown", hint="Use constant, reflect, edge or wrap")
    ctx.number("value", 0.0)
    for axis in range(rank):
        before, after = low[axis], high[axis]
        size = shape(value)[axis]
        value = sliced(ctx, value, axis, max(0, -before), size - max(0, -after))
        added = (max(0, before), max(0, after))
        size = shape(value)[axis]
        check_count(size + sum(added))
        if not size and any(added):
            raise ConversionError(f"dimension {axis} is empty and cannot be padded in mode '{mode}'")
        value = take(ctx, value, axis, np.pad(np.arange(size), added, _PICKING[mode]))
    return value


def _amounts(ctx: NodeContext, rank: int) -> tuple[list[int], list[int]]:
    """Return the numbers of elements to add before and after each axis."""
    pads, named = ctx.ints_from(1, "pads"), ctx.constant_ints(3, "axes")
    axes = list(range(rank)) if named is None else [ctx.axis(axis, rank) for axis in named]
    if pads is None or len(pads) != 2 * len(axes) or len(set(axes)) != len(axes):
        raise ConversionError(f"pads {pads} for axes {axes} of a tensor of rank {rank}")
    low, high = dict(zip(axes, pads[: len(axes)], strict=True)), dict(zip(axes, pads[len(axes) :], strict=True))
    return [low.get(i, 0) for i in range(rank)], [high.get(i, 0) for i in range(rank)]


def _constant(ctx: NodeContext, value: SSAValue, low: Sequence[int], high: Sequence[int]) -> SSAValue:
    """Pad with the attribute, the input or 0; a quantized tensor keeps its type if the value is constant."""
    attribute = ctx.number("value", 0.0)
    if not ctx.has(2):
        filler = ctx.build.filled(attribute, element_type(value))
        return ctx.emit(stablehlo.PadOp(value, filler, low, high))
    filling = ctx.input(2)
    number = stablehlo.elements_of(filling)
    if shape(filling) not in ((), (1,)):
        raise ConversionError(f"the constant to pad with has shape {list(shape(filling))}")
    padded = storage_element(element_type(value))
    if element_type(filling) != padded:
        raise ConversionError(f"a constant of type {element_type(filling)} to pad {padded} with")
    if quantized(value) is None:
        filler = ctx.reshape(filling, ())
    elif number is None:
        value, filler = ctx.input(0), ctx.reshape(filling, ())
    else:
        filler = ctx.constant(number.reshape(()).astype(numpy_dtype(element_type(value))), element_type(value))
    return ctx.emit(stablehlo.PadOp(value, filler, low, high))
