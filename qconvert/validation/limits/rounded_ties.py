"""The ties of one op that rounds: of any op by its formula, of frequent ops by a shortcut.

The shortcuts find the same elements. A table has the ties of all integers of an 8-bit operand. Of 32-bit sums the
nearness to a half is first computed in float32, and the formula is evaluated only where it may be exactly a half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, Region, SSAValue

from qconvert import numerics
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import MovesElements
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.elementwise import UNARY
from qconvert.interpreter.exact import exact_function, float_quotients, real_numbers, rounded_quotients
from qconvert.interpreter.quantization import real_values
from qconvert.ir import ARITHMETIC, UniformQuantizedType, expressed, numpy_dtype, quantized, tensor, with_element
from qconvert.rewriting import rebuilt
from qconvert.support.arrays import Array
from qconvert.validation.limits.float_error import FLOAT32

Mask: TypeAlias = NDArray[np.bool_]
Rounding: TypeAlias = Callable[[Array], Mask]
"""Returns the ties in the result of an op with one operand."""

FLOAT_TIE_TOLERANCE = 2.0**-20
"""The relative distance that still counts as a tie for values computed in float32: a few roundings."""


def rounds(op: Operation) -> bool:
    """Return True if an op may round real values to integers: of one scale, or of any if it is a quantizer."""
    element = quantized(op.results[0]) if op.results else None
    if element is None:
        return False
    if not element.is_per_tensor:
        return isinstance(op, stablehlo.UniformQuantizeOp)
    if isinstance(op, stablehlo.ReductionOp):
        return op.output_conversion is not None
    return isinstance(op, composite.CompositeOp) or exact_function(op) is not None


def rounded_ties(op: Operation, operands: list[Array], margin: Array | float = 0.0) -> Mask:
    """Return the ties in the result of an op that rounds."""
    element = quantized(op.results[0])
    assert element is not None
    real = _real_result(op, operands)
    assert real is not None
    quotients = real.astype(np.float64) / element.broadcast(element.scales, real.shape)
    is_exact = real.dtype == np.float64 and not _is_approximate(op)
    tolerance = numerics.TIE_TOLERANCE if is_exact else FLOAT_TIE_TOLERANCE
    is_tie = numerics.is_tie(quotients, tolerance, np.maximum(margin, _error_of_terms(op, operands, element)))
    if is_exact:
        is_tie |= numerics.is_tie(float_quotients(op, operands))
    return np.asarray(is_tie & _is_inside(quotients, element))


def _error_of_terms(op: Operation, operands: list[Array], element: UniformQuantizedType) -> float:
    """Return the error of a weighted sum of an operand's elements in float32, in LSB of the result.

    It is relative to the terms: where these cancel, it is more than the result's own last bits. Of a sum behind a
    contraction the terms are no longer known, and lie about as far from zero as the result may.
    """
    source = quantized(op.operands[0])
    if _is_of_sums(op):
        return _error_of_sums(element)
    if source is None:
        return _error_of_float_sum(op, element)
    if not isinstance(op, _SUMMING) or not operands[0].size:
        return 0.0
    scales, zero_points = (source.broadcast(each, operands[0].shape) for each in (source.scales, source.zero_points))
    reals = numerics.dequantize(operands[0], scales, zero_points, np.float64)
    return float(FLOAT_TIE_TOLERANCE * np.abs(reals).max() / element.scale)


def _error_of_float_sum(op: Operation, result: UniformQuantizedType) -> float:
    """Return the error, in LSB, of a quantizer behind a sum or a mean of dequantized elements in float32.

    It is relative to the largest element that the terms' type has. A mean of padded windows has a divisor each.
    """
    value = op.operands[0]
    while isinstance(value.owner, Operation) and _keeps_error(value.owner):
        value = value.owner.operands[0]
    terms = value.owner.operands[0].owner if isinstance(value.owner, stablehlo.ReductionOp) else None
    source = quantized(terms.operands[0]) if isinstance(terms, stablehlo.UniformDequantizeOp) else None
    if source is None or not source.is_per_tensor or not isinstance(op, stablehlo.UniformQuantizeOp):
        return 0.0
    return float(FLOAT_TIE_TOLERANCE * source.largest_distance * source.scale / result.scale)


def _keeps_error(op: Operation) -> bool:
    """Return True for an op that moves the elements of its only operand, or divides by constants of at least 1."""
    if isinstance(op, stablehlo.DivideOp):
        counts = constant_array(op.operands[1])
        return counts is not None and bool((counts >= 1).all())
    return len(op.operands) == 1 and op.has_trait(MovesElements)


_SUMMING = composite.ResizeOp | composite.AveragePoolOp | stablehlo.ReductionOp


def _is_of_sums(op: Operation) -> bool:
    """Return True for the requantization of the sums of a contraction, which have 32 bits and no zero point."""
    source = quantized(op.operands[0])
    is_accumulator = source is not None and source.is_accumulator
    return isinstance(op, stablehlo.UniformQuantizeOp) and is_accumulator


def _error_of_sums(result: UniformQuantizedType) -> float:
    """Return the error of a float32 sum in LSB of its result: of the terms' sum, both factors and the quotient."""
    return 4 * FLOAT32 * _reach(result)


def _reach(result: UniformQuantizedType) -> float:
    """Return the largest distance of a result from zero, in LSB, with that of its zero point."""
    storage, points = result.storage, result.zero_points.astype(np.float64)
    furthest = np.maximum(storage.maximum - points, points - storage.minimum)
    return float((furthest + np.abs(points)).max()) + 2


def _is_inside(quotients: NDArray[np.float64], element: UniformQuantizedType) -> Mask:
    """Return a mask of the values that do not saturate, given in LSB without the zero point."""
    zero_points = element.broadcast(element.zero_points, quotients.shape)
    low, high = (bound - zero_points for bound in (element.storage.minimum, element.storage.maximum))
    return np.asarray((quotients > low) & (quotients < high))


def shortcut(op: Operation, margin: float = 0.0, margin_of_sums: float = 0.0) -> Rounding | None:
    """Return a faster form of :func:`rounded_ties` for an op of one operand, None if there is none.

    The ties of sums have a margin of their own, at least that of a float32 sum: their limit allows for more.
    """
    if len(op.operands) != 1 or not rounds(op) or isinstance(op, composite.CompositeOp | stablehlo.ReductionOp):
        return None
    element, result = quantized(op.operands[0]), quantized(op.results[0])
    if element is None or result is None or not result.is_per_tensor:
        return None
    if element.is_per_tensor and numpy_dtype(element).itemsize == 1:
        every = np.arange(256, dtype=np.uint8).view(numpy_dtype(element))
        table = rounded_ties(op, [every], margin)
        return lambda array: np.asarray(table[array.view(np.uint8)])
    if isinstance(op, stablehlo.UniformQuantizeOp) and element.storage.width == 32 and element.has_zero_zero_point:
        found = _SumTies(op, element, result, margin_of_sums)
        return found if found.is_usual else None
    return None


_PIECE = 1 << 16
"""The number of sums that are searched at once: their arrays of float32 fit in a second-level cache."""
_LARGEST_DISTANCE = 2.0**-4
_FACTORS = 2.0**-60, 2.0**60


@dataclass(frozen=True)
class _SumTies:
    """The ties of 32-bit sums of one scale, or of a scale for each slice along an axis, with a zero point of 0.

    The factor, the sum and their product have a relative error of one unit each in float32, the op's own quotient in
    float32 has at most six, its zero point included. So a tie, which the error of a float32 sum widens by four, is at
    most 16 units of the result's range from a half.
    """

    op: stablehlo.UniformQuantizeOp
    source: UniformQuantizedType
    result: UniformQuantizedType
    margin: float = 0.0

    @cached_property
    def is_usual(self) -> bool:
        """True if float32 tells sums near a half from others, and there is at most one axis of scales."""
        has_axis = self.source.is_per_tensor or self.source.quantization_dimension is not None
        low, high = _FACTORS
        return (
            has_axis
            and bool(((self._factors >= low) & (self._factors <= high)).all())
            and self._distance < (_LARGEST_DISTANCE)
        )

    @cached_property
    def _factors(self) -> NDArray[np.float32]:
        return np.asarray(self.source.scales / self.result.scale, np.float32).reshape(-1)

    @cached_property
    def _distance(self) -> float:
        return 16 * FLOAT32 * _reach(self.result)

    def __call__(self, array: Array) -> Mask:
        """Return the ties of sums, whose dimensions may have any order in memory."""
        order = np.argsort([-stride for stride in array.strides], kind="stable")
        held = array.transpose(order)
        axis = self.source.quantization_dimension
        outer, channels = held.shape[: held.ndim - 1], 1
        if axis is not None:
            place = int(np.flatnonzero(order == axis)[0])
            outer, channels = held.shape[: place + 1], held.shape[place]
        rows = held.reshape(prod(outer), -1)
        ties = np.zeros(rows.shape, np.bool_)
        step = max(1, _PIECE // max(1, rows.shape[1]))
        for first in range(0, len(rows), step):
            channel = np.arange(first, min(len(rows), first + step)) % channels
            self._find(rows[first : first + step], ties[first : first + step], channel)
        return ties.reshape(held.shape).transpose(np.argsort(order))

    def _find(self, sums: Array, ties: Mask, channel: NDArray[np.int64]) -> None:
        """Set the ties of rows of sums."""
        factor = self._factors if len(self._factors) == 1 else self._factors[channel, np.newaxis]
        real = np.multiply(sums, factor, dtype=np.float32, casting="same_kind")
        near = numerics.near_halves(real.reshape(-1), self.margin + self._distance)
        if near.size:
            row, place = np.divmod(near, sums.shape[1])
            ties[row, place] = self._are_ties(sums[row, place], channel[row])

    def _are_ties(self, sums: Array, channel: NDArray[np.int64]) -> Mask:
        """Return the ties among single sums as :func:`rounded_ties` does."""
        scales = self.source.scales.reshape(-1)
        of_each = scales if len(scales) == 1 else scales[channel]
        quotients = sums.astype(np.float64) * of_each / self.result.scale
        floats = numerics.dequantize(sums, of_each, np.int32(0), numpy_dtype(self.source.expressed_type))
        is_tie = numerics.is_tie(quotients, margin=max(self.margin, _error_of_sums(self.result)))
        is_tie |= numerics.is_tie(rounded_quotients(self.op, floats))
        return np.asarray(is_tie & _is_inside(quotients, self.result))


def _is_approximate(op: Operation) -> bool:
    """Return True if runtimes compute an op differently: sums in any order, functions by any approximation."""
    return isinstance(op, stablehlo.ReductionOp | composite.CompositeOp) or type(op) in UNARY


def _real_result(op: Operation, operands: list[Array]) -> Array | None:
    """Return the real values that an op rounds, or None if it has no ties of its own."""
    if isinstance(op, stablehlo.UniformQuantizeOp):
        return real_values(op, operands[0])
    if isinstance(op, stablehlo.ReductionOp):
        return _reduced(op, operands) if op.output_conversion is not None else None
    if isinstance(op, composite.CompositeOp):
        return _in_float(op, operands)
    function = exact_function(op)
    if function is None:
        return None
    with np.errstate(all="ignore"):
        return np.asarray(function(*map(real_numbers, op.operands, operands)))


def _in_float(op: composite.CompositeOp, operands: list[Array]) -> Array:
    """Return a composite's result before it is quantized."""
    type = tensor(op.results[0])
    plain = rebuilt(op, op.operands, [with_element(type, expressed(type.element_type))])
    plain.attributes.pop(ARITHMETIC, None)
    (real,) = evaluate_op(plain, operands)
    plain.drop_all_references()
    return real


def _reduced(op: stablehlo.ReductionOp, operands: list[Array]) -> Array:
    """Return the real values of a reduction's accumulators before its output conversion quantizes them."""
    output = op.output_conversion
    assert output is not None
    plain = type(op).create(
        operands=tuple(op.operands),
        result_types=[type(op.results[0].type)(op.accumulator, op.results[0].type.get_shape())],  # type: ignore[attr-defined,call-arg]
        properties=op.properties,
        regions=[op.regions[0].clone(), op.regions[1].clone(), Region()],
    )
    sums = evaluate_op(plain, operands)[0]
    plain.drop_all_references()
    *before, quantize, _ = output.block.ops
    values: dict[SSAValue, Array] = {output.block.args[0]: sums}
    for part in before:
        values[part.results[0]] = evaluate_op(part, [values[operand] for operand in part.operands])[0]
    return real_values(quantize, values[quantize.operands[0]])
