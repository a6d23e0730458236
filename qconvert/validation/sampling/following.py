"""How values follow from an input: which ops move or convert its elements, or add and multiply one number.

So each value is ``scale * x + offset`` of the input's ``x``, or at least an integer that is computed from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.dialects.traits import AffineByConstant, Clamps, Conversion, MovesElements
from qconvert.ir import element_type, i1, is_float, numpy_dtype, quantized, storage_element, tensor
from qconvert.support.arrays import Array

_TOSA_MOVEMENTS = (
    *(tosa.CastOp, tosa.ConcatOp, tosa.IdentityOp, tosa.RescaleOp),
    *(tosa.ReshapeOp, tosa.SliceOp, tosa.TileOp, tosa.TransposeOp),
)
_MOST_KNOWN = 1 << 16
"""The largest number of elements of a constant that is read to learn its values."""


def hands_on(op: Operation, index: int) -> bool:
    """Return True if the op's only result has elements of an operand: moved, or in another element type."""
    if len(op.results) != 1:
        return False
    if isinstance(op, _TOSA_MOVEMENTS):
        return index == 0 or isinstance(op, tosa.ConcatOp)
    moving = next(iter(op.get_traits_of_type(MovesElements)), None)
    if moving is not None:
        return moving.count is None or index < moving.count
    return op.has_trait(Conversion)


def known_numbers(value: SSAValue) -> NDArray[np.float64] | None:
    """Return the different real numbers of a constant, rising; None for a computed or a large value.

    Constants are followed through movements and changes of their type, whose rounding is left out.
    """
    owner = value.owner
    if not isinstance(owner, Operation):
        return None
    if isinstance(owner, stablehlo.IotaOp):
        return np.arange(tensor(owner.output).get_shape()[owner.iota_dimension.value.data], dtype=np.float64)
    if isinstance(owner, stablehlo.ConstantOp):
        return _numbers(owner)
    is_moved = len(owner.operands) == 1 and hands_on(owner, 0)
    return known_numbers(owner.operands[0]) if is_moved else None


def _numbers(constant: stablehlo.ConstantOp) -> NDArray[np.float64] | None:
    type, element = tensor(constant.output), quantized(constant.output)
    if type.element_count() > _MOST_KNOWN or (element is not None and not element.is_per_tensor):
        return None
    array: Array = constant.array
    if array.dtype.kind not in "iubf" and array.dtype.kind != "V":
        return None
    numbers = np.unique(array.astype(np.float64))
    return numbers if element is None else (numbers - element.zero_point) * element.scale


def only_number(value: SSAValue) -> float | None:
    """Return the number of a constant whose elements are equal."""
    numbers = known_numbers(value)
    return float(numbers[0]) if numbers is not None and len(numbers) == 1 else None


class Place(NamedTuple):
    """A value that is ``scale * x + offset`` of an input ``x``, or that only follows from it if not ``is_exact``."""

    value: SSAValue
    scale: float = 1.0
    offset: float = 0.0
    is_exact: bool = True

    def inputs(self, low: float, high: float) -> tuple[float, float]:
        """Return the least and the largest input for values between two numbers."""
        ends = ((low - self.offset) / self.scale, (high - self.offset) / self.scale)
        return min(ends), max(ends)


def places(argument: BlockArgument) -> list[Place]:
    """Return the values that follow from an input, in the order of the program.

    Integers that are only computed from it are followed if the input has wider ones than 8 bits: it may be an index.
    """
    type, found = element_type(argument), dict[SSAValue, Place]([(argument, Place(argument))])
    is_wide = isinstance(type, IntegerType) and type.width.data > 8
    for op in argument.block.ops:
        read = [(found[operand], i) for i, operand in enumerate(op.operands) if operand in found]
        for result in op.results if read else ():
            ways = [_followed(place, op, index, result) for place, index in read]
            known = [way for way in ways if way is not None and (way.is_exact or is_wide)]
            if known:  # the way that bounds the input most
                found[result] = max(known, key=lambda way: (not way.is_exact, abs(way.scale)))
    return list(found.values())


def _followed(place: Place, op: Operation, index: int, result: SSAValue) -> Place | None:
    """Return an op's result as it follows from a value, None if nothing can be told."""
    if not isinstance(result.type, TensorType) or element_type(result) == i1:
        return None
    if isinstance(op, stablehlo.BitcastConvertOp):
        return place._replace(value=result, is_exact=False)
    if isinstance(op, stablehlo.SelectOp):
        return None if index == 0 or _wraps(op, index) else place._replace(value=result)
    if hands_on(op, index) or op.has_trait(Clamps):
        return place._replace(value=result)
    moved = _affine(place, op, index, result)
    if moved is not None:
        return moved
    if numpy_dtype(storage_element(element_type(result))).kind not in "iu" or quantized(result) is not None:
        return None
    addends = _addends(op)
    if addends:
        return Place(result, place.scale * addends, place.offset * addends, is_exact=False)
    return Place(result, is_exact=False)


def _addends(op: Operation) -> int:
    """Return how many values a sum adds, each of which gets its part of a bound; 0 for another op."""
    if isinstance(op, stablehlo.ReduceOp) and isinstance(op.combiner, stablehlo.AddOp):
        return tensor(op.operands[0]).element_count() // max(1, tensor(op.results[0]).element_count())
    return 2 if isinstance(op, stablehlo.AddOp) else 0


def _wraps(select: stablehlo.SelectOp, index: int) -> bool:
    """Return True for the operand that a select takes for negative indices, which count from the end."""
    return (index, _sign_test(select)) in ((1, Direction.LT), (2, Direction.GE))


def _sign_test(select: stablehlo.SelectOp) -> Direction | None:
    """Return the direction in which a select compares with 0, None for another select."""
    test = select.pred.owner
    if not isinstance(test, stablehlo.CompareOp) or only_number(test.rhs) != 0.0:
        return None
    return test.comparison_direction.data


def rows_from_the_end(select: stablehlo.SelectOp, index: int) -> int | None:
    """Return the number that a select adds to its operand if that is negative: the size of a dimension."""
    shifted = select.on_true.owner
    if index != 2 or _sign_test(select) is not Direction.LT or not isinstance(shifted, stablehlo.AddOp):
        return None
    size = only_number(shifted.rhs)
    return int(size) if size is not None and shifted.lhs is select.on_false and size > 0 else None


def _affine(place: Place, op: Operation, index: int, result: SSAValue) -> Place | None:
    """Return the result of a sum, difference, product or quotient with one number."""
    if not op.has_trait(AffineByConstant) or len(op.operands) != 2:
        return None
    number = only_number(op.operands[1 - index])
    if number is None or not np.isfinite(number):
        return None
    scale, offset = place.scale, place.offset
    if isinstance(op, stablehlo.AddOp):
        return place._replace(value=result, offset=offset + number)
    if isinstance(op, stablehlo.SubtractOp):
        sign = 1 if index == 0 else -1
        return place._replace(value=result, scale=sign * scale, offset=sign * (offset - number))
    factor = number if isinstance(op, stablehlo.MultiplyOp) else 1 / number if number and index == 0 else 0.0
    is_whole = element_type(result) == element_type(place.value) and not is_float(element_type(result))
    if not factor or (is_whole and not isinstance(op, stablehlo.MultiplyOp)):
        return None
    return place._replace(value=result, scale=scale * factor, offset=offset * factor)
