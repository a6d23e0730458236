"""Elementwise functions of two values that StableHLO lacks.

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
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check_expressed
from qconvert.dialects.stablehlo import MultiplyOp, SubtractOp
from qconvert.dialects.stablehlo.base import same_shape
from qconvert.dialects.traits import Elementwise
from qconvert.ir import Tensor, element_type, tensor_type


@irdl_op_definition
class SquaredDifferenceOp(InferredOp, CompositeOp):
    """``(lhs - rhs)^2`` of operands of one shape."""

    name = "qconvert.squared_difference"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Elementwise())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[lhs, rhs], result=tensor_type(element or element_type(lhs), ()))

    def infer(self) -> Tensor:
        """Return the operands' shape with the result's elements."""
        return tensor_type(element_type(self.result), same_shape(self.lhs, self.rhs))

    def verify_(self) -> None:
        """Check that operands and result have one shape and stand for values of one type."""
        super().verify_()
        check_expressed(self.name, (self.lhs, self.rhs, self.result))

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Write as the difference times itself."""
        lhs, rhs = operands
        difference = build.add(SubtractOp(lhs, rhs))
        return build.add(MultiplyOp(difference, difference))
