"""Operators about shapes: reshapes, shapes as values, constants, and operators that do nothing in inference.

Source: ONNX Reshape-5 to -25, Flatten-1 to -25, Squeeze and Unsqueeze-1 to -25, Expand-8, Shape-1 to -25, Size-1,
Identity-1, Dropout-7 to -22, Constant-1 to -25, ConstantOfShape-9, Range-11.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from onnx import TensorProto
from xdsl.ir import Attribute, SSAValue

from qconvert.frontends.context import common_shape
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.indexing import check_count, movable
from qconvert.frontends.onnx.tensors import TensorReader
from qconvert.ir import element_type, from_numpy_dtype, i1, shape, storage_element
from qconvert.support.errors import ConversionError
from qconvert.support.limits import check_shape


def reshaped(ctx: NodeContext, target: Sequence[int]) -> SSAValue:
    """Reshape input 0; it becomes integers if the new shape mixes elements of different scales."""
    value = ctx.carried(0)
    try:
        return ctx.reshape(value, target)
    except ConversionError:
        return ctx.reshape(ctx.input(0), target)


@onnx_op("Reshape", since=5)
def reshape(ctx: NodeContext) -> SSAValue:
    """Reshape; in the shape, 0 copies a dimension (unless ``allowzero``) and one -1 is computed."""
    sizes = shape(ctx.carried(0))
    requested = ctx.constant_ints(1, "the shape") or []
    copies = not ctx.integer("allowzero", 0)
    if copies and any(size == 0 and i >= len(sizes) for i, size in enumerate(requested)):
        raise ConversionError(f"shape {requested} copies a dimension that {list(sizes)} lacks")
    target = [sizes[i] if size == 0 and copies else size for i, size in enumerate(requested)]
    if any(size < -1 for size in target) or target.count(-1) > 1:
        raise ConversionError(f"shape {requested} has negative sizes, only one -1 is allowed")
    if -1 in target:
        product = prod(size for size in target if size != -1)
        if product == 0 or prod(sizes) % product:
            raise ConversionError(f"shape {requested} does not divide the {prod(sizes)} elements of {list(sizes)}")
        target[target.index(-1)] = prod(sizes) // product
    return reshaped(ctx, target)


@onnx_op("Flatten")
def flatten(ctx: NodeContext) -> SSAValue:
    """Reshape to a matrix: the dimensions before ``axis``, and the others."""
    sizes, axis = shape(ctx.carried(0)), ctx.integer("axis", 1)
    if not -len(sizes) <= axis <= len(sizes):
        raise ConversionError(f"axis {axis} is outside a tensor of rank {len(sizes)}")
    at = axis + len(sizes) if axis < 0 else axis
    return reshaped(ctx, [prod(sizes[:at]), prod(sizes[at:])])


@onnx_op("Squeeze")
def squeeze(ctx: NodeContext) -> SSAValue:
    """Remove the given dimensions of size 1, or all of them."""
    sizes = shape(ctx.carried(0))
    named = ctx.ints_from(1, "axes")
    axes = [i for i, size in enumerate(sizes) if size == 1] if named is None else ctx.axes(named, len(sizes))
    for axis in axes:
        if not sizes or sizes[axis] != 1:
            raise ConversionError(f"dimension {axis} of {list(sizes)} is not of size 1")
    return reshaped(ctx, [size for i, size in enumerate(sizes) if i not in axes])


@onnx_op("Unsqueeze")
def unsqueeze(ctx: NodeContext) -> SSAValue:
    """Insert dimensions of size 1 at positions counted in the result."""
    sizes = list(shape(ctx.carried(0)))
    named = ctx.ints_from(1, "axes")
    if named is None:
        raise ConversionError("axes is missing")
    for axis in ctx.axes(named, len(sizes) + len(named)):
        sizes.insert(axis, 1)
    return reshaped(ctx, sizes)


@onnx_op("Expand", since=8)
def expand(ctx: NodeContext) -> SSAValue:
    """Broadcast to the common shape of the input and the requested shape."""
    value, requested = movable(ctx), ctx.constant_ints(1, "the shape") or []
    check_shape(requested)
    return ctx.broadcast(value, common_shape("shapes", shape(value), requested))


@onnx_op("Shape")
def shape_of(ctx: NodeContext) -> SSAValue:
    """Return the shape, or a part of it, as a constant."""
    sizes = shape(ctx.carried(0))
    start, end = ctx.integer("start", 0), ctx.integer("end", len(sizes))
    return ctx.constant(np.asarray(sizes[start:end], np.int64))


@onnx_op("Size")
def size_of(ctx: NodeContext) -> SSAValue:
    """Return the number of elements as a constant."""
    return ctx.constant(np.asarray(prod(shape(ctx.carried(0))), np.int64))


@onnx_op("Identity")
def identity(ctx: NodeContext) -> SSAValue:
    """Return the input."""
    return ctx.carried(0)


@onnx_op("Dropout", since=7)
def dropout(ctx: NodeContext) -> tuple[SSAValue, SSAValue]:
    """Return the input and a mask. Inference drops nothing: the mask is 1, before opset 12 it is 0."""
    value = ctx.carried(0)
    ctx.ignore("ratio", "seed")
    trains = ctx.has(2) and bool(ctx.constant_value(2, "training_mode").any())
    if trains and not (ctx.has(1) and not ctx.constant_value(1, "the ratio").any()):
        raise ConversionError("Dropout in training mode drops at random", hint="Export the model for inference")
    mask = i1 if ctx.opset >= 10 else storage_element(element_type(value))
    return value, ctx.build.filled(ctx.opset >= 12, mask, shape(value))


@onnx_op("Constant")
def constant(ctx: NodeContext) -> SSAValue:
    """Return the tensor or list in one of the attributes; strings and sparse tensors are refused."""
    for attribute in ctx.node.attribute:
        if attribute.name in ("sparse_value", "value_string", "value_strings"):
            raise ConversionError(f"a constant given by '{attribute.name}' is not supported")
    tensor = ctx.tensor_attribute("value")
    if tensor is not None:
        return ctx.constant(tensor, _element(ctx))
    names = {attribute.name for attribute in ctx.node.attribute}
    if "value_float" in names:
        return ctx.constant(np.float32(ctx.number("value_float", 0.0)))
    if "value_int" in names:
        return ctx.constant(np.int64(ctx.integer("value_int", 0)))
    floats, integers = ctx.numbers("value_floats"), ctx.integers("value_ints")
    if floats is not None:
        return ctx.constant(np.asarray(floats, np.float32))
    if integers is not None:
        return ctx.constant(np.asarray(integers, np.int64))
    raise ConversionError("the constant has no value", hint="Export the model again")


def _element(ctx: NodeContext) -> Attribute:
    """Return the element type of the tensor in ``value``; its array does not show types narrower than 8 bits."""
    return TensorReader.element(next(attribute.t for attribute in ctx.node.attribute if attribute.name == "value"))


@onnx_op("ConstantOfShape", since=9)
def constant_of_shape(ctx: NodeContext) -> SSAValue:
    """Return a tensor with one value everywhere, by default 0.0."""
    sizes = ctx.constant_ints(0, "the shape") or []
    check_shape(sizes)
    value = ctx.tensor_attribute("value")
    array = np.zeros(1, np.float32) if value is None else value
    if array.size != 1:
        raise ConversionError(f"the value has {array.size} elements, one is needed")
    element = from_numpy_dtype(array.dtype) if value is None else _element(ctx)
    return ctx.build.filled(array.reshape(()), element, sizes)


@onnx_op("Range", since=11)
def range_(ctx: NodeContext) -> SSAValue:
    """Return ``start``, ``start + delta``, ... below ``limit``, added up in the inputs' type.

    From opset 27 on, floats of 16 bits are added up in ``stash_type``, which is float32 by default.
    """
    start, limit, delta = (ctx.constant_value(i, name) for i, name in enumerate(("start", "limit", "delta")))
    if any(array.size != 1 for array in (start, limit, delta)):
        raise ConversionError("start, limit and delta must be scalars")
    wide = _sum_dtype(ctx, start.dtype)
    values = np.full(check_count(_steps(start.item(), limit.item(), delta.item())), delta.item(), wide)
    values[:1] = start.reshape(())
    return ctx.constant(np.add.accumulate(values, dtype=wide).astype(start.dtype))


def _sum_dtype(ctx: NodeContext, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which Range adds up numbers of a type."""
    stash = ctx.integer("stash_type", TensorProto.FLOAT) if ctx.opset >= 27 else 0
    if not stash or dtype.itemsize != 2 or dtype.kind in "iu":
        return dtype
    if stash not in (TensorProto.FLOAT, TensorProto.DOUBLE):
        raise ConversionError(f"stash_type {stash}", hint="Use 1 (float32) or 11 (float64)")
    return np.dtype(np.float32 if stash == TensorProto.FLOAT else np.float64)


def _steps(start: float, limit: float, delta: float) -> int:
    """Return the number of steps before the limit, exact for integers; raises ConversionError if it is not finite."""
    if not delta or not np.isfinite([start, limit, delta]).all():
        raise ConversionError(f"a range from {start} to {limit} in steps of {delta} is not finite")
    if isinstance(start, int):
        return max(0, -int((start - limit) // delta))
    return max(0, int(np.ceil((limit - start) / delta)))
