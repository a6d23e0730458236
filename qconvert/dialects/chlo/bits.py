"""The neighbour of a float."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FixedBitwidthType, IntegerType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.chlo.base import BinaryFunctionOp
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.stablehlo import (
    AddOp,
    BitcastConvertOp,
    CompareOp,
    ComparisonDirection,
    OrOp,
    SelectOp,
)
from qconvert.ir import element_type, is_float
from qconvert.support.errors import ConversionError


@irdl_op_definition
class NextAfterOp(BinaryFunctionOp):
    """The next float after ``lhs`` towards ``rhs``; NaN where one of both is NaN."""

    name = "chlo.next_after"

    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Write in the operands' own type, because the neighbour of a narrow float is narrow.

        Raises ConversionError for other elements than floats.
        """
        element = element_type(self.lhs)
        if not is_float(element):
            raise ConversionError(f"the neighbour of a float is needed, found {element}", hint="Dequantize it first")
        return [self.written(Formula(build, self.lhs), *self.operands)]

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with the bits as an integer, which grows with the size of a float.

        Zero goes to the smallest number with the sign of ``rhs``.
        """
        x, y = operands
        build, element = formula.build, element_type(x)
        assert isinstance(element, FixedBitwidthType)
        bits = build.add(BitcastConvertOp(x, integer := IntegerType(element.bitwidth)))
        counting = Formula(build, bits)
        grows = build.add(
            CompareOp(
                formula.compare(x, ComparisonDirection.LT, y),
                formula.compare(x, ComparisonDirection.GT, 0.0),
                ComparisonDirection.EQ,
            )
        )
        moved = counting(AddOp, bits, counting.select(grows, 1, -1))
        lowest = counting.select(
            formula.compare(y, ComparisonDirection.GT, 0.0), 1, 1 - (1 << (integer.width.data - 1))
        )
        is_zero = formula.compare(x, ComparisonDirection.EQ, 0.0)
        found = build.add(BitcastConvertOp(build.add(SelectOp(is_zero, lowest, moved)), element))
        found = formula.select(formula.compare(x, ComparisonDirection.EQ, y), y, found)
        nan_x, nan_y = (formula.compare(value, ComparisonDirection.NE, value) for value in (x, y))
        undefined = build.add(OrOp(nan_x, nan_y))
        return formula.select(undefined, formula(AddOp, x, y), found)
