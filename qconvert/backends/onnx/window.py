"""MaxPool and AveragePool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.backends.onnx.accumulator import stored
from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.integers import is_of_few_bytes
from qconvert.backends.onnx.lowering import ComputedTensor, Layout, Tensor, Writer, emits
from qconvert.backends.onnx.reduction import check_combiner, share_of, starts_neutral
from qconvert.dialects import stablehlo
from qconvert.ir import described, element_type, expressed, numpy_dtype, quantized, same_scales, shape
from qconvert.rewriting import only_user
from qconvert.support.errors import ConversionError

_MOST_BYTES = 1 << 14
"""Fewer sums of two bytes than this have a total that is exact in float32 and that their mean gives back."""


@dataclass(frozen=True)
class PoolOperand:
    """The operand of a pool, laid out for a node: two dimensions that are not pooled come first.

    ``units`` is the number of dimensions of size 1 that are added in front to make them two.
    """

    window: stablehlo.Window
    result: SSAValue
    layout: Layout
    units: int
    name: str

    @property
    def spatial(self) -> Layout:
        """Return the dimensions that the node slides over."""
        return self.layout[2 - self.units :]

    def node(self, kind: str, write: Writer, **more: int) -> ComputedTensor:
        """Write a pool of the operand, or nothing if each window has one element: then there are no ``units``."""
        if not self.spatial:
            return ComputedTensor(self.name, self.layout)
        made = write.node(kind, [self.name], **{**self.attributes(), **more})
        if self.units:
            sizes = [shape(self.result)[i] for i in self.layout]
            made = write.node("Reshape", [made, write.integers(sizes, "shape")], name=f"{made}_Reshape")
        return ComputedTensor(made, self.layout)

    def attributes(self) -> dict[str, Any]:
        """Return kernel, strides, pads and dilations.

        Raises ConversionError if no operator supports them.
        """
        window, spatial = self.window, self.spatial
        if len(spatial) > 3:
            raise ConversionError(f"ONNX pools over at most 3 dimensions, found {len(spatial)}")
        pads = [window.padding[i][side] for side in (0, 1) for i in spatial]
        sizes = [window.size[i] for i in spatial]
        if any(pad < 0 for pad in pads) or any(pad >= size for pad, size in zip(pads, sizes * 2, strict=True) if pad):
            raise ConversionError(f"ONNX's pools do not support the padding {pads}", hint="Pad before the pool")
        found: dict[str, Any] = {"kernel_shape": sizes, "strides": [window.strides[i] for i in spatial], "pads": pads}
        if any(window.dilations[i] > 1 for i in spatial):
            found["dilations"] = [window.dilations[i] for i in spatial]
        return found


@emits(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, write: Writer) -> Tensor:
    """Write MaxPool, or AveragePool times a factor; a minimum is a MaxPool of the negated operand."""
    check_combiner(op)
    _check_element(op)
    is_sum, is_neutral = isinstance(op.combiner, stablehlo.AddOp), starts_neutral(op, write)
    if any(step > 1 for step in op.window.base_dilations):
        raise ConversionError("ONNX's pools do not support a dilated operand")
    if isinstance(op.combiner, stablehlo.MultiplyOp) or (op.has_conversions and not is_sum):
        raise ConversionError("ONNX pools by maximum, minimum or sum only")
    if is_sum:
        if not is_neutral:
            return _sum_from_initial(op, _pool_of(op, write), write)
        if isinstance(element_type(op.elements[0]), IntegerType):
            return _integer_sum(op, write)
        return _average(op, _pool_of(op, write), write)
    pool, is_least = _pool_of(op, write), isinstance(op.combiner, stablehlo.MinimumOp)
    if is_least:
        pool = replace(pool, name=write.node("Neg", [pool.name]))
    tensor = pool.node("MaxPool", write)
    tensor = replace(tensor, name=write.node("Neg", [tensor.name])) if is_least else tensor
    if is_neutral:
        return tensor
    start = write.floats(op.initials[0], (), "initial")
    return replace(tensor, name=write.node("Min" if is_least else "Max", [tensor.name, start]))


def _check_element(op: stablehlo.ReduceWindowOp) -> None:
    """Raise ConversionError for integers that no pool takes.

    MaxPool takes 8-bit integers. A sum of a few bytes is exact in floats, so that AveragePool computes it.
    """
    element, value = element_type(op.elements[0]), op.elements[0]
    if not isinstance(element, IntegerType):
        return
    is_sum, is_byte = isinstance(op.combiner, stablehlo.AddOp), element.width.data == 8
    is_small = is_of_few_bytes(value) and prod(op.window.size) < _MOST_BYTES
    if not (is_small if is_sum else is_byte and isinstance(op.combiner, stablehlo.MaximumOp)):
        raise ConversionError(f"ONNX's pools do not support {described(element)}", hint="Use floats or quantized types")


def _integer_sum(op: stablehlo.ReduceWindowOp, write: Writer) -> Tensor:
    """Write the sum of bytes under a window as AveragePool in floats, times the number of elements."""
    pool = _stored_pool(op.elements[0], op.results[0], op.window, write)
    averaged = pool.node("AveragePool", write, count_include_pad=1)
    count = write.initializer(np.asarray(prod(op.window.size), np.float32), write.constant_name("count"))
    scaled = write.node("Mul", [averaged.name, count], name=f"{write.label}_Mul")
    total = write.node("Round", [scaled], name=f"{write.label}_Round")
    to = onnx_type(element_type(op.results[0]))
    return replace(averaged, name=write.node("Cast", [total], name=f"{write.label}_Cast", to=to))


def _pool_of(op: stablehlo.ReduceWindowOp, write: Writer) -> PoolOperand:
    """Return the pool of an operand's real numbers."""
    return _pool(op.elements[0], op.results[0], op.window, write, write.floats)


def _stored_pool(value: SSAValue, result: SSAValue, window: stablehlo.Window, write: Writer) -> PoolOperand:
    """Return the pool of an operand's storage integers as floats."""

    def as_floats(value: SSAValue, layout: Layout) -> str:
        name = stored(value, layout, write)
        return write.node("Cast", [name], name=f"{name}_Cast", to=TensorProto.FLOAT)

    return _pool(value, result, window, write, as_floats)


def _pool(
    value: SSAValue,
    result: SSAValue,
    window: stablehlo.Window,
    write: Writer,
    laid_out: Callable[[SSAValue, Layout], str],
) -> PoolOperand:
    """Return a pool in the operand's layout if its first two dimensions are not pooled, else in another layout."""
    layout = write.layout_of(value)
    pooled = [i for i in layout if window.size[i] > 1 or window.strides[i] > 1 or any(window.padding[i])]
    others = [i for i in layout if i not in pooled]
    units = max(0, 2 - len(others)) if pooled else 0
    if units or set(layout[:2]) & set(pooled):
        layout = (*others[:2], *sorted([*others[2:], *pooled]))
    name = laid_out(value, layout)
    if units:
        sizes = (*(1,) * units, *(shape(value)[i] for i in layout))
        name = write.node("Reshape", [name, write.integers(sizes, "shape")], name=f"{name}_Reshape")
    return PoolOperand(window, result, layout, units, name)


def _average(op: stablehlo.ReduceWindowOp, pool: PoolOperand, write: Writer) -> Tensor:
    """Write AveragePool, times a factor if the sum is divided by another number than the window's size."""
    attributes = pool.attributes()
    if "dilations" in attributes:
        write.require(19, "an AveragePool with dilations")
    size, divided = prod(attributes["kernel_shape"]), share_of(op, write)
    divide = only_user(op.results[0])
    if (
        isinstance(divide, stablehlo.DivideOp)
        and divided.result is op.results[0]
        and _divides_by_counts(op, divide, write)
    ):
        tensor = pool.node("AveragePool", write, count_include_pad=0)
        write.define(divide.result, tensor)
        return tensor
    tensor = pool.node("AveragePool", write, count_include_pad=int(any(attributes["pads"])))
    if not same_scales(divided.share * size, 1):
        share = write.scalar(divided.share * size, op.elements[0], "share")
        tensor = replace(tensor, name=write.node("Mul", [tensor.name, share]))
    if divided.result is not op.results[0]:
        write.define(divided.result, tensor)
    return tensor


def _sum_from_initial(op: stablehlo.ReduceWindowOp, pool: PoolOperand, write: Writer) -> Tensor:
    """Write AveragePool times the number of elements, plus the initial value, also for each element of the padding.

    Raises ConversionError for padding with a computed initial value.
    """
    is_padded = any(pool.attributes()["pads"])
    tensor = pool.node("AveragePool", write, count_include_pad=int(is_padded))
    size = write.scalar(prod(op.window.size), op.elements[0], "size")
    total = write.node("Mul", [tensor.name, size])
    if not is_padded:
        return replace(tensor, name=write.node("Add", [total, write.floats(op.initials[0], (), "initial")]))
    known = write.known(op.initials[0])
    start = None if known is None else known.number()
    if start is None:
        raise ConversionError("a sum under a padded window starts from a computed value", hint="Pad before the sum")
    times = 1 + prod(op.window.size) - _counts(op).transpose(tensor.layout)
    real = numpy_dtype(expressed(element_type(op.elements[0])))
    return replace(tensor, name=write.node("Add", [total, write.initializer((start * times).astype(real), "initial")]))


def _divides_by_counts(op: stablehlo.ReduceWindowOp, divide: stablehlo.BinaryOp, write: Writer) -> bool:
    """Return True if a sum is divided by the number of elements under each window, without the padding."""
    known = write.known(divide.rhs)
    if known is None or divide.lhs is not op.results[0] or quantized(divide.result) is not None:
        return False
    counts = _counts(op)
    divisors = np.broadcast_to(known.array, counts.shape)
    return bool(np.array_equal(divisors.astype(np.float64), counts))


def _counts(op: stablehlo.ReduceWindowOp) -> NDArray[np.int64]:
    """Return the number of elements under each window, without the padding."""
    counts = np.ones((), np.int64)
    for i in range(len(shape(op.results[0]))):
        counts = np.multiply.outer(counts, _counts_along(op, i))
    return counts


def _counts_along(op: stablehlo.ReduceWindowOp, axis: int) -> NDArray[np.int64]:
    window, size = op.window, shape(op.elements[0])[axis]
    starts = np.arange(shape(op.results[0])[axis]) * window.strides[axis] - window.padding[axis][0]
    taps = starts[:, None] + np.arange(window.size[axis]) * window.dilations[axis]
    return np.asarray(((taps >= 0) & (taps < size)).sum(axis=1), np.int64)
