"""ARGMAX: a reduction of pairs of value and index to the index of the largest or smallest element."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.backends.tosa.conversion import check_order
from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.ir import element_type, is_float, shape
from qconvert.rewriting import arg_extreme_body, counts_along
from qconvert.support.errors import ConversionError

_REFUSED = "TOSA reduces several values only as the index of the first largest or smallest"


def arg_extreme(op: stablehlo.ReduceOp, lower: Lowering) -> tuple[SSAValue, SSAValue]:
    """Lower to ARGMAX and REDUCE_MAX, of values in reverse order if the smallest is searched.

    Dequantization keeps the order of integers. The integers are compared if the operand is dequantized. Raises
    ConversionError for any other reduction of several values.
    """
    direction = _direction(op)
    if direction is None or len(op.reduced) != 1:
        raise ConversionError(_REFUSED)
    [axis] = op.reduced
    value, values = op.inputs[0], op.results[0]
    if isinstance(value.owner, stablehlo.UniformDequantizeOp) and not values.uses:
        value = value.owner.operand
    check_order(value)
    compared = lower[value]
    if direction is Direction.LT:
        compared = _reversed(lower, compared)
    index = lower.add(tosa.ArgMaxOp(compared, axis))
    largest = lower.add(tosa.ReduceMaxOp(compared, axis))
    if direction is Direction.LT:
        largest = _reversed(lower, largest)
    return lower.reshape(largest, shape(values)), index


def _reversed(lower: Lowering, value: SSAValue) -> SSAValue:
    """Return values in reverse order: the negative of floats, the complement of integers, which never overflows."""
    if is_float(element_type(value)):
        zero_points = (lower.zero_point(0, element_type(value)), lower.zero_point(0, element_type(value)))
        return lower.add(tosa.NegateOp(value, *zero_points))
    return lower.add(tosa.BitwiseNotOp(value))


def _direction(op: stablehlo.ReduceOp) -> Direction | None:
    """Return the direction of the comparison if the body takes the first best pair and the indices count the axis."""
    found = arg_extreme_body(op)
    return found.better if found is not None and found.earlier is Direction.LT and _counts(op) else None


def _counts(op: stablehlo.ReduceOp) -> bool:
    """Return True if the second operand counts from 0 along the reduced dimension."""
    indices = op.inputs[1]
    [axis] = op.reduced
    if isinstance(indices.owner, stablehlo.IotaOp):
        return bool(indices.owner.iota_dimension.value.data == axis)
    array = constant_array(indices)
    return array is not None and counts_along(array, axis)
