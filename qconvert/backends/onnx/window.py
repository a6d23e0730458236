"""MaxPool and AveragePool."""

from __future__ import annotations

from math import isclose, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert.backends.onnx.lowering import Held, Layout, Tensor, Writer, emits
from qconvert.backends.onnx.reduction import check_combiner, share_of, starts_neutral
from qconvert.dialects import stablehlo
from qconvert.dialects.types import quantized, shape
from qconvert.errors import ConversionError

_NEAR = 1e-6


@emits(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, write: Writer) -> Tensor:
    """MaxPool, or AveragePool with what is left of the division; a minimum is a MaxPool of the negated."""
    check_combiner(op)
    if not starts_neutral(op, write):
        raise ConversionError("a pool starts from other than the neutral element", hint="Combine that behind it")
    if any(step > 1 for step in op.window.base_dilations):
        raise ConversionError("a pool of a dilated operand has no node")
    layout = _pooled_layout(op, write)
    if isinstance(op.combiner, stablehlo.AddOp):
        return _average(op, layout, write)
    if op.has_conversions or isinstance(op.combiner, stablehlo.MultiplyOp):
        raise ConversionError("only maxima, minima and sums under a window have a node")
    name, is_least = write.floats(op.elements[0], layout), isinstance(op.combiner, stablehlo.MinimumOp)
    name = write.node("Neg", [name]) if is_least else name
    name = write.node("MaxPool", [name], **_attributes(op, layout))
    return Held(write.node("Neg", [name]) if is_least else name, layout)


def _pooled_layout(op: stablehlo.ReduceWindowOp, write: Writer) -> Layout:
    """The operand's layout where its first two dimensions are not pooled, else with two others in front."""
    window, layout = op.window, write.layout_of(op.elements[0])
    pooled = [i for i in layout if window.size[i] > 1 or window.strides[i] > 1 or any(window.padding[i])]
    if not set(layout[:2]) & set(pooled):
        return layout
    others = [i for i in layout if i not in pooled]
    if len(others) < 2:
        raise ConversionError("a pool needs two dimensions that are not pooled", hint="Add dimensions of size 1")
    return (*others[:2], *sorted([*others[2:], *pooled]))


def _attributes(op: stablehlo.ReduceWindowOp, layout: Layout) -> dict[str, Any]:
    window, spatial = op.window, layout[2:]
    if not 1 <= len(spatial) <= 3:
        raise ConversionError(f"a pool over {len(spatial)} dimensions has no node: 1 to 3 have")
    pads = [window.padding[i][side] for side in (0, 1) for i in spatial]
    sizes = [window.size[i] for i in spatial]
    if min(pads) < 0 or any(pad >= size for pad, size in zip(pads, sizes * 2, strict=True) if pad):
        raise ConversionError(f"a pool with the padding {pads} has no node", hint="Pad in front of it")
    found: dict[str, Any] = {"kernel_shape": sizes, "strides": [window.strides[i] for i in spatial], "pads": pads}
    if any(window.dilations[i] > 1 for i in spatial):
        found["dilations"] = [window.dilations[i] for i in spatial]
    return found


def _average(op: stablehlo.ReduceWindowOp, layout: Layout, write: Writer) -> Tensor:
    """AveragePool; where the divisor is another than its own, times the quotient."""
    attributes = _attributes(op, layout)
    if "dilations" in attributes:
        write.require(19, "an AveragePool with dilations")
    size, divided = prod(attributes["kernel_shape"]), share_of(op, write)
    divide = write.sole_user(op.results[0])
    name = write.floats(op.elements[0], layout)
    if (
        isinstance(divide, stablehlo.DivideOp)
        and divided.result is op.results[0]
        and _divides_by_counts(op, divide, write)
    ):
        tensor = Held(write.node("AveragePool", [name], count_include_pad=0, **attributes), layout)
        write.define(divide.result, tensor)
        return tensor
    with_padding = int(any(attributes["pads"]))
    made = write.node("AveragePool", [name], count_include_pad=with_padding, **attributes)
    if not isclose(divided.share * size, 1, rel_tol=_NEAR):
        made = write.node("Mul", [made, write.scalar(divided.share * size, op.elements[0], "share")])
    tensor = Held(made, layout)
    if divided.result is not op.results[0]:
        write.define(divided.result, tensor)
    return tensor


def _divides_by_counts(op: stablehlo.ReduceWindowOp, divide: stablehlo.BinaryOp, write: Writer) -> bool:
    """Whether a sum is divided by the number of elements under each window, those of the padding not counted."""
    known = write.known(divide.rhs)
    if known is None or divide.lhs is not op.results[0] or quantized(divide.result) is not None:
        return False
    counts = np.ones((), np.int64)
    for i in range(len(shape(op.results[0]))):
        counts = np.multiply.outer(counts, _counts_along(op, i))
    divisors = np.broadcast_to(known.array, counts.shape)
    return bool(np.array_equal(divisors.astype(np.float64), counts))


def _counts_along(op: stablehlo.ReduceWindowOp, axis: int) -> NDArray[np.int64]:
    window, size = op.window, shape(op.elements[0])[axis]
    starts = np.arange(shape(op.results[0])[axis]) * window.strides[axis] - window.padding[axis][0]
    taps = starts[:, None] + np.arange(window.size[axis]) * window.dilations[axis]
    return np.asarray(((taps >= 0) & (taps < size)).sum(axis=1), np.int64)
