"""GATHER, PACK, UNPACK, MIRROR_PAD, SPACE_TO_DEPTH, DEPTH_TO_SPACE, SHAPE and CAST."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.tflite.context import OpContext, tflite_op
from qconvert.ir import element_type, numpy_dtype, shape, storage_element
from qconvert.support.errors import ConversionError


@tflite_op("GATHER")
def gather(ctx: OpContext) -> SSAValue:
    """Gather slices along an axis, which the dimensions of the indices replace; LiteRT refuses negative indices."""
    options, value, indices = ctx.options(tflite.GatherOptions), ctx.value(0), ctx.value(1)
    sizes = shape(value)
    axis = ctx.axis(options.Axis(), len(sizes))
    if options.BatchDims():
        raise ConversionError("indices for each batch are not supported", hint="Gather without batch_dims")
    _check_constant_indices(ctx, sizes[axis])
    return ctx.gather(ctx.moved(), axis, indices)


def _check_constant_indices(ctx: OpContext, size: int) -> None:
    indices = ctx.tensor(1).array
    if indices is None:
        return
    outside = (indices < 0) | (indices >= size)
    if outside.any():
        raise ConversionError(f"index {indices[outside].flat[0]} is outside a dimension of size {size}")


@tflite_op("PACK")
def pack(ctx: OpContext) -> SSAValue:
    """Concatenate the inputs along a new dimension."""
    options = ctx.options(tflite.PackOptions)
    values = [ctx.kept(i) for i in range(len(ctx.op.inputs))]
    sizes = shape(ctx.value())
    axis = ctx.axis(options.Axis(), len(sizes) + 1)
    target = [*sizes[:axis], 1, *sizes[axis:]]
    return ctx.emit(stablehlo.ConcatenateOp([ctx.reshape(value, target) for value in values], axis))


@tflite_op("UNPACK")
def unpack(ctx: OpContext) -> Sequence[SSAValue]:
    """Return one output for each index along a dimension."""
    options, value = ctx.options(tflite.UnpackOptions), ctx.value()
    sizes = shape(value)
    axis = ctx.axis(options.Axis(), len(sizes))
    if not sizes or len(ctx.op.outputs) != sizes[axis]:
        raise ConversionError(f"{len(ctx.op.outputs)} outputs of dimension {axis} of {list(sizes)}")
    other_sizes = [size for i, size in enumerate(sizes) if i != axis]
    return [ctx.reshape(ctx.slice(ctx.kept(0, i), axis, i, i + 1), other_sizes) for i in range(sizes[axis])]


@tflite_op("MIRROR_PAD")
def mirror_pad(ctx: OpContext) -> SSAValue:
    """Add a border that mirrors the inside, with or without the outermost elements."""
    mode, value = ctx.options(tflite.MirrorPadOptions).Mode(), ctx.kept()
    widths, rank = ctx.integers(1, "the paddings"), len(shape(value))
    skipped = {tflite.MirrorPadMode.REFLECT: 1, tflite.MirrorPadMode.SYMMETRIC: 0}.get(mode)
    if skipped is None or len(widths) != 2 * rank:
        raise ConversionError(f"paddings {widths} of mode {mode} for {rank} dimensions")
    for axis, (low, high) in enumerate(zip(widths[::2], widths[1::2], strict=True)):
        size = shape(value)[axis]
        if not 0 <= min(low, high) <= max(low, high) <= size - skipped:
            raise ConversionError(f"paddings {low} and {high} mirror more than {size} elements")
        pieces = [value]
        if low:
            pieces.insert(0, _mirrored(ctx, value, axis, skipped, low))
        if high:
            pieces.append(_mirrored(ctx, value, axis, size - skipped - high, high))
        value = pieces[0] if len(pieces) == 1 else ctx.emit(stablehlo.ConcatenateOp(pieces, axis))
    return value


def _mirrored(ctx: OpContext, value: SSAValue, axis: int, start: int, count: int) -> SSAValue:
    return ctx.emit(stablehlo.ReverseOp(ctx.slice(value, axis, start, start + count), [axis]))


@tflite_op("SPACE_TO_DEPTH")
def space_to_depth(ctx: OpContext) -> SSAValue:
    """Move blocks of pixels to features; the features of a pixel stay together."""
    block, (n, h, w, c) = ctx.options(tflite.SpaceToDepthOptions).BlockSize(), ctx.image(ctx.value())
    if block < 1 or h % block or w % block:
        raise ConversionError(f"blocks of {block} in {h} x {w} pixels")
    parts = ctx.reshape(ctx.moved(), (n, h // block, block, w // block, block, c))
    return ctx.reshape(ctx.build.transpose(parts, (0, 1, 3, 2, 4, 5)), (n, h // block, w // block, block * block * c))


@tflite_op("DEPTH_TO_SPACE")
def depth_to_space(ctx: OpContext) -> SSAValue:
    """Move features to blocks of pixels; the features of a pixel stay together."""
    block, (n, h, w, c) = ctx.options(tflite.DepthToSpaceOptions).BlockSize(), ctx.image(ctx.value())
    if block < 1 or c % (block * block):
        raise ConversionError(f"blocks of {block} from {c} features")
    depth = c // (block * block)
    parts = ctx.reshape(ctx.moved(), (n, h, w, block, block, depth))
    return ctx.reshape(ctx.build.transpose(parts, (0, 1, 3, 2, 4, 5)), (n, h * block, w * block, depth))


@tflite_op("SHAPE")
def shape_(ctx: OpContext) -> SSAValue:
    """Return the input's shape as a constant."""
    element = ctx.result_type()
    return ctx.build.constant(np.asarray(ctx.shape_of_first(), numpy_dtype(element)), element)


@tflite_op("CAST")
def cast(ctx: OpContext) -> SSAValue:
    """Convert to another type; quantized tensors are taken as their integers, because LiteRT ignores their scales."""
    value, result = ctx.value(), ctx.result_type()
    plain = ctx.read_as(value, storage_element(element_type(value)))
    storage = storage_element(result)
    converted_value = plain if element_type(plain) == storage else ctx.emit(stablehlo.ConvertOp(plain, storage))
    return ctx.read_as(converted_value, result)
