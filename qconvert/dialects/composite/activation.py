"""Activations that StableHLO has no op for."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.build import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.stablehlo.base import elementwise_type


class ActivationOp(CompositeOp):
    """An elementwise function of one operand."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[operand], result_types=[elementwise_type([operand], element)])


@irdl_op_definition
class ErfOp(ActivationOp):
    """The Gauss error function (ONNX Erf)."""

    name = "qconvert.erf"

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Written by the activation family."""
        raise AssertionError(stablehlo)
