"""The bases of the dialect's ops: each writes itself in StableHLO's ops.

Source: StableHLO, ChloOps.td. chlo is the dialect that exporters write before StableHLO: functions that StableHLO lacks
and arithmetic that broadcasts. The pass ``chlo-legalize-to-stablehlo`` replaces all of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import Float32Type, Float64Type, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, ParsePropInAttrDict, operand_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.stablehlo import ConvertOp
from qconvert.dialects.stablehlo.base import SameShapeOp
from qconvert.dialects.traits import Elementwise
from qconvert.ir import element_type, f32, is_complex, is_float, tensor_type
from qconvert.support.errors import ConversionError

__all__ = ["ChloOp"]


class ChloOp(IRDLOperation, ABC):
    """The base of the dialect's ops."""

    irdl_options = (ParsePropInAttrDict(),)

    @abstractmethod
    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Write the op in StableHLO's ops and qconvert's composites; return the values of its results.

        Raises ConversionError where that cannot be done.
        """


class FunctionOp(SameShapeOp, ChloOp, ABC):
    """The base of elementwise functions of tensors of one shape."""

    traits = traits_def(Pure(), Elementwise())

    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Write the function; floats narrower than 32 bits are computed in 32 bits, and the result is rounded once."""
        element = element_type(self.operands[0])
        if is_complex(element):
            raise ConversionError("the function of complex numbers is not written", hint="Export its real form")
        if not is_float(element) or isinstance(element, Float32Type | Float64Type):
            return [self.written(Formula(build, self.operands[0]), *self.operands)]
        wide = [build.add(ConvertOp(operand, f32)) for operand in self.operands]
        found = self.written(Formula(build, wide[0]), *wide)
        return [build.add(ConvertOp(found, element)) if element_type(found) == f32 else found]

    @abstractmethod
    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write the function of real operands of 32 or 64 bits."""


class UnaryFunctionOp(FunctionOp, ABC):
    """The base of functions of one operand, with the syntax ``op %a {attributes} : type -> type``."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[operand], result=tensor_type(element or element_type(operand), ()))


class BinaryFunctionOp(FunctionOp, ABC):
    """The base of functions of two operands, with the syntax ``op %a, %b {attributes} : type, type -> type``."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(operands=[lhs, rhs], result=tensor_type(element_type(lhs), ()))
