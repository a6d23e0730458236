"""Convolutions and matrix products of a float value by quantized constants.

TOSA multiplies integers of 16 bits by weights of 8 bits into i48. The value's integers are one part if they are sums of
quantized values and fit 16 bits. Else they are two parts, ``v = high 2^p + low``, each with a contraction of its own.
Weights with scales for each block of the dimension that is summed have a contraction for each block.
The sums of each part are below 2^29, which a RESCALE with multipliers of 32 bits takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from qconvert.backends.tosa.fixed_point.values import (
    BITS,
    MULTIPLIER,
    Fixed,
    Interval,
    Rule,
    Values,
    own_element,
    rules,
)
from qconvert.backends.tosa.fixed_point.weights import Contraction, WeightBlock, Weights, weights_of
from qconvert.backends.tosa.lowering import lower_op
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.traits import Rearranges
from qconvert.expansion.builder import i16
from qconvert.ir import (
    ACCUMULATOR,
    Storage,
    UniformQuantizedType,
    i8,
    i32,
    quantized,
    shape,
    tensor,
    tensor_type,
    with_element,
)
from qconvert.rewriting import rebuilt

_OPERAND = Storage.full(16, signed=True)
_LARGEST_OPERAND = _OPERAND.maximum - 1
_LARGEST_SUM = 2**BITS - 2


@rules(stablehlo.ConvolutionOp, stablehlo.DotGeneralOp)
class Contracted(Rule):
    """Sums of products with constants: integers of 16 bits, or of quantized values of 8 bits, times 8 bits."""

    def interval(self, op: Contraction, of: Values) -> Interval | None:
        """Return the interval of the sums of all outputs; an element of the padding is 0."""
        known = of.interval(op.lhs)
        weights = None if known is None else weights_of(op)
        if known is None or weights is None:
            return None
        is_padded = isinstance(op, stablehlo.ConvolutionOp)
        low, high = (min(0.0, known.low), max(0.0, known.high)) if is_padded else (known.low, known.high)
        return Interval.of(*weights.ends(low, high))

    def unit(self, op: Contraction, of: Values) -> float:
        """Return the finest scale of the result and of the sums of each part and each block."""
        weights = weights_of(op)
        assert weights is not None
        split = _split(op, weights, of)
        largest = of.known(op.result).magnitude
        if len(weights.blocks) > 1:
            largest = max(largest, of.known(op.lhs).magnitude * weights.gain)
        return Interval(0.0, largest + 2.0**split.places * split.scale * weights.gain).unit

    def at(self, op: Contraction, scale: float, of: Values) -> Fixed:
        """Return the contraction of each part and block in i32 or i48, its RESCALE for each output, and their sum."""
        weights = weights_of(op)
        assert weights is not None
        parts, held = _operand(op, weights, of)
        made = [_contracted(op, weights, block, part, scale, of) for part in parts for block in weights.blocks]
        error = held * weights.gain + len(made) * 0.5 * scale
        error += weights.rounding * of.known(op.lhs).magnitude
        error += len(parts) * MULTIPLIER * of.known(op.lhs).magnitude * weights.gain
        total = made[0]
        for term in made[1:]:
            total = of.lower.add(tosa.AddOp(total, term))
        return Fixed(total, scale, error)


@dataclass(frozen=True)
class _Part:
    """Integers of the left-hand side in the type that they stand for."""

    value: SSAValue
    element: UniformQuantizedType


def _operand(op: Contraction, weights: Weights, of: Values) -> tuple[list[_Part], float]:
    """Return the left-hand side as parts, and the error of their sum: none for a quantized value of 8 bits."""
    owner, element = op.lhs.owner, own_element(op.lhs)
    split = _split(op, weights, of)
    is_byte = element is not None and element.storage.width == 8 and not split.places
    if is_byte and element is not None and isinstance(owner, stablehlo.UniformDequantizeOp):
        return [_Part(of.lower.whole(owner.operand), element)], 0.0
    held = of.at(op.lhs, split.scale)
    return _parts(of.whole(held.value, shape(op.lhs)), split, of), held.error


@dataclass(frozen=True)
class _Split:
    """The scale of an operand's integers, and the number of bits of their low part, 0 if they are one part."""

    scale: float
    places: int


def _split(op: Contraction, weights: Weights, of: Values) -> _Split:
    """Return the operand's own scale if its integers and their sums fit, else the finest scale for two parts."""
    largest = min(_LARGEST_OPERAND, _LARGEST_SUM // max(1, weights.magnitude))
    known, own = of.known(op.lhs).magnitude, _own_scale(op.lhs)
    if own is not None and known <= own * largest:
        return _Split(own, 0)
    places = largest.bit_length()
    return _Split(max(known / min(_LARGEST_SUM, largest << places), of.unit(op.lhs)), places)


def _parts(value: SSAValue, split: _Split, of: Values) -> list[_Part]:
    """Return i32 integers as parts of 16 bits."""
    lower = of.lower
    if not split.places:
        return [_part(value, split.scale, of)]
    high = lower.rescale(value, 2.0**-split.places, i32)
    low = lower.add(tosa.SubOp(value, lower.multiply(high, lower.filled(1 << split.places, high))))
    return [_part(high, split.scale * 2.0**split.places, of), _part(low, split.scale, of)]


def _part(value: SSAValue, scale: float, of: Values) -> _Part:
    return _Part(of.lower.rescale(value, 1.0, i16), UniformQuantizedType.per_tensor(_OPERAND, scale))


def _contracted(
    op: Contraction, weights: Weights, block: WeightBlock, part: _Part, scale: float, of: Values
) -> SSAValue:
    """Return the contraction of one part by one block at a scale."""
    lower, value, sizes = of.lower, part.value, list(shape(op.lhs))
    if weights.are_cut:
        starts = [0] * len(sizes)
        starts[weights.axes[0]], sizes[weights.axes[0]] = block.start, block.stop - block.start
        value = lower.slice(value, starts, sizes)
    types = [tensor_type(part.element, sizes), tensor_type(weights.element(block), block.array.shape)]
    operands = Block(arg_types=types).args
    for operand, integers in zip(operands, (value, lower.constant(block.array, i8)), strict=True):
        lower.define(operand, integers)
    scales = part.element.scale * block.scales
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
