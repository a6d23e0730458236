"""Softmax of 8-bit integers in integers.

Tables give the exponential with up to 22 bits, and a table with one of Newton's steps the reciprocal of the sum. The
result is rounded once.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.backends.tosa.inverse import FRACTION_BITS, INVERSE_BITS, inverse
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.dialects import composite, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import per_tensor
from qconvert.expansion.softmax import below_largest
from qconvert.ir import shape
from qconvert.numerics.interpolated_table import STEP_BITS
from qconvert.support.errors import ConversionError

_ENTRY_BITS = 15
_SHARE_BITS = 30
"""Number of bits of a share behind the point."""


@lowers(composite.SoftmaxOp)
def softmax(op: composite.SoftmaxOp, lower: Lowering) -> SSAValue:
    """Lower to ``exp(x - max) / sum(exp(x - max))`` along the axis.

    Raises ConversionError for other than 8-bit integers.
    """
    source, target, axis = per_tensor(op.operand), per_tensor(op.result), op.axis.value.data
    if (source.storage.width, target.storage.width) != (8, 8):
        raise ConversionError(f"integer softmax supports 8-bit integers only, found {source} to {target}")
    differences = below_largest(lower, lower[op.operand], axis)
    shares = _shares_of_sum(lower, _powers(lower, differences, source.scale, shape(op.operand)[axis]), axis)
    return lower.stored(shares, 1 / ((1 << _SHARE_BITS) * target.scale), target)


def _powers(lower: Lowering, differences: SSAValue, scale: float, count: int) -> SSAValue:
    """Return ``exp(differences / 128 * scale)`` in i32, with the most bits for which ``count`` terms do not overflow.

    A 16-bit TABLE has 15 bits. One TABLE gives the upper bits, another the lower 7.
    """
    bits = min(_ENTRY_BITS + STEP_BITS, 31 - (count - 1).bit_length())
    one = (1 << bits) - 1
    exact = np.exp(np.minimum(np.arange(-256, 257), 0) * scale)
    upper, rest = np.divmod(numerics.quantize_onnx(exact, 1 / one, 0, 0, one, np.dtype(np.int32)), 1 << STEP_BITS)
    high, low = (lower.add(tosa.TableOp(differences, lower.constant(part, i16))) for part in (upper, rest))
    return lower.add(tosa.AddOp(high, lower.shift_right(low, STEP_BITS, rounds=True)))


def _shares_of_sum(lower: Lowering, powers: SSAValue, axis: int) -> SSAValue:
    """Return non-negative integers divided by their sum along the axis, with ``_SHARE_BITS`` bits behind the point.

    Both are shifted left until the sum has 31 bits.
    """
    total = lower.add(tosa.ReduceSumOp(powers, axis))
    zeros = lower.add(tosa.ClzOp(total))
    places = lower.add(tosa.SubOp(zeros, lower.filled(1, zeros)))
    dividend, divisor = (lower.add(tosa.LogicalLeftShiftOp(part, places)) for part in (powers, total))
    return lower.multiply(dividend, inverse(lower, divisor), shift=FRACTION_BITS + INVERSE_BITS - _SHARE_BITS)
