"""Affine functions of 8-bit integers, one for each channel, as DEPTHWISE_CONV2D of 1x1.

A batch normalization between quantizers is ``a_c x + b_c``. With a weight ``w_c`` of 8 bits and a bias ``d_c``, the sum
``w_c x + d_c`` times one multiplier for each channel gives the result's integers. All 256 integers of each channel have
a known result. Each gives two limits on the offset ``d_c / w_c``, for the slope is exact: the result must round to its
integer. A weight is looked for, for which an integer ``d_c`` lies between the narrowest limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.backends.tosa.fixed_point.functions import between
from qconvert.backends.tosa.fixed_point.values import Values, one_scale, own_element, real_constant
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import AffineByConstant
from qconvert.expansion.expander import per_tensor
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.exact import exact_function, real_numbers, scales_of
from qconvert.ir import UniformQuantizedType, i8, i32, is_litert, shape
from qconvert.numerics import ZeroPoints, unrepeated
from qconvert.rewriting import Proof

_CODES = np.arange(-128, 128).astype(np.int8)
_LARGEST_WEIGHT = 127
_MOST_BIAS = 1 << 30
_FLOAT_TIE = 2.0**-22
"""The relative distance from a tie that four roundings to float32 may make."""
_CHANGES = np.linspace(-(2.0**-13), 2.0**-13, 129)
"""Relative changes of slopes to try."""
_MULTIPLIERS = 2.0**-20
"""More than a multiplier of 31 bits changes a result of 8 bits by, in LSB."""
_LEAST_SLOPE = 2.0**-16
"""The slope in LSB below which 256 integers have one result."""


class Channels(NamedTuple):
    """Weight, bias and factor of each channel."""

    weights: NDArray[np.int8]
    biases: NDArray[np.int32]
    factors: NDArray[np.float64]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All parameters."""
        return self.weights, self.biases, self.factors


def by_channels(
    quantize: stablehlo.UniformQuantizeOp, element: UniformQuantizedType, of: Values
) -> tuple[SSAValue, Proof] | None:
    """Return the result of a quantize of affine functions as one convolution, None if it cannot give every integer."""
    value = quantize.operand
    source = _source(value)
    held = None if source is None else own_element(source)
    if source is None or held is None or held.storage.width != 8 or element.storage.width != 8:
        return None
    if not (held.storage.is_full and element.storage.is_full):
        return None
    reals, expected = _results(quantize, source)
    assert isinstance(source.owner, Operation)
    tolerance = None if is_litert(quantize) else _FLOAT_TIE
    return _decided(source.owner.operands[0], reals / element.scale, expected, element, of, tolerance)


def quantized_by_channels(op: Operation, of: Values) -> tuple[SSAValue, Proof] | None:
    """Return a quantized sum or product with a constant for each channel as one convolution; None for another op."""
    if not isinstance(op, stablehlo.BinaryOp) or not op.has_trait(AffineByConstant):
        return None
    arrays = [constant_array(value) for value in op.operands]
    known = [unrepeated(array) for array in arrays if array is not None]
    elements = [one_scale(value) for value in (*op.operands, op.result)]
    sizes = shape(op.result)
    if len(known) != 1 or not sizes or not all(map(_is_byte, elements)):
        return None
    [computed] = [value for value, array in zip(op.operands, arrays, strict=True) if array is None]
    if known[0].shape[-1:] != sizes[-1:] or known[0].size != sizes[-1] or shape(computed) != sizes:
        return None
    operands = [_every(value) if array is None else known[0] for value, array in zip(op.operands, arrays, strict=True)]
    (integers,) = evaluate_op(op, operands)
    function, element = exact_function(op), per_tensor(op.result)
    assert function is not None
    reals = np.asarray(function(*map(real_numbers, op.operands, operands)))
    quotients = (reals / scales_of(element)).reshape(len(_CODES), -1)
    expected = integers.reshape(len(_CODES), -1).astype(np.int64)
    return _decided(computed, quotients, expected, element, of, numerics.TIE_TOLERANCE)


def _is_byte(element: UniformQuantizedType | None) -> bool:
    return element is not None and element.storage.width == 8 and element.storage.is_full


def _every(value: SSAValue) -> NDArray[np.int8]:
    """Return all integers of each channel of a value."""
    sizes = (len(_CODES), *(1 for _ in shape(value)[1:-1]), shape(value)[-1])
    return np.broadcast_to(_CODES.reshape(-1, *(1 for _ in sizes[1:])), sizes)


def _decided(
    held: SSAValue,
    quotients: NDArray[np.float64],
    expected: NDArray[np.int64],
    element: UniformQuantizedType,
    of: Values,
    tolerance: float | None,
) -> tuple[SSAValue, Proof] | None:
    """Return the convolution of a quantized value that gives the expected integers, with its proof, if there is one.

    A quotient this close to a tie, relative to its size, may be rounded either way, none without a ``tolerance``.
    """
    if quotients.shape[1] != shape(held)[-1] or len(shape(held)) < 2:
        return None
    ends = (element.storage.minimum - element.zero_point, element.storage.maximum - element.zero_point)
    codes = (_CODES.astype(np.int64) - per_tensor(held).zero_point)[:, None]
    is_tie = np.zeros(quotients.shape, np.bool_) if tolerance is None else numerics.is_tie(quotients, tolerance)
    table = _Table(codes, expected - element.zero_point, ends, is_tie)
    found = _fitted((quotients[-1] - quotients[0]) / (len(_CODES) - 1), table)
    if found is None:
        return None
    proof = Proof(table.ties.size, int(np.count_nonzero(table.ties)), 0, int(table.ties.any()))
    return _convolved(held, found, element, of), proof


def _source(value: SSAValue) -> SSAValue | None:
    """Return the dequantized value of an affine chain with constants along the last dimension, else None."""
    current, is_affine = value, False
    while isinstance(op := current.owner, stablehlo.BinaryOp) and op.has_trait(AffineByConstant):
        arrays = [real_constant(operand) for operand in op.operands]
        known = [array for array in arrays if array is not None]
        if len(known) != 1 or (isinstance(op, stablehlo.DivideOp) and arrays[1] is None):
            return None
        if prod(known[0].shape[:-1]) != 1:
            return None
        current, is_affine = op.operands[0 if arrays[0] is None else 1], True
    return current if is_affine and isinstance(current.owner, stablehlo.UniformDequantizeOp) else None


def _results(quantize: stablehlo.UniformQuantizeOp, source: SSAValue) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the reference's reals and integers for each of the 256 integers (rows) and each channel."""
    assert isinstance(source.owner, Operation)
    found: dict[SSAValue, NDArray[Any]] = {source.owner.operands[0]: _every(source)}
    for op in (source.owner, *between(quantize.operand, source), quantize):
        operands = [found[v] if v in found else np.asarray(real_constant(v), np.float32) for v in op.operands]
        (found[op.results[0]],) = evaluate_op(op, operands)
    reals, integers = (found[value].reshape(len(_CODES), -1) for value in (quantize.operand, quantize.result))
    return reals.astype(np.float64), integers.astype(np.int64)


@dataclass(frozen=True)
class _Table:
    """The integers that channels must give for ``codes``, without zero points, and the ends of the storage.

    Codes are rows, channels columns. ``ties`` are results halfway between two integers, as far as float32 can tell.
    """

    codes: NDArray[np.int64]
    expected: NDArray[np.int64]
    ends: tuple[int, int]
    ties: NDArray[np.bool_]

    @cached_property
    def least(self) -> NDArray[np.float64]:
        """The numbers above which the reals must be."""
        return np.where((self.expected > self.ends[0]) & ~self.ties, self.expected - 0.5, -np.inf)

    @cached_property
    def largest(self) -> NDArray[np.float64]:
        """The numbers below which the reals must be."""
        return np.where((self.expected < self.ends[1]) & ~self.ties, self.expected + 0.5, np.inf)

    def of(self, channels: NDArray[np.int64]) -> _Table:
        """Return the table of some channels."""
        return _Table(self.codes, self.expected[:, channels], self.ends, self.ties[:, channels])


def _fitted(slopes: NDArray[np.float64], table: _Table) -> Channels | None:
    """Return parameters that give every expected integer, if there are any for each channel.

    Channels without an exact fit try slopes beside their own, with which there is an offset. If a channel has no such
    slope, the other channels need not be tried.
    """
    steep = np.where(np.abs(slopes) < _LEAST_SLOPE, _LEAST_SLOPE, slopes)
    found = _nearest(steep, table)
    [wrong] = np.nonzero(~_gives(found, table))
    if not wrong.size:
        return found
    rest, is_left = table.of(wrong), np.ones(wrong.size, np.bool_)
    possible = [_has_offset(steep[wrong] * (1 + change), rest) for change in _CHANGES]
    if not np.any(possible, axis=0).all():
        return None
    for change, is_possible in zip(_CHANGES, possible, strict=True):
        [tried] = np.nonzero(is_possible & is_left)
        if tried.size:
            of_tried = rest.of(tried)
            part = _nearest(steep[wrong[tried]] * (1 + change), of_tried)
            good = _gives(part, of_tried)
            for array, made in zip(found.arrays, part.arrays, strict=True):
                array[wrong[tried[good]]] = made[good]
            is_left[tried[good]] = False
    return None if is_left.any() else found


def _limits(slopes: NDArray[np.float64], table: _Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the limits between which each channel's offset gives every expected integer, infinite if there is none."""
    exact = slopes * table.codes
    return (table.least - exact).max(axis=0), (table.largest - exact).min(axis=0)


def _has_offset(slopes: NDArray[np.float64], table: _Table) -> NDArray[np.bool_]:
    """Return a mask of the channels with an offset between the limits, as far as multipliers are exact."""
    low, high = _limits(slopes, table)
    return low - high <= _MULTIPLIERS


def _nearest(slopes: NDArray[np.float64], table: _Table) -> Channels:
    """Return the weights and biases that keep the largest distances from the limits on the offsets."""
    (low, high), sizes = _limits(slopes, table), np.arange(1, _LARGEST_WEIGHT + 1)[:, None]
    middle = np.where(np.isfinite(low + high), (low + high) / 2, np.where(np.isfinite(low), low + 1, high - 1))
    biases = numerics.round_half_even(np.nan_to_num(middle) * sizes / np.abs(slopes)).clip(-_MOST_BIAS, _MOST_BIAS)
    offsets = biases * np.abs(slopes) / sizes
    best = np.minimum(offsets - low, high - offsets).argmax(axis=0)
    weights = (np.where(slopes < 0, -1, 1) * (best + 1)).astype(np.int8)
    chosen = biases[best, np.arange(len(slopes))].astype(np.int32)
    return Channels(weights, chosen, np.abs(slopes) / (best + 1))


def _gives(found: Channels, table: _Table) -> NDArray[np.bool_]:
    """Return a mask of the channels whose convolution and RESCALE give the expected integers."""
    sums = found.weights * table.codes + found.biases
    multipliers, shifts = numerics.multiplier_and_shift(found.factors)
    is_allowed = np.abs(sums) < np.left_shift(np.int64(1), shifts.astype(np.int64) - 1)
    made = numerics.apply_rescale(sums, multipliers, shifts).clip(*table.ends)
    return np.asarray((is_allowed & (np.abs(made - table.expected) <= table.ties)).all(axis=0))


def _convolved(held: SSAValue, found: Channels, element: UniformQuantizedType, of: Values) -> SSAValue:
    """Return DEPTHWISE_CONV2D of 1x1 and its RESCALE."""
    lower, sizes = of.lower, shape(held)
    image = lower.reshape(lower[held], sizes if len(sizes) == 4 else (1, 1, prod(sizes[:-1]), sizes[-1]))
    constants = (
        lower.constant(found.weights.reshape(1, 1, -1, 1), i8),
        lower.constant(found.biases, i32),
        lower.zero_point(per_tensor(held).zero_point, i8),
        lower.zero_point(0, i8),
    )
    window = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
    summed = lower.add(tosa.DepthwiseConv2DOp((image, *constants), window, i32))
    made = lower.rescale(summed, found.factors, i8, ZeroPoints(0, element.zero_point))
    return lower.reshape(made, sizes)
