"""Operators that move elements: RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, CONCATENATION, PAD, BROADCAST_TO, slices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from math import prod

import numpy as np
import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import zero_point_scalar
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.fused import activated
from qconvert.ir import UniformQuantizedType, element_type, numpy_dtype, quantized, shape
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget


@tflite_op("RESHAPE")
def reshape(ctx: OpContext) -> SSAValue:
    """Reshape to the shape in the second input, else in the options; one -1 is computed."""
    value = ctx.value()
    if any(
        isinstance(kind, UniformQuantizedType) and kind.is_per_axis for kind in (element_type(value), ctx.result_type())
    ):
        return _copied(ctx, value)
    return ctx.shaped(ctx.moved(), lambda: _reshaped(ctx))


def _copied(ctx: OpContext, value: SSAValue) -> SSAValue:
    """Return values with scales along a dimension; raises ConversionError where shape or scales change."""
    if shape(value) != ctx.output().shape or element_type(value) != ctx.result_type():
        raise ConversionError(f"{value.type} is reshaped to {list(ctx.output().shape)}", hint="One scale is needed")
    return value


def _reshaped(ctx: OpContext) -> list[int]:
    if ctx.has(1):
        target = ctx.integers(1, "the shape")
    else:
        options = ctx.options(tflite.ReshapeOptions)
        target = [int(options.NewShape(i)) for i in range(min(options.NewShapeLength(), budget().rank))]
    count, rest = prod(shape(ctx.value())), prod(size for size in target if size != -1)
    if -1 in target and rest and count % rest == 0:
        target[target.index(-1)] = count // rest
    if min(target, default=0) < 0 or prod(target) != count:
        raise ConversionError(f"{list(shape(ctx.value()))} cannot become {target}")
    return target


@tflite_op("SQUEEZE")
def squeeze(ctx: OpContext) -> SSAValue:
    """Remove the dimensions of size 1 that the options name, or all of them."""
    return ctx.shaped(ctx.moved(), lambda: _squeezed(ctx))


def _squeezed(ctx: OpContext) -> list[int]:
    options, sizes = ctx.options(tflite.SqueezeOptions), shape(ctx.value())
    count = min(options.SqueezeDimsLength(), budget().rank)
    dropped = {ctx.axis(int(options.SqueezeDims(i)), len(sizes)) for i in range(count)}
    return [size for i, size in enumerate(sizes) if size != 1 or (dropped and i not in dropped)]


@tflite_op("EXPAND_DIMS")
def expand_dims(ctx: OpContext) -> SSAValue:
    """Insert a dimension of size 1."""
    return ctx.shaped(ctx.kept(), lambda: _expanded(ctx))


def _expanded(ctx: OpContext) -> list[int]:
    sizes = list(shape(ctx.value()))
    sizes.insert(ctx.given_axis(1, len(sizes) + 1), 1)
    return sizes


@tflite_op("TRANSPOSE")
def transpose(ctx: OpContext) -> SSAValue:
    """Permute the dimensions."""
    permutation = ctx.integers(1, "the permutation")
    rank = len(shape(ctx.value()))
    if sorted(permutation) != list(range(rank)):
        raise ConversionError(f"{permutation} is not a permutation of {rank} dimensions")
    return ctx.build.transpose(ctx.moved(), permutation)


@tflite_op("CONCATENATION")
def concatenation(ctx: OpContext) -> SSAValue:
    """Concatenate the inputs; uint8 is requantized to the output's type, int8 must have it, other integers move."""
    options = ctx.options(tflite.ConcatenationOptions)
    readers: dict[str, Callable[[int], SSAValue]] = {"uint8": partial(_requantized, ctx), "int8": ctx.kept}
    read = readers.get(ctx.tensor().dtype.name, ctx.moved)
    values = [read(i) for i in range(len(ctx.op.inputs))]
    axis = ctx.axis(options.Axis(), len(ctx.output().shape))
    return activated(ctx, ctx.emit(stablehlo.ConcatenateOp(values, axis)), options.FusedActivationFunction())


def _requantized(ctx: OpContext, index: int) -> SSAValue:
    """Return an input in the result's type, rescaled in f32 and rounded once if it has another."""
    value, element = ctx.value(index), ctx.result_type()
    if element_type(value) == element:
        return value
    if quantized(value) is None or not isinstance(element, UniformQuantizedType):
        raise ConversionError(f"{element_type(value)} cannot become {element}")
    return ctx.emit(stablehlo.UniformQuantizeOp(value, element), litert(Rounding.SINGLE_ROUND, floats=32))


@tflite_op("PAD", "PADV2")
def pad(ctx: OpContext) -> SSAValue:
    """Add a border of zeros, or of the third input's value."""
    value = ctx.moved()
    rank, widths = len(shape(value)), ctx.integers(1, "the paddings")
    if len(widths) != 2 * rank or min(widths, default=0) < 0:
        raise ConversionError(f"paddings {widths} for {rank} dimensions")
    element = element_type(value)
    if ctx.has(2):
        border = _single(ctx, ctx.value(2))
    else:
        border = ctx.build.constant(np.asarray(zero_point_scalar(element), numpy_dtype(element)), element)
    if element_type(border) != element:
        raise ConversionError(f"{element} is padded by {element_type(border)}", hint="LiteRT needs one type for both")
    return ctx.emit(stablehlo.PadOp(value, border, widths[::2], widths[1::2]))


def _single(ctx: OpContext, value: SSAValue) -> SSAValue:
    """Return the padding value as a scalar; raises ConversionError for more numbers."""
    if prod(shape(value)) != 1:
        raise ConversionError(f"the padding value has {prod(shape(value))} elements, one is needed")
    return ctx.reshape(value, ())


@tflite_op("BROADCAST_TO")
def broadcast_to(ctx: OpContext) -> SSAValue:
    """Repeat elements along the dimensions of a shape, the trailing ones aligned."""
    target, sizes = ctx.integers(1, "the shape"), shape(ctx.value())
    aligned = target[len(target) - len(sizes) :] if len(sizes) <= len(target) else []
    if len(aligned) != len(sizes) or any(size not in (1, wide) for size, wide in zip(sizes, aligned, strict=True)):
        raise ConversionError(f"{list(sizes)} does not broadcast to {target}")
    return ctx.broadcast(ctx.moved(), target)


@tflite_op("REVERSE_V2")
def reverse(ctx: OpContext) -> SSAValue:
    """Reverse the order along some dimensions."""
    rank = len(shape(ctx.value()))
    axes = sorted({ctx.axis(axis, rank) for axis in ctx.integers(1, "the axes")})
    return ctx.emit(stablehlo.ReverseOp(ctx.moved(), axes))


@tflite_op("SLICE")
def slice_(ctx: OpContext) -> SSAValue:
    """Take a block by its start and sizes; a size of -1 reaches to the end."""
    sizes = shape(ctx.value())
    starts, extents = ctx.integers(1, "the start"), ctx.integers(2, "the sizes")
    if not len(starts) == len(extents) == len(sizes):
        raise ConversionError(f"a start {starts} and sizes {extents} for {len(sizes)} dimensions")
    limits = [size if n == -1 else start + n for start, n, size in zip(starts, extents, sizes, strict=True)]
    return ctx.emit(stablehlo.SliceOp(ctx.moved(), starts, limits))


@tflite_op("STRIDED_SLICE")
def strided_slice(ctx: OpContext) -> SSAValue:
    """Take a Python slice of each dimension; masks leave out ends or drop dimensions."""
    options = ctx.options(tflite.StridedSliceOptions)
    if options.EllipsisMask() or options.NewAxisMask():
        raise ConversionError("slices with an ellipsis or a new axis are not supported", hint="Convert the model again")
    if options.Offset():
        raise ConversionError("slices whose ends are offsets are not supported", hint="Convert the model again")
    begin, end, steps = (ctx.integers(i, what) for i, what in ((1, "the begin"), (2, "the end"), (3, "the strides")))
    sizes = shape(ctx.value())
    if not len(begin) == len(end) == len(steps) <= len(sizes) or 0 in steps:
        raise ConversionError(f"slices from {begin} to {end} by {steps} for {len(sizes)} dimensions")
    places = [range(size) for size in sizes]
    for i, step in enumerate(steps):
        bounds = slice(_end(begin[i], i, options.BeginMask()), _end(end[i], i, options.EndMask()), step)
        if options.ShrinkAxisMask() >> i & 1:
            bounds = slice(begin[i], begin[i] + 1 or None)
        places[i] = places[i][bounds]
    made, dropped = _taken(ctx, places), options.ShrinkAxisMask()
    return ctx.shaped(made, lambda: [size for i, size in enumerate(shape(made)) if not dropped >> i & 1])


def _taken(ctx: OpContext, places: Sequence[range]) -> SSAValue:
    """Return the elements at evenly spaced positions of each dimension, reversed if the positions decrease."""
    ends = [(min(found[0], found[-1]), max(found[0], found[-1]) + 1) if found else (0, 0) for found in places]
    starts, limits = zip(*ends, strict=True) if ends else ((), ())
    sliced = ctx.emit(stablehlo.SliceOp(ctx.moved(), starts, limits, [abs(found.step) for found in places]))
    turned = [i for i, found in enumerate(places) if found.step < 0 and len(found) > 1]
    return ctx.emit(stablehlo.ReverseOp(sliced, turned)) if turned else sliced


def _end(value: int, dimension: int, mask: int) -> int | None:
    return None if mask >> dimension & 1 else value


@tflite_op("SPLIT")
def split(ctx: OpContext) -> Sequence[SSAValue]:
    """Split into equal parts along the dimension in the first input."""
    value, count = ctx.value(1), len(ctx.op.outputs)
    sizes = shape(value)
    axis = ctx.given_axis(0, len(sizes))
    if not count or sizes[axis] % count:
        raise ConversionError(f"{count} parts of {sizes[axis]} elements")
    return _parts(ctx, value, axis, [sizes[axis] // count] * count)


@tflite_op("SPLIT_V")
def split_v(ctx: OpContext) -> Sequence[SSAValue]:
    """Split into parts of given sizes; one size of -1 is computed."""
    value, extents = ctx.value(0), ctx.integers(1, "the sizes")
    sizes = shape(value)
    axis = ctx.given_axis(2, len(sizes))
    remaining = sizes[axis] - sum(extent for extent in extents if extent >= 0)
    return _parts(ctx, value, axis, [remaining if extent < 0 else extent for extent in extents])


def _parts(ctx: OpContext, value: SSAValue, axis: int, extents: Sequence[int]) -> list[SSAValue]:
    size = shape(value)[axis]
    if sum(extents) != size or min(extents) < 0:
        raise ConversionError(f"parts of {list(extents)} do not make up {size} elements")
    ends = accumulate(extents)
    parts = [ctx.slice(value, axis, end - extent, end) for extent, end in zip(extents, ends, strict=True)]
    return [ctx.moved_to(part, ctx.result_type(i)) for i, part in enumerate(parts)]
