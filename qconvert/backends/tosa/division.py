"""Division of 8-bit integers as GATHER from the list of all quotients."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering, lowers_litert
from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.division import divide
from qconvert.expansion.expander import per_tensor
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array
from qconvert.ir import i8, i32, shape

_VALUES = 256


@lowers_litert(stablehlo.DivideOp)
def listed_division(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Lower 8-bit integers to GATHER from the quotients of all pairs; other widths are divided by integer ops."""
    if any(per_tensor(value).storage.width != 8 for value in (op.lhs, op.rhs, op.result)):
        return divide(op, lower)
    values = np.arange(-_VALUES // 2, _VALUES // 2).astype(np.int8)
    pairs = [_pairs(values, axis) for axis in range(2)]
    (quotients,) = evaluate_op(op, pairs)
    sizes, count = shape(op.result), prod(shape(op.result))
    lhs, rhs = (lower.add(tosa.CastOp(lower[value], i32)) for value in (op.lhs, op.rhs))
    place = lower.add(tosa.AddOp(lower.multiply(lhs, lower.filled(_VALUES, lhs)), rhs))
    middle = lower.offset(place, (_VALUES + 1) * _VALUES // 2)
    listed = lower.constant(quotients.reshape(1, -1, 1), i8)
    return lower.reshape(lower.add(tosa.GatherOp(listed, lower.reshape(middle, (1, count)))), sizes)


def _pairs(values: Array, axis: int) -> Array:
    """Return one operand of all pairs: the first operand varies along the rows, the second along the columns."""
    return np.broadcast_to(values[:, None] if axis == 0 else values[None, :], (_VALUES, _VALUES))
