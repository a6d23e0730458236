"""QuantizeLinear and DequantizeLinear.

Source: ONNX QuantizeLinear and DequantizeLinear, opsets 10 to 28.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto
from xdsl.dialects.builtin import AnyFloat, StringAttr
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.context import DEFINITION_HINT
from qconvert.frontends.onnx.blocks import cut_to, with_plain_scales
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.small_float import converted, dequantized_small_float, quantized_to_small_float
from qconvert.frontends.onnx.tensors import element_dtype
from qconvert.ir import (
    ARITHMETIC,
    ONNX_ARITHMETIC,
    TENSOR,
    CompactNumbers,
    Storage,
    UniformParameters,
    UniformQuantizedType,
    element_type,
    f32,
    from_numpy_dtype,
    is_small_float,
    numpy_dtype,
    quantized,
    shape,
    storage_element,
    storage_integer,
)
from qconvert.support.errors import ConversionError

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own operators: QOperator, and 16-bit quantization before opset 21."""

_WIDTHS = ((2, True), (2, False), (4, True), (4, False), (8, True), (8, False), (16, True), (16, False), (32, True))
_STORAGES: dict[Attribute, Storage] = {
    storage_integer(width, signed): Storage.full(width, signed=signed) for width, signed in _WIDTHS
}
"""The storage of each integer type that has quantized values."""


@onnx_op("QuantizeLinear", domain=MICROSOFT)
@onnx_op("QuantizeLinear", since=10)
def quantize_linear(ctx: NodeContext) -> SSAValue:
    """Quantize floats to the type of the zero point, else to ``output_dtype``.

    The division is in the type that ``precision`` names, else in the scale's.
    """
    value = ctx.require_float(ctx.input(0))
    saturates = bool(ctx.integer("saturate", 1))
    precision, scale = ctx.integer("precision", 0), _scale_type(ctx)
    divided = _float_named(precision) if precision else scale
    if divided not in (scale, f32):
        problem = f"precision is {divided} for a scale of {scale}, which onnxruntime ignores before 1.32"
        raise ConversionError(problem, hint="Leave precision out, or use a scale of that type")
    value, element = converted(ctx, value, divided), _output_element(ctx)
    if is_small_float(element):
        return quantized_to_small_float(ctx, value, element, saturates=saturates)
    return quantized_as(ctx, value, _type_of_node(ctx, value, storage_of(element), divided))


def _scale_type(ctx: NodeContext) -> AnyFloat:
    """Return the element type of the scale; raises ConversionError if it is no float."""
    element = element_type(ctx.carried(1))
    if not isinstance(element, AnyFloat):
        raise ConversionError(f"the scale has elements of type {element}", hint="Scales are floats")
    return element


def _float_named(kind: int) -> AnyFloat:
    """Return the float type that an attribute names; raises ConversionError for other types."""
    element = from_numpy_dtype(element_dtype(kind))
    if not isinstance(element, AnyFloat) or is_small_float(element):
        raise ConversionError(f"an attribute names the type {element}", hint="Use float32, float16 or bfloat16")
    return element


def quantized_as(ctx: NodeContext, value: SSAValue, type: UniformQuantizedType) -> SSAValue:
    """Quantize floats to the node's result in ONNX's order of rounding; the result keeps its ONNX name."""
    op = stablehlo.UniformQuantizeOp(value, type)
    op.attributes[ARITHMETIC] = ONNX_ARITHMETIC
    op.attributes[TENSOR] = StringAttr(ctx.node.output[0])
    return ctx.build.add(op)


def _output_element(ctx: NodeContext) -> Attribute:
    """Return the element type of the zero point, else of ``output_dtype``, else uint8.

    Raises ConversionError if the first two differ.
    """
    requested = ctx.integer("output_dtype", 0)
    if not ctx.has(2):
        return from_numpy_dtype(element_dtype(requested or TensorProto.UINT8))
    zero_point_type = element_type(ctx.carried(2))
    if requested and (named := from_numpy_dtype(element_dtype(requested))) != zero_point_type:
        raise ConversionError(
            f"output_dtype is {named}, the zero point has the type {zero_point_type}", hint=DEFINITION_HINT
        )
    return zero_point_type


def storage_of(element: Attribute) -> Storage:
    """Return the storage of integers of an element type; raises ConversionError for other types."""
    integers = storage_element(element)
    storage = _STORAGES.get(integers)
    if storage is None:
        raise ConversionError(
            f"quantized values of type {integers} are not supported", hint="Use integers of 2 to 32 bits"
        )
    return storage


@onnx_op("DequantizeLinear", domain=MICROSOFT)
@onnx_op("DequantizeLinear", since=10)
def dequantize_linear(ctx: NodeContext) -> SSAValue:
    """Dequantize integers, or a value that already has a quantized type, to ``output_dtype``, else to the scale's type.

    onnx's reference and onnxruntime multiply in float32 and round the product to the result's type.
    """
    scale, requested = _scale_type(ctx), ctx.integer("output_dtype", 0)
    result = _float_named(requested) if requested else scale
    return converted(ctx, _dequantized(ctx, scale if result == scale else f32), result)


def _dequantized(ctx: NodeContext, expressed: AnyFloat) -> SSAValue:
    value = ctx.carried(0)
    if is_small_float(element_type(value)):
        return dequantized_small_float(ctx, value, expressed)
    sizes, storage, known = shape(value), storage_of(element_type(value)), stablehlo.held_elements(value)
    if known is not None:
        ctx = with_plain_scales(ctx, known, storage)
        value = ctx.carried(0)
    type = _type_of_node(ctx, value, storage, expressed)
    real = ctx.build.add(stablehlo.UniformDequantizeOp(as_quantized(ctx, value, type), type.expressed_type))
    return cut_to(ctx, real, sizes)


def as_quantized(ctx: NodeContext, value: SSAValue, type: UniformQuantizedType) -> SSAValue:
    """Return the same integers with a quantized type."""
    if quantized(value) == type:
        return value
    if isinstance(value.owner, stablehlo.ConstantOp):
        return ctx.build.constant(value.owner.held, type, value.owner.location)
    return ctx.build.add(stablehlo.BitcastConvertOp(value, type))


def _type_of_node(ctx: NodeContext, value: SSAValue, storage: Storage, expressed: AnyFloat) -> UniformQuantizedType:
    """Return the quantized type given by the node's attributes, scale and zero point."""
    axis, block_size = ctx.integer("axis", 1), ctx.integer("block_size", 0)
    return quantized_type(ctx, value, storage, axis=axis, block_size=block_size, expressed=expressed)


def quantized_type(
    ctx: NodeContext,
    value: SSAValue,
    storage: Storage,
    *,
    axis: int,
    block_size: int,
    expressed: AnyFloat | None = None,
) -> UniformQuantizedType:
    """Return the quantized type of a value from the scale (input 1) and the optional zero point (input 2).

    The scale is rounded to ``expressed``, by default its own type. Raises ConversionError if scale and zero point do
    not fit the axis, the block size or each other.
    """
    scale = ctx.constant_value(1, "the scale")
    if expressed is not None and isinstance(from_numpy_dtype(scale.dtype), AnyFloat):
        with np.errstate(over="ignore", under="ignore"):
            scale = scale.astype(numpy_dtype(expressed))
    zero_point = ctx.constant_value(2, "the zero point") if ctx.has(2) else np.zeros(scale.shape, np.int64)
    expressed = _scale_type(ctx) if expressed is None else expressed
    _check_parameters(scale, zero_point, storage)
    if storage.width == 32 and np.any(zero_point):
        raise ConversionError("an int32 tensor needs the zero point 0", hint="Leave the zero point out")
    if scale.size == 1 and not block_size:
        return UniformQuantizedType.per_tensor(storage, scale.item(), int(zero_point.item()), expressed)
    sizes = shape(value)
    if not sizes:
        raise ConversionError(f"{scale.size} scales for a scalar", hint="A scalar has one scale")
    if block_size:
        return blocked_type(sizes, scale, zero_point, storage, (ctx.axis(axis, len(sizes)), block_size))
    dimension = ctx.axis(axis, len(sizes))
    if scale.ndim != 1 or scale.size != sizes[dimension]:
        raise ConversionError(
            f"{scale.size} scales for dimension {dimension} of size {sizes[dimension]}",
            hint="Per-axis parameters need one scale for each slice along the axis",
        )
    return UniformQuantizedType.per_axis(storage, scale, zero_point.reshape(-1), dimension, expressed)


def _check_parameters(scale: NDArray[Any], zero_point: NDArray[Any], storage: Storage) -> None:
    wide = scale.astype(np.float64)
    bad = ~(np.isfinite(wide) & (wide > 0))
    if bad.any():
        raise ConversionError(
            f"the scale is {wide[bad].flat[0]:g}", hint="A scale must be finite and above 0; calibrate the model again"
        )
    if zero_point.shape != scale.shape and zero_point.size != scale.size:
        counts = f"{scale.size} scales and {zero_point.size} zero points"
        raise ConversionError(counts, hint="Every scale has one zero point")
    outside = (zero_point.astype(np.int64) < storage.minimum) | (zero_point.astype(np.int64) > storage.maximum)
    if outside.any():
        raise ConversionError(
            f"zero point {zero_point[outside].flat[0]} is outside the range of {storage}",
            hint="A zero point is a value of the quantized type; calibrate the model again",
        )


def blocked_type(
    sizes: tuple[int, ...],
    scale: NDArray[Any],
    zero_point: NDArray[Any],
    storage: Storage,
    block: tuple[int, int],
) -> UniformQuantizedType:
    """Return MLIR's sub-channel type with blocks of ``block[1]`` elements along dimension ``block[0]``."""
    dimension, block_size = block
    expressed = from_numpy_dtype(scale.dtype)
    assert isinstance(expressed, AnyFloat)
    expected = tuple(-(-size // block_size) if i == dimension else size for i, size in enumerate(sizes))
    if scale.shape != expected or sizes[dimension] % block_size:
        problem = f"scales of shape {list(scale.shape)} for blocks of {block_size}"
        raise ConversionError(f"{problem} along dimension {dimension} of {list(sizes)}")
    block_sizes = tuple((i, block_size if i == dimension else 1) for i in range(len(sizes)))
    return UniformQuantizedType(
        UniformParameters(
            storage,
            expressed,
            CompactNumbers(scale),
            CompactNumbers(zero_point),
            None,
            block_sizes,
            expected,
        )
    )
