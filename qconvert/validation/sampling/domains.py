"""The values that an input may take, as far as the ops that read it tell: rows of a table, lengths, masks, ranges.

The input is followed through the ops behind it (:mod:`~qconvert.validation.sampling.following`).
"""

from __future__ import annotations

from enum import StrEnum
from math import ceil, floor, inf
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import BlockArgument, Operation

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.ir import (
    UniformQuantizedType,
    element_type,
    i1,
    is_float,
    quantized,
    shape,
    whereabouts,
)
from qconvert.support.arrays import Array
from qconvert.validation.sampling.following import Place, known_numbers, only_number, places, rows_from_the_end


class Kind(StrEnum):
    """The kind of an input's values, the strongest evidence first; the text is for reports."""

    INDEX = "the rows of a table that '{}' reads"
    LENGTH = "because '{}' compares it with positions"
    MASK = "because '{}' reads it as a mask"
    LOOSE_INDEX = "the rows of a table that '{}' reads, computed from it"
    CAST = "the integers to which '{}' casts it"
    RANGE = "the range of its quantizer"
    UNKNOWN = "because no op tells its values"
    TYPE = ""


class Domain(NamedTuple):
    """The values from which an input is drawn: numbers from ``low`` to ``high``, only whole ones if ``is_whole``.

    Of a quantized input they are storage integers, whole numbers ``step`` apart. ``op`` is the op that tells them.
    """

    low: float
    high: float
    is_whole: bool
    kind: Kind
    op: str = ""
    step: int = 1

    @property
    def rank(self) -> int:
        """The place of the evidence, 0 for the strongest."""
        return list(Kind).index(self.kind)

    @property
    def guess(self) -> str:
        """The values and the reason for them where they are a guess; empty if the input's type or range tells them."""
        if self.kind in (Kind.TYPE, Kind.RANGE):
            return ""
        return f"{self.low:.6g} to {self.high:.6g}, {self.kind.format(self.op)}"


class Calibrated(NamedTuple):
    """The numbers that the first quantizer of an input does not clamp, ``low`` to ``high``, and what it rounds them to.

    ``least`` and ``largest`` are the ends of the range, half a step inside.
    """

    low: float
    high: float
    least: float
    largest: float

    def beyond(self, array: Array) -> int:
        """Return the number of elements that the quantizer clamps, NaN included."""
        numbers = array.astype(np.float64)
        return int((~((numbers >= self.low) & (numbers <= self.high))).sum())


class _Fact(NamedTuple):
    """The evidence of an op on an input: numbers between which it lies."""

    kind: Kind
    low: float
    high: float
    op: Operation


def domain_of(argument: BlockArgument) -> Domain:
    """Return the values from which an input is drawn.

    A fact about whole numbers holds for floats as well, which may be cast later. Without a fact, integers of 8 bits
    take all values, wider ones 0 to 127, floats -1 to 1.
    """
    element, own = quantized(argument), _own(argument)
    facts = [] if element_type(argument) == i1 else _facts(argument)
    if element is not None:
        masks = [fact for fact in facts if fact.kind is Kind.MASK and element.is_per_tensor]
        return _quantized_mask(element, masks[0].op) or own if masks else own
    integers = not is_float(element_type(argument))
    for kind in (Kind.INDEX, Kind.LENGTH, Kind.MASK, Kind.LOOSE_INDEX, Kind.RANGE, Kind.CAST):
        found = [fact for fact in facts if fact.kind is kind][: 1 if kind is Kind.RANGE else None]
        is_whole = integers or kind not in (Kind.RANGE, Kind.CAST)
        domain = _common(found, own, is_whole=is_whole, is_bounded=integers)
        if domain is not None:
            return domain
    return own


def calibrated(argument: BlockArgument) -> Calibrated | None:
    """Return the range of an input's first quantizer, None if it has none with one scale."""
    if not is_float(element_type(argument)):
        return None
    for place in places(argument):
        for use in place.value.uses:
            element = _range_element(use.operation, use.index)
            if element is not None and place.is_exact:
                return Calibrated(*place.inputs(*_reals(element, 0.5)), *place.inputs(*_reals(element, 0.0)))
    return None


def _own(argument: BlockArgument) -> Domain:
    """Return the values that an input's type tells."""
    element = quantized(argument)
    if element is not None:
        return Domain(element.storage.minimum, element.storage.maximum, is_whole=True, kind=Kind.TYPE)
    type = element_type(argument)
    if not isinstance(type, IntegerType):
        return Domain(-1.0, 1.0, is_whole=False, kind=Kind.TYPE)
    if type.width.data <= 8:
        return Domain(*_integers(type), is_whole=True, kind=Kind.TYPE)
    return Domain(0, 127, is_whole=True, kind=Kind.UNKNOWN)  # wide integers are mostly indices and sizes


def _integers(type: IntegerType) -> tuple[int, int]:
    """Return the least and the largest integer of a type; integers of 1 bit are truth values."""
    width = type.width.data
    if width == 1 or type.signedness.data is Signedness.UNSIGNED:
        return 0, (1 << width) - 1
    return -(1 << width - 1), (1 << width - 1) - 1


def _common(found: list[_Fact], own: Domain, *, is_whole: bool, is_bounded: bool) -> Domain | None:
    """Return the values that all facts of one kind allow, None if there are none; integers of 8 bits stay in theirs."""
    if not found:
        return None
    low, high = max(fact.low for fact in found), min(fact.high for fact in found)
    if is_whole:
        low, high = ceil(low), floor(high)
    if is_bounded and own.kind is Kind.TYPE:
        low, high = max(low, own.low), min(high, own.high)
    if not -inf < low <= high < inf:
        return None
    return Domain(low, high, is_whole, found[0].kind, whereabouts(found[0].op))


def _quantized_mask(element: UniformQuantizedType, op: Operation) -> Domain | None:
    """Return the two storage integers that stand for 0 and 1, None if the range lacks 1."""
    zero, one = element.zero_point, element.zero_point + round(1 / element.scale)
    if not zero < one <= element.storage.maximum:
        return None
    return Domain(zero, one, is_whole=True, kind=Kind.MASK, op=whereabouts(op), step=one - zero)


def _facts(argument: BlockArgument) -> list[_Fact]:
    """Return what the ops behind an input tell of it."""
    is_integer = quantized(argument) is None and not is_float(element_type(argument))
    found: list[_Fact] = []
    for place in places(argument):
        for use in place.value.uses:
            op, index = use.operation, use.index
            rows = _rows(op, index)
            if rows is not None:
                kind = Kind.INDEX if place.is_exact else Kind.LOOSE_INDEX
                found.append(_Fact(kind, *place.inputs(0, max(0, rows - 1)), op))
            elif place.is_exact:
                found += filter(None, [_exact_fact(place, op, index, is_integer=is_integer)])
    return found


def _rows(op: Operation, index: int) -> int | None:
    """Return from how many places an operand of an op chooses, None if it is no index."""
    if isinstance(op, stablehlo.GatherOp) and index == 1:
        free = [
            size - taken + 1 for size, taken in zip(shape(op.operand), stablehlo.as_tuple(op.slice_sizes), strict=True)
        ]
        return min((free[axis] for axis in op.dimension_numbers.data.start_index_map), default=None)
    if isinstance(op, stablehlo.ScatterOp) and index == len(op.inputs):
        extents = shape(op.inputs[0])
        return min((extents[axis] for axis in op.numbers.scatter_dims_to_operand_dims), default=None)
    if isinstance(op, stablehlo.DynamicSliceOp) and index >= 1:
        return shape(op.operand)[index - 1] - stablehlo.as_tuple(op.slice_sizes)[index - 1] + 1
    if isinstance(op, stablehlo.DynamicUpdateSliceOp) and index >= 2:
        return shape(op.operand)[index - 2] - shape(op.update)[index - 2] + 1
    if isinstance(op, stablehlo.SelectOp):
        return rows_from_the_end(op, index)
    if isinstance(op, tosa.GatherOp | tosa.ScatterOp) and index == 1:
        return shape(op.operands[0])[1]
    return None


def _exact_fact(place: Place, op: Operation, index: int, *, is_integer: bool) -> _Fact | None:
    """Return what an op other than a look-up tells of an input whose value it reads."""
    if isinstance(op, stablehlo.CompareOp):
        return _compared(place, op, index) if is_integer else None
    if _is_mask(place, op, index, is_integer=is_integer):
        return _Fact(Kind.MASK, 0, 1, op)
    element = _range_element(op, index)
    if element is not None:
        return _Fact(Kind.RANGE, *place.inputs(*_reals(element, 0.0)), op)
    if isinstance(op, stablehlo.ConvertOp) and is_float(element_type(op.operand)):
        target = element_type(op.result)
        if isinstance(target, IntegerType) and 1 < target.width.data <= 16:
            return _Fact(Kind.CAST, *place.inputs(*_integers(target)), op)
    return None


_TURNED = {Direction.LT: Direction.GT, Direction.GT: Direction.LT, Direction.LE: Direction.GE}
_TURNED |= {Direction.GE: Direction.LE}
_TESTS = {(Direction.GT, 0.0), (Direction.GE, 1.0), (Direction.LT, 1.0), (Direction.LE, 0.0)}
"""Comparisons that tell 1 from 0."""


def _compared(place: Place, op: stablehlo.CompareOp, index: int) -> _Fact | None:
    """Return what a comparison of integers with constants tells: a length, a class, or a mask."""
    numbers, direction = known_numbers(op.operands[1 - index]), op.comparison_direction.data
    if numbers is None:
        return None
    is_equality = direction in (Direction.EQ, Direction.NE)
    if len(numbers) > 1:
        least, largest = float(numbers[0]), float(numbers[-1])
        low, high = (least, largest) if is_equality else (least + 1, largest + 1)
        return _Fact(Kind.LENGTH, *place.inputs(low, high), op)
    test = (direction if index == 0 else _TURNED.get(direction, direction), float(numbers[0]))
    is_plain = (place.scale, place.offset) == (1.0, 0.0)
    is_mask = is_plain and (test in _TESTS or (is_equality and test[1] in (0.0, 1.0)))
    return _Fact(Kind.MASK, 0, 1, op) if is_mask else None


_LARGE = 1e3
"""The least factor by which what a mask hides is pushed out of a softmax."""


def _is_mask(place: Place, op: Operation, index: int, *, is_integer: bool) -> bool:
    """Return True if an op reads a value as 0 or 1: as a truth value, as ``1 - x``, or times a large number."""
    if isinstance(op, stablehlo.ConvertOp) and element_type(op.result) == i1:
        return is_integer
    if isinstance(op, stablehlo.SubtractOp) and index == 1:
        is_plain = (place.scale, place.offset) == (1.0, 0.0)
        return is_integer and is_plain and only_number(op.lhs) == 1.0
    if not isinstance(op, stablehlo.MultiplyOp):
        return False
    factor = only_number(op.operands[1 - index])
    if factor is None or abs(factor) < _LARGE or abs(place.scale) != 1.0:
        return False
    return abs(place.offset) == 1.0 or (place.offset == 0.0 and factor < 0)


def _range_element(op: Operation, index: int) -> UniformQuantizedType | None:
    """Return the type to which an op quantizes a float if it has one usable scale."""
    if not isinstance(op, stablehlo.UniformQuantizeOp) or index != 0 or quantized(op.operand) is not None:
        return None
    element = quantized(op.result)
    return element if element is not None and element.is_per_tensor and element.scale < 1e6 else None


def _reals(element: UniformQuantizedType, beyond: float) -> tuple[float, float]:
    """Return the least and the largest real value of a type, and so many steps beyond."""
    low, high = element.storage.minimum - element.zero_point, element.storage.maximum - element.zero_point
    return (low - beyond) * element.scale, (high + beyond) * element.scale
