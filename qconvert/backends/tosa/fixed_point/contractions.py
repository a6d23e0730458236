"""Convolutions and matrix products of a float value by quantized constants.

TOSA multiplies integers of 16 bits by weights of 8 bits into i48. The value's integers are one part if they are sums of
quantized values and fit 16 bits. Else they are two parts, ``v = high 2^p + low``, each with a contraction of its own.
The sums of each part are below 2^29, which a RESCALE with multipliers of 32 bits takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from qconvert.backends.tosa.fixed_point.values import BITS, MULTIPLIER, Fixed, Interval, Rule, Values, rules
from qconvert.backends.tosa.lowering import lower_op
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import Rearranges
from qconvert.expansion.builder import i16
from qconvert.interpreter.core import evaluate_op
from qconvert.ir import Storage, UniformQuantizedType, f32, i8, i32, quantized, shape, tensor, tensor_type, with_element
from qconvert.rewriting import ACCUMULATOR, rebuilt

Contraction: TypeAlias = stablehlo.ConvolutionOp | stablehlo.DotGeneralOp
_OPERAND = Storage.full(16, signed=True)
_LARGEST_OPERAND = _OPERAND.maximum - 1
_LARGEST_SUM = 2**BITS - 2


@dataclass(frozen=True)
class Weights:
    """Quantized constants: ``positive`` and ``negative`` are the sums of each output's integers of one sign."""

    array: NDArray[np.int8]
    element: UniformQuantizedType
    positive: NDArray[np.int64]
    negative: NDArray[np.int64]

    @property
    def magnitudes(self) -> NDArray[np.int64]:
        """The sums of each output's magnitudes."""
        return self.positive - self.negative

    @property
    def gain(self) -> float:
        """The largest sum of an output's magnitudes, as real numbers."""
        return float((self.magnitudes * self.element.scales).max())


@rules(stablehlo.ConvolutionOp, stablehlo.DotGeneralOp)
class Contracted(Rule):
    """Sums of products with constants: integers of 16 bits times integers of 8 bits."""

    def interval(self, op: Contraction, of: Values) -> Interval | None:
        """Return the interval of the sums of all outputs; an element of the padding is 0."""
        known, weights = of.interval(op.lhs), _weights(op)
        if known is None or weights is None:
            return None
        is_padded = isinstance(op, stablehlo.ConvolutionOp)
        low, high = (min(0.0, known.low), max(0.0, known.high)) if is_padded else (known.low, known.high)
        least = (low * weights.positive + high * weights.negative) * weights.element.scales
        largest = (high * weights.positive + low * weights.negative) * weights.element.scales
        return Interval.of(float(least.min()), float(largest.max()))

    def unit(self, op: Contraction, of: Values) -> float:
        """Return the finest scale of the result and of the sums of each part."""
        weights = _weights(op)
        assert weights is not None
        split = _split(op, weights, of)
        rounded = 2.0**split.places * split.scale * weights.gain
        return Interval(0.0, of.known(op.result).magnitude + rounded).unit

    def at(self, op: Contraction, scale: float, of: Values) -> Fixed:
        """Return the contraction of each part in i48, and its RESCALE for each output."""
        weights = _weights(op)
        assert weights is not None
        split = _split(op, weights, of)
        held = of.at(op.lhs, split.scale)
        parts = _parts(of.whole(held.value, shape(op.lhs)), split, of)
        made = [_contracted(op, weights, part, scale, of) for part in parts]
        error = held.error * weights.gain
        error += len(made) * (0.5 * scale + MULTIPLIER * of.known(op.lhs).magnitude * weights.gain)
        total = made[0] if len(made) == 1 else of.lower.add(tosa.AddOp(*made))
        return Fixed(total, scale, error)


@dataclass(frozen=True)
class _Split:
    """The scale of an operand's integers, and the number of bits of their low part, 0 if they are one part."""

    scale: float
    places: int


def _split(op: Contraction, weights: Weights, of: Values) -> _Split:
    """Return the operand's own scale if its integers and their sums fit, else the finest scale for two parts."""
    largest = min(_LARGEST_OPERAND, _LARGEST_SUM // max(1, int(weights.magnitudes.max())))
    known, own = of.known(op.lhs).magnitude, _own_scale(op.lhs)
    if own is not None and known <= own * largest:
        return _Split(own, 0)
    places = largest.bit_length()
    return _Split(max(known / min(_LARGEST_SUM, largest << places), of.unit(op.lhs)), places)


def _parts(value: SSAValue, split: _Split, of: Values) -> list[tuple[SSAValue, float]]:
    """Return i32 integers as parts of 16 bits, each with its scale."""
    lower = of.lower
    if not split.places:
        return [(lower.rescale(value, 1.0, i16), split.scale)]
    high = lower.rescale(value, 2.0**-split.places, i32)
    low = lower.add(tosa.SubOp(value, lower.multiply(high, lower.filled(1 << split.places, high))))
    scales = (split.scale * 2.0**split.places, split.scale)
    return [(lower.rescale(part, 1.0, i16), scale) for part, scale in zip((high, low), scales, strict=True)]


def _contracted(op: Contraction, weights: Weights, part: tuple[SSAValue, float], scale: float, of: Values) -> SSAValue:
    """Return the contraction of one part at a scale."""
    lower, (value, held) = of.lower, part
    elements = (UniformQuantizedType.per_tensor(_OPERAND, held), weights.element)
    operands = Block(
        arg_types=[tensor_type(*each) for each in zip(elements, map(shape, op.operands), strict=True)]
    ).args
    for operand, integers in zip(operands, (value, lower.constant(weights.array, i8)), strict=True):
        lower.define(operand, integers)
    scales = held * weights.element.scales
    made = rebuilt(op, operands, [with_element(tensor(op.result), _sums(scales, op))])
    sums = lower_op(made, lower)
    made.drop_all_references()
    assert isinstance(sums, SSAValue)
    return lower.rescale(sums, scales / scale, i32)


def _sums(scales: NDArray[np.float64], op: Contraction) -> UniformQuantizedType:
    """Return the type of sums that have scales along the last dimension, or one scale."""
    if len(scales) == 1:
        return UniformQuantizedType.per_tensor(ACCUMULATOR, scales.item())
    return UniformQuantizedType.per_axis(
        ACCUMULATOR, scales, np.zeros(len(scales), np.int64), len(shape(op.result)) - 1
    )


def _own_scale(value: SSAValue) -> float | None:
    """Return the scale of the quantized value that a float value is, moved or not; None for computed floats."""
    owner = value.owner
    if isinstance(owner, stablehlo.UniformDequantizeOp):
        element = quantized(owner.operand)
        return element.scale if element is not None and element.is_per_tensor else None
    is_moved = isinstance(owner, Operation) and len(owner.operands) == 1 and owner.has_trait(Rearranges)
    return _own_scale(owner.operands[0]) if isinstance(owner, Operation) and is_moved else None


def _weights(op: Contraction) -> Weights | None:
    """Return the right-hand side if it is a constant of 8 bits whose scales are those of the outputs.

    The result has the outputs last. Other contractions, and images that are dilated, have no form here.
    """
    axis, found = _output_axis(op), _quantized_constant(op.rhs)
    if axis is None or found is None:
        return None
    element, array = found
    if not array.size or element.storage.width != 8:
        return None
    if element.expressed_type != f32 or not element.storage.signed or not element.has_zero_zero_point:
        return None
    if element.is_sub_channel or element.quantization_dimension not in (None, axis):
        return None
    rows = np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1).astype(np.int64)
    return Weights(array, element, rows.clip(min=0).sum(axis=1), rows.clip(max=0).sum(axis=1))


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
