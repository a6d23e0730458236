"""Linear interpolation of 8-bit integers as LiteRT computes it."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.backends.tosa.litert import integer_of
from qconvert.backends.tosa.lowering import Lowering, lowers_litert, per_tensor
from qconvert.backends.tosa.normalization import filled
from qconvert.dialects import composite, tosa
from qconvert.dialects.composite.resize import LITERT_BITS
from qconvert.errors import ConversionError

_UNIT = 1 << LITERT_BITS


@lowers_litert(composite.ResizeOp)
def resize(op: composite.ResizeOp, lower: Lowering) -> SSAValue:
    """RESIZE with LiteRT's positions in 1/1024, and its rounding of the sums: halves away from zero.

    Raises ConversionError for 16 bits, whose sums of 48 bits TOSA cannot round so.
    """
    element = per_tensor(op.operand)
    if element.storage.width != 8:
        raise ConversionError(f"only 8-bit integers are interpolated as LiteRT does, found {element}")
    found = op.litert_steps()
    scale = [number for axis in found for number in (_UNIT, axis.step)]
    border = [(axis.resized - 1) * axis.step + axis.start - (axis.original - 1) * _UNIT for axis in found]
    parts = (lower.shape(scale), lower.shape([axis.start for axis in found]), lower.shape(border))
    sums = lower.add(tosa.ResizeOp(lower[op.operand], *parts, tosa.ResizeMode.BILINEAR))
    sign = lower.add(tosa.ArithmeticRightShiftOp(sums, filled(lower, 31, sums)))
    nudged = lower.add(tosa.AddOp(sums, sign))
    rounded = lower.add(tosa.ArithmeticRightShiftOp(nudged, filled(lower, 2 * LITERT_BITS, sums), rounds=True))
    return lower.add(tosa.CastOp(rounded, integer_of(element)))
