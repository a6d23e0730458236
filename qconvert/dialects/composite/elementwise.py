"""Elementwise functions of two values that StableHLO has no op for.

Source: the TFLite operator of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.stablehlo import MultiplyOp, SubtractOp
from qconvert.dialects.stablehlo.base import check_expressed, check_type, elementwise_type
from qconvert.dialects.traits import Elementwise
from qconvert.ir.types import tensor, with_element


@irdl_op_definition
class SquaredDifferenceOp(CompositeOp):
    """``(lhs - rhs)^2`` of operands of one shape."""

    name = "qconvert.squared_difference"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Elementwise())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[elementwise_type([lhs, rhs], element)])

    def verify_(self) -> None:
        """Operands and result have one shape and stand for values of one type."""
        check_type(self, lambda: with_element(tensor(self.lhs), tensor(self.result).element_type))
        check_expressed(self.name, (self.lhs, self.rhs, self.result))

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """The difference times itself."""
        lhs, rhs = operands
        difference = build.add(SubtractOp(lhs, rhs))
        return build.add(MultiplyOp(difference, difference))


ELEMENTWISE: tuple[type[CompositeOp], ...] = (SquaredDifferenceOp,)
