"""Comparisons of quantized values as LiteRT computes them."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.expansion.builder import TosaBuilder
from qconvert.expansion.elementwise import times_power
from qconvert.expansion.expander import Expander, signed_type
from qconvert.expansion.registry import expands, follows_of, rounding_of
from qconvert.ir import i32

_KINDS: dict[Direction, tuple[type[tosa.CompareOp], bool]] = {
    Direction.EQ: (tosa.EqualOp, False),
    Direction.NE: (tosa.EqualOp, False),
    Direction.GT: (tosa.GreaterOp, False),
    Direction.GE: (tosa.GreaterEqualOp, False),
    Direction.LT: (tosa.GreaterOp, True),
    Direction.LE: (tosa.GreaterEqualOp, True),
}
"""TOSA's op for each direction, and True if it takes the operands the other way round."""


@expands(stablehlo.CompareOp)
def compare(op: stablehlo.CompareOp, build: Expander) -> SSAValue:
    """Compare integers minus the zero point, shifted left and multiplied by their scale.

    Products differ for different integers only at scales of ``2^-left_shift`` and more. Without a left shift the
    stored integers are compared, without regard to their scales.
    """
    operands = [_comparable(op, build, value) for value in (op.lhs, op.rhs)]
    return compared(build, op.comparison_direction.data, *operands)


def _comparable(op: stablehlo.CompareOp, build: Expander, value: SSAValue) -> SSAValue:
    places = follows_of(op).left_shift
    if not places:
        return build.add(tosa.CastOp(build.whole(value), i32))
    wide = times_power(build, value, places)
    return build.rescale(wide, signed_type(value).scale, i32, rounding=rounding_of(op))


def compared(build: TosaBuilder, direction: Direction, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Add EQUAL, GREATER or GREATER_EQUAL of i32 or floats, and LOGICAL_NOT for the direction NE."""
    kind, swaps = _KINDS[direction]
    made = build.add(kind(rhs, lhs) if swaps else kind(lhs, rhs))
    return build.add(tosa.LogicalNotOp(made)) if direction is Direction.NE else made
