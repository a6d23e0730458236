"""Quantized constants that contractions of floats multiply by, in blocks of one scale for each output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.interpreter.core import evaluate_op
from qconvert.ir import Storage, UniformQuantizedType, element_type, f32, quantized, shape
from qconvert.numerics import unrepeated

Contraction: TypeAlias = stablehlo.ConvolutionOp | stablehlo.DotGeneralOp
_STORAGE = Storage.full(8, signed=True)
_LEAST_WEIGHT = 2.0**-100
"""The magnitude from which on weights of an output have a scale of their own."""


@dataclass(frozen=True)
class WeightBlock:
    """Integers from ``start`` to ``stop`` along the dimension that is summed, with a scale for each output, or one.

    ``positive`` and ``negative`` are the sums of each output's integers of one sign.
    """

    start: int
    stop: int
    array: NDArray[np.int8]
    scales: NDArray[np.float64]
    positive: NDArray[np.int64]
    negative: NDArray[np.int64]

    @property
    def magnitudes(self) -> NDArray[np.int64]:
        """The sums of each output's magnitudes."""
        return self.positive - self.negative


@dataclass(frozen=True)
class Weights:
    """The blocks of a constant; ``axes`` are the dimensions of both operands that they cut.

    Floats are three blocks of the same places, whose sum they are but for their last bits: ``rounding`` is the largest
    sum of an output's errors.
    """

    blocks: tuple[WeightBlock, ...]
    axis: int
    axes: tuple[int, int]
    rounding: float = 0.0

    @property
    def are_cut(self) -> bool:
        """True if blocks have different places."""
        return len({block.start for block in self.blocks}) > 1

    @property
    def magnitude(self) -> int:
        """The largest sum of an output's magnitudes in a block."""
        return max(int(block.magnitudes.max()) for block in self.blocks)

    @property
    def gain(self) -> float:
        """The largest sum of an output's magnitudes, as real numbers."""
        return float(sum((block.magnitudes * block.scales for block in self.blocks), np.zeros(1)).max())

    def ends(self, low: float, high: float) -> tuple[float, float]:
        """Return the least and the largest sum of products with numbers between two ends."""
        least = sum(((low * b.positive + high * b.negative) * b.scales for b in self.blocks), np.zeros(1))
        largest = sum(((high * b.positive + low * b.negative) * b.scales for b in self.blocks), np.zeros(1))
        return float(least.min()), float(largest.max())

    def element(self, block: WeightBlock) -> UniformQuantizedType:
        """Return the type of a block."""
        if len(block.scales) == 1:
            return UniformQuantizedType.per_tensor(_STORAGE, block.scales.item())
        return UniformQuantizedType.per_axis(_STORAGE, block.scales, np.zeros(len(block.scales), np.int64), self.axis)


def weights_of(op: Contraction) -> Weights | None:
    """Return the right-hand side if it is a constant of up to 8 bits whose scales are those of the outputs, in blocks.

    So is a constant of floats, in 24 bits with a scale for each output. Zero points are subtracted where the difference
    has 8 bits. The result has the outputs last. Other contractions, and images that are dilated, have no form here.
    """
    axis, found, floats = _output_axis(op), _quantized_constant(op.rhs), _float_constant(op.rhs)
    if axis is not None and floats is not None and floats.size and np.isfinite(floats).all():
        return _of_floats(floats, axis)
    if axis is None or found is None:
        return None
    element, array = found
    if not array.size or element.storage.width > 8 or element.expressed_type != f32:
        return None
    axes = _summed_axes(op)
    if element.quantization_dimension not in (None, axis) or (element.is_sub_channel and axes is None):
        return None
    axes = axes or (-1, -1)
    made = _blocks(element, array, axes[1], axis)
    return None if made is None else Weights(made, axis, axes)


def _blocks(element: UniformQuantizedType, array: NDArray[Any], cut: int, axis: int) -> tuple[WeightBlock, ...] | None:
    """Cut integers along a dimension where scales change.

    Return None if scales change along others than the outputs', or if an integer less its zero point needs more than 8
    bits. Only the integers of one block are in memory in a wider type.
    """
    sizes = list(array.shape)
    if element.is_sub_channel:
        sizes[cut] = element.data.block_shape[cut]
    points, scales = (
        np.broadcast_to(element.broadcast(values, tuple(sizes)), sizes)
        for values in (element.zero_points, element.scales)
    )
    count = sizes[cut] if element.is_sub_channel else 1
    size, step = array.shape[cut] // count, sizes[cut] // count
    blocks = []
    for i in range(count):
        part = _between(array, cut, i * size, size).astype(np.int16)
        part -= _between(points, cut, i * step, step).astype(np.int16)
        if part.min() < _STORAGE.minimum or part.max() > _STORAGE.maximum:
            return None
        own = _by_output(unrepeated(_between(scales, cut, i * step, step)), axis)
        if (own != own[:, :1]).any():
            return None
        rows = _by_output(part, axis)
        sums = rows.clip(min=0).sum(axis=1), rows.clip(max=0).sum(axis=1)
        own = own[:1, 0] if (own == own[0, 0]).all() else own[:, 0]
        blocks.append(WeightBlock(i * size, (i + 1) * size, part.astype(np.int8), own, *sums))
    return tuple(blocks)


def _between(array: NDArray[Any], axis: int, start: int, count: int) -> NDArray[Any]:
    """Return so many slices along an axis, from one on, without a copy."""
    return np.moveaxis(np.moveaxis(array, axis, 0)[start : start + count], 0, axis)


def _by_output(array: NDArray[Any], axis: int) -> NDArray[Any]:
    """Return a row for each output."""
    return np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)


def _of_floats(floats: NDArray[np.float64], axis: int) -> Weights:
    """Return floats as three integers of 8 bits, the first of which counts 2^16 as much as the last."""
    rows = np.moveaxis(floats, axis, 0).reshape(floats.shape[axis], -1)
    largest = np.abs(rows).max(axis=1)
    scales = np.where(largest > _LEAST_WEIGHT, largest, 1.0) / (127 * 2.0**16)
    left = numerics.round_half_even(rows / scales[:, None]).astype(np.int64)
    rounding = float(np.abs(left * scales[:, None] - rows).sum(axis=1).max())
    moved = (floats.shape[axis], *np.delete(floats.shape, axis))
    blocks = []
    for places in (0, 8, 16):
        part = left if places == 16 else (left + 128 & 255) - 128
        left = (left - part) >> 8
        array = np.moveaxis(part.reshape(moved), 0, axis).astype(np.int8)
        sums = part.clip(min=0).sum(axis=1), part.clip(max=0).sum(axis=1)
        blocks.append(WeightBlock(0, floats.shape[-1], array, scales * 2.0**places, *sums))
    return Weights(tuple(blocks), axis, (-1, -1), rounding)


def _float_constant(value: SSAValue) -> NDArray[np.float64] | None:
    """Return the elements of a float constant, or of a slice of one, None for another value."""
    array, owner = constant_array(value), value.owner
    if array is not None:
        return array.astype(np.float64) if element_type(value) == f32 else None
    found = _float_constant(owner.operand) if isinstance(owner, stablehlo.SliceOp) else None
    if found is None:
        return None
    assert isinstance(owner, stablehlo.SliceOp)
    return evaluate_op(owner, [found])[0]


def _summed_axes(op: Contraction) -> tuple[int, int] | None:
    """Return the dimensions of both operands that are summed; None if each output has a part of them."""
    if isinstance(op, stablehlo.DotGeneralOp):
        return op.numbers.lhs_contracting_dimensions[0], op.numbers.rhs_contracting_dimensions[0]
    return (op.numbers.input_feature, op.numbers.kernel_input_feature) if op.groups == 1 else None


def _quantized_constant(value: SSAValue) -> tuple[UniformQuantizedType, NDArray[np.int8]] | None:
    """Return the type and the integers of a dequantized constant, or of a slice of one, None for another value."""
    owner = value.owner
    if isinstance(owner, stablehlo.UniformDequantizeOp):
        element, array = quantized(owner.operand), constant_array(owner.operand)
        return None if element is None or array is None else (element, array)
    found = _quantized_constant(owner.operand) if isinstance(owner, stablehlo.SliceOp) else None
    if found is None or found[0].is_sub_channel:
        return None
    assert isinstance(owner, stablehlo.SliceOp)
    element, array = found
    (part,) = evaluate_op(owner, [array])
    axis = element.quantization_dimension
    if axis is None:
        return element, part
    (places,) = evaluate_op(owner, [np.indices(array.shape)[axis]])
    kept = np.moveaxis(places, axis, 0).reshape(part.shape[axis], -1)[:, 0]
    return UniformQuantizedType.per_axis(element.storage, element.scales[kept], element.zero_points[kept], axis), part


def _output_axis(op: Contraction) -> int | None:
    """Return the right-hand side's dimension of outputs; None for a contraction without a form in 16 bits."""
    if isinstance(op, stablehlo.DotGeneralOp):
        numbers = op.numbers
        is_matrix = len(shape(op.rhs)) == 2 and len(numbers.rhs_contracting_dimensions) == 1
        if numbers.lhs_batching_dimensions or not is_matrix:
            return None
        return 1 - numbers.rhs_contracting_dimensions[0]
    is_planar = len(op.numbers.input_spatial) in (1, 2) and op.batch_groups == 1
    is_last = op.numbers.output_feature == len(shape(op.result)) - 1
    is_plain = all(step == 1 for step in op.window.lhs_dilation)
    return op.numbers.kernel_output_feature if is_planar and is_last and is_plain else None
