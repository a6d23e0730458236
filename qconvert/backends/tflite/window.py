"""MAX_POOL_2D and AVERAGE_POOL_2D."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import tflite
from xdsl.ir import SSAValue

from qconvert.backends.tflite.activation_range import fused_activation
from qconvert.backends.tflite.graph import Field, Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.backends.tflite.padding import Filling, is_same, padded
from qconvert.backends.tflite.pooled import divides_by_elements
from qconvert.backends.tflite.reduction import is_mean
from qconvert.backends.tflite.totals import ones_convolved, tied_steps
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import check_initial
from qconvert.ir import element_type, is_float, is_litert, quantized, shape
from qconvert.rewriting import Permutation, inverse, is_identity, only_user, splat
from qconvert.support.errors import ConversionError


def _order(window: stablehlo.Window) -> Permutation:
    """Return the dimensions with the two that a pool slides over in the middle.

    Raises ConversionError where TFLite has no such pool.
    """
    rank = len(window.size)
    steps = zip(window.size, window.strides, window.padding, strict=True)
    slid = [i for i, (size, stride, pads) in enumerate(steps) if size > 1 or stride > 1 or any(pads)]
    if rank != 4 or len(slid) > 2 or any(step != 1 for step in (*window.dilations, *window.base_dilations)):
        raise ConversionError(
            "TFLite's pools slide over two of four dimensions, without dilations",
            hint="Reshape the operand to four dimensions, or pool in two steps",
        )
    others = [i for i in range(rank) if i not in slid]
    while len(slid) < 2:
        slid.append(others.pop(1))
    return (others[0], *sorted(slid), others[1])


class _View(NamedTuple):
    """A window on images with the two dimensions that it slides over in the middle."""

    order: Permutation
    size: tuple[int, int]
    inner: stablehlo.ConvolutionWindow

    @classmethod
    def of(cls, window: stablehlo.Window) -> _View:
        order = _order(window)
        _, height, width, _ = order
        strides, padding = [window.strides[i] for i in order[1:3]], [window.padding[i] for i in order[1:3]]
        inner = stablehlo.ConvolutionWindow.of(2, strides=strides, padding=padding)
        return cls(order, (window.size[height], window.size[width]), inner)

    def is_same(self, value: SSAValue) -> bool:
        """Return True if the padding is SAME of LiteRT."""
        sizes = [shape(value)[i] for i in self.order[1:3]]
        return is_same(sizes, self.inner, self.size)

    @property
    def steps(self) -> dict[str, Field]:
        """Return the strides as fields of the options."""
        return {"StrideH": self.inner.strides[0], "StrideW": self.inner.strides[1]}

    def padded(self, write: Writer, source: Tensor, filling: Filling) -> tuple[Tensor, int]:
        """Return the image in this order, and the operator's Padding."""
        return padded(write, write.transpose(source, self.order), self.inner, self.size, filling)

    def made(self, write: Writer, output: Tensor) -> Tensor:
        """Return the tensor in this order for the operator's result."""
        if is_identity(self.order):
            return output
        return write.derived(output, "pooled", [output.shape[i] for i in self.order])

    def back(self, write: Writer, made: Tensor, output: Tensor) -> Tensor:
        """Return the operator's result in the order of the output."""
        return made if made is output else write.transpose(made, inverse(self.order), output)


class _PoolOperator(NamedTuple):
    """An operator, the elements that it finds beside an image, and the results of its ops in order."""

    code: int
    filling: Filling
    values: Sequence[SSAValue]


def _pool(write: Writer, pool: _PoolOperator, source: Tensor, window: stablehlo.Window) -> Tensor:
    """Write a pool with the activation behind it."""
    view, fused = _View.of(window), fused_activation(pool.values[-1])
    image, kind = view.padded(write, source, pool.filling)
    fields: dict[str, Field] = {
        **view.steps,
        "Padding": kind,
        "FilterHeight": view.size[0],
        "FilterWidth": view.size[1],
        "FusedActivationFunction": fused.function,
    }
    output = write.result(fused.value)
    pooled = view.made(write, output)
    write.operator(pool.code, [image], pooled, Options("Pool2DOptions", fields), version=by_width(output, 2, 3))
    made = view.back(write, pooled, output)
    for value in (*pool.values, fused.value):
        write.define(value, made)
    return made


@emits(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, write: Writer) -> Tensor:
    """Write MAX_POOL_2D or AVERAGE_POOL_2D."""
    check_initial(op)
    count = prod(op.window.size)
    if isinstance(op.combiner, stablehlo.MaximumOp):
        source = write.requantized(write[op.inputs[0]], element_type(op.results[0]))
        pool = _PoolOperator(tflite.BuiltinOperator.MAX_POOL_2D, Filling.LOWEST, op.results)
        return _pool(write, pool, source, op.window)
    if not isinstance(op.combiner, stablehlo.AddOp):
        raise ConversionError("TFLite pools by a maximum or a mean only")
    if is_float(element_type(op.inputs[0])):
        return _float_pool(op, count, write)
    if not is_mean(op, count):
        raise ConversionError(
            "TFLite pools by a maximum or a mean only, found a sum", hint="Divide it by the number of elements"
        )
    source = write[op.inputs[0]]
    if _is_by_ones(op, source):
        return _by_ones(write, op, source, 1 / count)
    pool = _PoolOperator(tflite.BuiltinOperator.AVERAGE_POOL_2D, Filling.COUNTED_ZERO, op.results)
    return _pool(write, pool, source, op.window)


def _float_pool(op: stablehlo.ReduceWindowOp, count: int, write: Writer) -> Tensor:
    """Write a mean of floats, or their sum. A mean that leaves padding out, between equal types, is one of integers."""
    divide, source = only_user(op.results[0]), write[op.inputs[0]]
    if isinstance(divide, stablehlo.DivideOp) and divide.lhs is op.results[0]:
        code, values = tflite.BuiltinOperator.AVERAGE_POOL_2D, list[SSAValue]((op.results[0], divide.result))
        if splat(divide.rhs) == count:
            return _pool(write, _PoolOperator(code, Filling.COUNTED_ZERO, values), source, op.window)
        if divides_by_elements(op, divide.rhs) and _View.of(op.window).is_same(op.inputs[0]):
            integers, quantize = op.inputs[0].owner, only_user(divide.result)
            if _is_between(integers, quantize):
                assert isinstance(integers, stablehlo.UniformDequantizeOp)
                assert isinstance(quantize, stablehlo.UniformQuantizeOp)
                source, values = write[integers.operand], [*values, quantize.result]
            return _pool(write, _PoolOperator(code, Filling.ZERO, values), source, op.window)
    return _by_ones(write, op, source, 1.0)


def _is_between(before: object, after: object) -> bool:
    """Return True for a dequantization and a quantization between equal types of one scale, of 8 or 16 bits."""
    if not isinstance(before, stablehlo.UniformDequantizeOp) or not isinstance(after, stablehlo.UniformQuantizeOp):
        return False
    element = quantized(before.operand)
    if element is None or not element.is_per_tensor or element.storage.width not in (8, 16):
        return False
    return element == quantized(after.result)


def _is_by_ones(op: stablehlo.ReduceWindowOp, source: Tensor) -> bool:
    """Return True for a mean of another scale, which LiteRT's pools do not have, or one of frequent ties."""
    element, result = source.quantization, quantized(op.results[0])
    if element is None or result is None:
        return False
    return element != result or (
        not is_litert(op) and tied_steps(element, 1 / prod(op.window.size), result) is not None
    )


def _by_ones(write: Writer, op: stablehlo.ReduceWindowOp, source: Tensor, factor: float) -> Tensor:
    """Write a sum times a factor as a convolution by ones."""
    view, output = _View.of(op.window), write.result(op.results[0])
    image, kind = view.padded(write, source, Filling.ZERO)
    made = view.made(write, output)
    fields: dict[str, Field] = {**view.steps, "Padding": kind}
    ones_convolved(write, image, view.size, factor, made, fields)
    return view.back(write, made, output)


@emits(composite.AveragePoolOp)
def average_pool(op: composite.AveragePoolOp, write: Writer) -> Tensor:
    """Write AVERAGE_POOL_2D, which does not count padding."""
    source, element = write[op.operand], element_type(op.result)
    view = _View.of(op.window)
    if not view.is_same(op.operand) and any(any(pair) for pair in view.inner.padding):
        raise ConversionError(f"TFLite's means have the padding SAME or none, found {view.inner.padding}")
    pool = _PoolOperator(tflite.BuiltinOperator.AVERAGE_POOL_2D, Filling.ZERO, [op.result])
    if source.element == element:
        return _pool(write, pool, source, op.window)
    # The kernel does not rescale. What is rescaled first may be clamped, and is rounded before it is added.
    image, kind = view.padded(write, source, pool.filling)
    sizes = [shape(op.result)[i] for i in view.order]
    fields = {**view.steps, "Padding": kind, "FilterHeight": view.size[0], "FilterWidth": view.size[1]}
    pooled = write.derived(source, "pooled", sizes)
    options, version = Options("Pool2DOptions", fields), by_width(source, 2, 3)
    write.operator(pool.code, [image], pooled, options, version=version)
    mean = pooled if is_identity(view.order) else write.transpose(pooled, inverse(view.order))
    return write.requantized(mean, element, write.result(op.result))
