"""``convolution``, ``dot_general`` and ``dot``: float through BLAS, integers and quantized operands exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.composite import WideConvolutionOp
from qconvert.dialects.stablehlo.linear_algebra import DotOp
from qconvert.interpreter.core import INT32, as_int32, dequantize, follows_onnx, quantize, quantized_result
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.sliding import padded, slabs, windows
from qconvert.ir import (
    UniformQuantizedType,
    element_type,
    expressed,
    numpy_dtype,
    quantized,
    same_scales,
    shape,
    tensor,
)
from qconvert.support.errors import ConversionError

Contraction: TypeAlias = stablehlo.ConvolutionOp | stablehlo.DotGeneralOp
Kernel: TypeAlias = Callable[[Array, Array], Array]

_SLAB_ELEMENTS = 1 << 20
"""Number of elements of the window matrix held at once: 4 MB of float32, near the size of a second-level cache."""
_DEPTHWISE_SLAB_ELEMENTS = 1 << 16


@implements(stablehlo.DotGeneralOp, DotOp)
def dot_general(op: stablehlo.DotGeneralOp, operands: Sequence[Array]) -> Array:
    """Return the batched matrix product for any dimension numbers."""

    def run(lhs: Array, rhs: Array) -> Array:
        return matrix_product(lhs, rhs, op.numbers)

    return _contract(op, operands, run)


def matrix_product(lhs: Array, rhs: Array, numbers: stablehlo.DotDimensionNumbers) -> Array:
    """Multiply operands as (batch, rows, depth) x (batch, depth, columns), and return the result's shape."""
    lhs_free, rhs_free = numbers.lhs_free(lhs.ndim), numbers.rhs_free(rhs.ndim)
    batch = tuple(lhs.shape[i] for i in numbers.lhs_batching_dimensions)
    rows, columns = tuple(lhs.shape[i] for i in lhs_free), tuple(rhs.shape[i] for i in rhs_free)
    depth = prod(lhs.shape[i] for i in numbers.lhs_contracting_dimensions)
    lhs = lhs.transpose(*numbers.lhs_batching_dimensions, *lhs_free, *numbers.lhs_contracting_dimensions)
    rhs = rhs.transpose(*numbers.rhs_batching_dimensions, *numbers.rhs_contracting_dimensions, *rhs_free)
    left = lhs.reshape(prod(batch), prod(rows), depth)
    right = rhs.reshape(prod(batch), depth, prod(columns))
    return np.asarray(_product(left, right)).reshape(batch + rows + columns)


def _product(left: Array, right: Array) -> Array:
    """Multiply matrices: floats by BLAS, integers exactly but for 64-bit unsigned ones, which wrap."""
    if left.dtype.kind == "c":
        return numerics.complex_matmul(left, right)
    return np.matmul(left, right) if _is_plain(left) else numerics.exact_matmul(left, right)


def _is_plain(array: Array) -> bool:
    """Return True for elements that numpy multiplies and adds as they are: floats, and integers that wrap."""
    return array.dtype.kind in "fc" or array.dtype == np.uint64


@implements(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp, operands: Sequence[Array]) -> Array:
    """Convolve any layout, in any number of spatial dimensions."""
    numbers = op.numbers

    def run(lhs: Array, rhs: Array) -> Array:
        image = lhs.transpose(numbers.input_batch, *numbers.input_spatial, numbers.input_feature)
        kernel = rhs.transpose(*numbers.kernel_spatial, numbers.kernel_input_feature, numbers.kernel_output_feature)
        if op.window_reversal is not None:
            kernel = np.flip(kernel, [i for i, flipped in enumerate(op.window_reversal.get_values()) if flipped])
        batches, outputs = (np.split(a, op.batch_groups, axis) for a, axis in ((image, 0), (kernel, -1)))
        parts = [convolve(a, b, op.window, op.groups) for a, b in zip(batches, outputs, strict=True)]
        result = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)
        return result.transpose(np.argsort((numbers.output_batch, *numbers.output_spatial, numbers.output_feature)))

    return _contract(op, operands, run)


def convolve(image: Array, kernel: Array, window: stablehlo.ConvolutionWindow, groups: int) -> Array:
    """Convolve an image (batch, spatial, features) with a kernel (spatial, group features, outputs).

    Integers are exact.
    """
    sizes = kernel.shape[:-2]
    extents = [window.output_size(i, image.shape[1 + i], size) for i, size in enumerate(sizes)]
    is_plain = _is_plain(image)
    bound = 0 if is_plain else numerics.accumulator_bound(image, kernel.reshape(-1, kernel.shape[-1]))
    work = image.dtype if is_plain else numerics.exact_float_dtype(bound) or np.dtype(np.int64)
    result = np.zeros((image.shape[0], *extents, kernel.shape[-1]), work)
    if result.size and kernel.size:
        edges = ((0, 0), *window.padding, (0, 0))
        image = padded(image, edges, (1, *window.lhs_dilation, 1), np.zeros((), work), work)
        _convolve_groups(image, kernel.astype(work), window, groups, result)
    if is_plain:
        return result
    if bound > np.iinfo(np.int64).max:
        raise ConversionError(f"an integer convolution may reach {bound}, outside int64")
    return result.astype(np.int32 if bound <= INT32.max else np.int64)


def _convolve_groups(
    image: Array, kernel: Array, window: stablehlo.ConvolutionWindow, groups: int, result: Array
) -> None:
    if groups > 1 and kernel.shape[-2] == 1:
        return _convolve_depthwise(image, kernel, window, result)
    inputs, outputs = kernel.shape[-2], kernel.shape[-1] // groups
    for group in range(groups):
        taken = slice(group * inputs, (group + 1) * inputs)
        given = slice(group * outputs, (group + 1) * outputs)
        _convolve_dense(image[..., taken], kernel[..., given], window, result[..., given])
    return None


def _convolve_dense(image: Array, kernel: Array, window: stablehlo.ConvolutionWindow, result: Array) -> None:
    """Compute one matrix product for each slab of windows."""
    *sizes, inputs, outputs = kernel.shape
    if not sizes:
        result[...] = image @ kernel
        return
    view = windows(image, sizes, window.strides, window.rhs_dilation, first=1)
    view = np.moveaxis(view, 1 + len(sizes), -1)
    depth = prod(sizes) * inputs
    matrix = kernel.reshape(depth, outputs)
    for n, r in slabs(result.shape[0], result.shape[1], prod(result.shape[2:-1]) * depth, _SLAB_ELEMENTS):
        target = result[n, r]
        target[...] = (view[n, r].reshape(-1, depth) @ matrix).reshape(target.shape)


def _convolve_depthwise(image: Array, kernel: Array, window: stablehlo.ConvolutionWindow, result: Array) -> None:
    """Multiply and accumulate one tap of the kernel at a time.

    A window matrix would hold every element many times.
    """
    sizes, features = kernel.shape[:-2], image.shape[-1]
    view = windows(image, sizes, window.strides, window.rhs_dilation, first=1)[:, ..., np.newaxis]
    view = np.moveaxis(view, -1, 2 + len(sizes))
    grouped = result.reshape(*result.shape[:-1], features, -1)
    weights = kernel.reshape(*sizes, features, -1)
    for n, r in slabs(grouped.shape[0], grouped.shape[1], prod(grouped.shape[2:]), _DEPTHWISE_SLAB_ELEMENTS):
        target, source = grouped[n, r], view[n, r]
        product = np.empty_like(target)
        for tap in np.ndindex(*sizes):
            under_tap: tuple[Any, ...] = (..., *tap)
            target += np.multiply(source[under_tap], weights[tap], out=product)


def _contract(op: Contraction, operands: Sequence[Array], run: Kernel) -> Array:
    """Choose the arithmetic: integers, floats (dequantizing a hybrid's operand first), or quantized."""
    scale = accumulator_scale(op)
    if scale is None:
        reals = [dequantize(array, tensor(value)) for array, value in zip(operands, op.operands, strict=True)]
        return quantized_result(op, _plain(run, reals[0], reals[1], numpy_dtype(expressed(element_type(op.result)))))
    lhs, rhs = (centred(array, value) for array, value in zip(operands, op.operands, strict=True))
    return _requantized(op, run(lhs, rhs), scale)


def _plain(run: Kernel, lhs: Array, rhs: Array, result: np.dtype[np.generic]) -> Array:
    """Compute on integers exactly (booleans as 0 and 1; 64 bits wrap), on floats in at least float32.

    Floats are summed in the result's type if that is wider.
    """
    if lhs.dtype.kind in "iub" and 8 in (lhs.itemsize, rhs.itemsize):
        return run(lhs.astype(np.uint64, copy=False), rhs.astype(np.uint64, copy=False))
    if lhs.dtype.kind in "iub":
        return run(lhs.astype(np.int8, copy=False) if lhs.dtype == np.bool_ else lhs, rhs)
    dtypes = (lhs.dtype, rhs.dtype, result)
    work = np.result_type(np.float32, *(dtype for dtype in dtypes if dtype == np.float64 or dtype.kind == "c"))
    return run(lhs.astype(work, copy=False), rhs.astype(work, copy=False))


def centred(array: Array, value: SSAValue) -> Array:
    """Return storage integers minus zero points, in the narrowest signed type that holds every difference."""
    element = quantized(value)
    assert element is not None
    if element.has_zero_zero_point and array.dtype.kind == "i":
        return array
    wide = {8: np.int16, 16: np.int32}.get(array.dtype.itemsize * 8, np.int64)
    zero_points = np.asarray(element.broadcast(element.zero_points, array.shape)).astype(wide)
    return np.asarray(np.subtract(array, zero_points, dtype=wide))


def accumulator_scale(op: Contraction) -> Array | None:
    """Return ``s_lhs * s_rhs``, broadcastable against the result, or None.

    None means that a side is not quantized, or that its scales vary along a contracted dimension, so that integers
    cannot be summed.
    """
    rank = tensor(op.results[0]).get_num_dims()
    scale = np.ones((1,) * rank)
    for value, dimensions in zip(op.operands, _result_dimensions(op), strict=True):
        element = quantized(value)
        if element is None or not (element.is_per_tensor or element.quantization_dimension in dimensions):
            return None
        axis = None if element.is_per_tensor else dimensions[element.quantization_dimension]
        scale = scale * element.scales.reshape([-1 if i == axis else 1 for i in range(rank)])
    return scale


def _result_dimensions(op: Contraction) -> tuple[dict[int | None, int], dict[int | None, int]]:
    """Return, for each operand, the result dimension of each dimension that is not contracted."""
    numbers = op.numbers
    if isinstance(numbers, stablehlo.ConvDimensionNumbers):
        return {numbers.input_batch: numbers.output_batch}, {numbers.kernel_output_feature: numbers.output_feature}
    lhs = (*numbers.lhs_batching_dimensions, *numbers.lhs_free(len(shape(op.lhs))))
    batch, free = numbers.rhs_batching_dimensions, numbers.rhs_free(len(shape(op.rhs)))
    places = (*range(len(batch)), *range(len(lhs), len(lhs) + len(free)))
    return {axis: i for i, axis in enumerate(lhs)}, dict(zip((*batch, *free), places, strict=True))


def _requantized(op: Contraction, accumulator: Array, scale: Array) -> Array:
    """Return the accumulator's integers in the result's type."""
    type = tensor(op.results[0])
    element = type.element_type
    if not isinstance(element, UniformQuantizedType):
        return quantize(numerics.requantized_real(accumulator, scale), type, None)
    result_scale = np.asarray(element.broadcast(element.scales, accumulator.shape))
    if is_accumulator(element, scale):
        return as_int32(accumulator)
    formula = numerics.requantize_onnx if follows_onnx(op) else numerics.requantize_stablehlo
    zero_points = np.asarray(element.broadcast(element.zero_points, accumulator.shape))
    storage = element.storage
    return formula(
        accumulator, scale, result_scale, zero_points, storage.minimum, storage.maximum, numpy_dtype(element)
    )


def is_accumulator(element: UniformQuantizedType, scale: Array) -> bool:
    """Return True if a result type is the accumulator's: 32 bits, zero point 0 and the product of the scales.

    ``scale`` is the result of :func:`accumulator_scale`.
    """
    return element.is_accumulator and same_scales(element.broadcast(element.scales, scale.shape), scale)


@implements(WideConvolutionOp)
def wide_convolution(op: WideConvolutionOp, operands: Sequence[Array]) -> Array:
    """Return the exact sums times their scales, rounded once."""
    real = wide_sums(op, operands) * np.broadcast_to(op.accumulator_scales, operands[2].shape)
    return quantized_result(op, real)


def wide_sums(op: WideConvolutionOp, operands: Sequence[Array]) -> Array:
    """Return the integers of a convolution with its bias, in 64 bits."""
    lhs, rhs, bias = operands
    numbers, element, kernel = op.numbers, quantized(op.lhs), quantized(op.rhs)
    assert element is not None
    assert kernel is not None
    image = lhs.astype(np.int64) - element.zero_point
    weights = rhs.astype(np.int64) - kernel.broadcast(kernel.zero_points, rhs.shape)
    image = image.transpose(numbers.input_batch, *numbers.input_spatial, numbers.input_feature)
    weights = weights.transpose(*numbers.kernel_spatial, numbers.kernel_input_feature, numbers.kernel_output_feature)
    sums = convolve(image, weights, op.window, op.groups).astype(np.int64) + bias
    return sums.transpose(np.argsort((numbers.output_batch, *numbers.output_spatial, numbers.output_feature)))
