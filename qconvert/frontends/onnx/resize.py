"""Resize and Upsample: nearest neighbours as a selection of elements, linear interpolation as a composite.

Source: ONNX Upsample-7 and -9, Resize-10, -11, -13, -18, -19; for what they leave open, onnxruntime's CPU kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.composite import Coordinates
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.indexing import check_count, movable, take
from qconvert.ir import element_type, f32, is_float, numpy_dtype, shape
from qconvert.numerics.affine import round_half_away
from qconvert.support.errors import ConversionError


class _Resizing(NamedTuple):
    """The result's sizes, the scale of each dimension as float32, and how positions are computed."""

    sizes: tuple[int, ...]
    scales: tuple[np.float32, ...]
    coordinates: Coordinates = Coordinates.ASYMMETRIC
    nearest: str = "simple"


@onnx_op("Upsample", since=7)
def upsample(ctx: NodeContext) -> SSAValue:
    """Import Upsample, the operator before opset 10, which is always asymmetric."""
    mode, scales = ctx.text("mode", "nearest"), ctx.numbers("scales")
    factors = np.asarray(scales) if scales is not None else ctx.constant_value(1, "the scales")
    return _resized(ctx, mode, _by_scales(shape(ctx.carried(0)), factors, None))


@onnx_op("Resize", since=10)
def resize_10(ctx: NodeContext) -> SSAValue:
    """Import Resize-10, which is always asymmetric."""
    scales = ctx.constant_value(1, "the scales")
    return _resized(ctx, ctx.text("mode", "nearest"), _by_scales(shape(ctx.carried(0)), scales, None))


@onnx_op("Resize", since=11)
def resize(ctx: NodeContext) -> SSAValue:
    """Resize to sizes or by scales; coordinate_transformation_mode and nearest_mode define the positions."""
    mode, found = ctx.text("mode", "nearest"), ctx.text("coordinate_transformation_mode", "half_pixel")
    ctx.ignore("extrapolation_value", "cubic_coeff_a")
    if ctx.integer("antialias", 0) or ctx.integer("exclude_outside", 0):
        raise ConversionError("antialias and exclude_outside are not supported", hint="Use plain linear interpolation")
    if found not in list(Coordinates):
        hint = "Crop the input with Slice first" if found == "tf_crop_and_resize" else ""
        raise ConversionError(f"coordinate_transformation_mode '{found}' is not supported", hint=hint)
    nearest = ctx.text("nearest_mode", "round_prefer_floor")
    return _resized(ctx, mode, _requested(ctx)._replace(coordinates=Coordinates(found), nearest=nearest))


def _requested(ctx: NodeContext) -> _Resizing:
    """Return sizes and scales from input 2 (scales) or 3 (sizes), for all dimensions or for ``axes``."""
    original, named = shape(ctx.carried(0)), ctx.integers("axes")
    axes = None if named is None else [ctx.axis(axis, len(original)) for axis in named]
    policy = ctx.text("keep_aspect_ratio_policy", "stretch")
    scales = ctx.constant_value(2, "the scales") if ctx.has(2) else np.zeros(0)
    sizes = ctx.constant_ints(3, "the sizes") or []
    if bool(scales.size) == bool(sizes):
        raise ConversionError("exactly one of scales and sizes must be given", hint="Check the Resize node's inputs")
    return _by_scales(original, scales, axes) if scales.size else _by_sizes(original, sizes, axes, policy)


def _by_scales(original: Sequence[int], given: NDArray[Any], axes: Sequence[int] | None) -> _Resizing:
    """Compute sizes as products with the scales, in float32 and rounded down."""
    flat = given.reshape(-1).astype(np.float32)
    named = dict(zip(_all_or(axes, original, len(flat)), flat, strict=True))
    scales = tuple(named.get(i, np.float32(1)) for i in range(len(original)))
    if any(not 0 < scale < np.inf for scale in scales):
        raise ConversionError(f"scales {flat.tolist()} are not all positive")
    products = [min(float(scale) * size, 2.0**62) for scale, size in zip(scales, original, strict=True)]
    return _Resizing(tuple(check_count(int(np.float32(size))) for size in products), scales)


def _by_sizes(original: Sequence[int], given: Sequence[int], axes: Sequence[int] | None, policy: str) -> _Resizing:
    """Compute scales as ratios of the sizes; a policy that keeps the aspect ratio takes the smallest or largest."""
    chosen = _all_or(axes, original, len(given))
    named = dict(zip(chosen, given, strict=True))
    sizes = [check_count(named.get(i, size)) for i, size in enumerate(original)]
    if any(size < 0 or (before == 0 < size) for before, size in zip(original, sizes, strict=True)):
        raise ConversionError(f"{list(original)} cannot be resized to {sizes}")
    pairs = zip(original, sizes, strict=True)
    scales = [np.float32(size) / np.float32(before) if before else np.float32(1) for before, size in pairs]
    if policy == "stretch":
        return _Resizing(tuple(sizes), tuple(scales))
    if policy not in ("not_larger", "not_smaller"):
        raise ConversionError(f"keep_aspect_ratio_policy is '{policy}'")
    common = (min if policy == "not_larger" else max)(scales[i] for i in chosen)
    for i in chosen:
        size = round_half_away(np.asarray(common * np.float32(original[i]), np.float64))
        scales[i], sizes[i] = common, check_count(int(size))
    return _Resizing(tuple(sizes), tuple(scales))


def _all_or(axes: Sequence[int] | None, original: Sequence[int], count: int) -> list[int]:
    """Return the given axes, or all; raises ConversionError unless there are ``count`` distinct ones."""
    chosen = list(range(len(original))) if axes is None else list(axes)
    if len(chosen) != count or len(set(chosen)) != count:
        raise ConversionError(f"{count} scales or sizes for axes {chosen}")
    return chosen


def _resized(ctx: NodeContext, mode: str, resizing: _Resizing) -> SSAValue:
    if resizing.sizes == shape(ctx.carried(0)):
        return ctx.carried(0)
    if mode == "nearest":
        return _nearest(ctx, resizing)
    if mode == "linear":
        return _linear(ctx, resizing)
    raise ConversionError(f"the mode '{mode}' is not supported", hint="Use nearest or linear interpolation")


def _nearest(ctx: NodeContext, resizing: _Resizing) -> SSAValue:
    """Select elements along one axis after the other; a quantized tensor stays quantized."""
    value = movable(ctx)
    rounding = _NEAREST.get(resizing.nearest)
    if rounding is None:
        raise ConversionError(f"nearest_mode is '{resizing.nearest}'")
    for axis, (size, scale) in enumerate(zip(resizing.sizes, resizing.scales, strict=True)):
        original = shape(value)[axis]
        if scale != 1 and original:
            at = composite.original_coordinates(resizing.coordinates, float(scale), original, size)
            value = take(ctx, value, axis, np.clip(rounding(at, bool(scale < 1)).astype(np.int64), 0, original - 1))
    return value


def _to_nearest(at: composite.Coordinate) -> NDArray[Any]:
    """Return the nearest integer, halves away from zero; exact, because the sum is computed in float64."""
    wide = at.astype(np.float64)
    return np.asarray(np.trunc(wide + np.copysign(0.5, wide)))


def _to_nearest_or_floor(at: composite.Coordinate) -> NDArray[Any]:
    return np.where(at == np.trunc(at) + composite.HALF, np.floor(at), _to_nearest(at))


_NEAREST: dict[str, Callable[[composite.Coordinate, bool], NDArray[Any]]] = {
    "simple": lambda at, shrinks: np.ceil(at) if shrinks else np.trunc(at),
    "floor": lambda at, _: np.floor(at),
    "ceil": lambda at, _: np.ceil(at),
    "round_prefer_ceil": lambda at, _: _to_nearest(at),
    "round_prefer_floor": lambda at, _: _to_nearest_or_floor(at),
}


def _linear(ctx: NodeContext, resizing: _Resizing) -> SSAValue:
    """Emit the composite on floats; integers are interpolated in float32 and truncated, as in onnxruntime."""
    value, axes = ctx.input(0), _interpolated_axes(resizing.scales)
    element = element_type(value)
    is_real = is_float(element)
    if not is_real and axes == (1, 2) and numpy_dtype(element).itemsize == 1:
        raise ConversionError(
            "linear interpolation of 8-bit integers with channels last is not supported",
            hint="Dequantize before and quantize behind the Resize",
        )
    operand = value if is_real else ctx.emit(stablehlo.ConvertOp(value, f32))
    factors = [float(resizing.scales[axis]) for axis in axes]
    resized = ctx.emit(composite.ResizeOp(operand, resizing.sizes, axes, factors, resizing.coordinates))
    return resized if is_real else ctx.emit(stablehlo.ConvertOp(resized, element))


def _interpolated_axes(scales: Sequence[np.float32]) -> tuple[int, ...]:
    """Return the axes that onnxruntime interpolates along.

    Some of them have scale 1; their weights change how sums are rounded.
    """
    rank, is_one = len(scales), [scale == 1 for scale in scales]
    if rank in (2, 3):
        return tuple(range(rank))
    if rank in (4, 5) and is_one[0] and is_one[1]:
        return tuple(range(2, rank))
    if rank == 4 and is_one[0] and is_one[3]:
        return (1, 2)
    return tuple(i for i in range(rank) if not is_one[i])
