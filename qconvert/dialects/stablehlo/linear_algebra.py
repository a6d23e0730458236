"""Ops on matrices besides ``dot_general``: its older form ``dot``, ``cholesky`` and ``triangular_solve``.

Source: StableHLO's specification; ``dot`` is in its dialect only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, TensorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check, check_expressed
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.constraints import ANALYTIC, Kind, check_baseline
from qconvert.dialects.stablehlo.contraction import DOT_CONSTRAINTS, dot_shape, parse_precision, print_precision
from qconvert.dialects.stablehlo.dimension_numbers import DotDimensionNumbers
from qconvert.dialects.stablehlo.syntax import (
    Clauses,
    SameTypeClauseOp,
    create,
    parse_operands,
    print_operands,
    print_signature,
)
from qconvert.dialects.traits import ComputesReals, Contraction, Layer, NotIn
from qconvert.ir import Tensor, element_type, shape, tensor, tensor_type


@irdl_op_definition
class DotOp(InferredOp, StableHLOOp):
    """The product of vectors or matrices: the last dimension of lhs is contracted with the first of rhs."""

    name = "stablehlo.dot"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    precision_config = opt_prop_def(ArrayAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Contraction())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[lhs, rhs], result=tensor_type(element or element_type(lhs), ()))

    @property
    def numbers(self) -> DotDimensionNumbers:
        """The dimension numbers of the same product as a ``dot_general``."""
        return DotDimensionNumbers((), (), (len(shape(self.lhs)) - 1,), (0,))

    def infer(self) -> Tensor:
        """Return the sizes of the product, as in ``dot_general``, with the result's elements."""
        return tensor_type(element_type(self.result), dot_shape(shape(self.lhs), shape(self.rhs), self.numbers))

    def verify_(self) -> None:
        """Check for vectors or matrices with matching contracted dimensions and elements, as in ``dot_general``."""
        shapes = (shape(self.lhs), shape(self.rhs))
        check(all(len(part) in (1, 2) for part in shapes), self.name, f"a product of {shapes[0]} and {shapes[1]}")
        super().verify_()
        DOT_CONSTRAINTS.check_expressed("dot_general", self.lhs, self.rhs, self.result)

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b, precision = [..] : types``."""
        print_operands(printer, self)
        print_precision(printer, self.precision_config)
        print_signature(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        unresolved = parse_operands(parser)
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("precision") is not None:
            parser.parse_punctuation("=")
            properties["precision_config"] = parse_precision(parser)
        return create(cls, parser, unresolved, properties)


def _check_matrix(op: IRDLOperation, value: SSAValue, rank: str, square: str) -> None:
    extents = shape(value)
    check(len(extents) >= 2, f"{op.name} ({rank})", "{} is not a matrix", value.type)
    check(extents[-1] == extents[-2], f"{op.name} ({square})", "the matrices of {} are not square", value.type)


@irdl_op_definition
class CholeskyOp(SameTypeClauseOp):
    """The lower or upper triangular factor of each matrix of a batch."""

    name = "stablehlo.cholesky"
    KINDS: ClassVar[Sequence[Kind]] = ANALYTIC
    PER_AXIS: ClassVar[bool] = False
    BASELINE: ClassVar[str] = "C1"
    CLAUSES: ClassVar[Clauses] = (("lower", "lower"),)
    a = operand_def(TensorType)
    lower = opt_prop_def(BoolAttr)
    result = result_def(TensorType)
    traits = traits_def(
        Pure(), ComputesReals(), NotIn("decompositions of matrices are not evaluated", Layer.INTERPRETER)
    )

    def __init__(self, a: SSAValue, *, lower: bool = False) -> None:
        properties = {"lower": BoolAttr.from_bool(True)} if lower else {}
        super().__init__(operands=[a], properties=properties, result_types=[tensor(a)])

    def verify_(self) -> None:
        """Check for an unchanged shape and kind of element (C1), and for square matrices (C2, C3)."""
        check(shape(self.a) == shape(self.result), f"{self.name} (C1)", "{} and {}", self.a.type, self.result.type)
        check_expressed(self.name, (self.a, self.result))
        _check_matrix(self, self.a, "C2", "C3")


class Transpose(StrEnum):
    """Forms in which ``triangular_solve`` uses its coefficients."""

    NO_TRANSPOSE = "NO_TRANSPOSE"
    TRANSPOSE = "TRANSPOSE"
    ADJOINT = "ADJOINT"


@irdl_attr_definition
class TransposeAttr(EnumAttribute[Transpose], SpacedOpaqueSyntaxAttribute):
    """``#stablehlo<transpose ADJOINT>``."""

    name = "stablehlo.transpose"


@irdl_op_definition
class TriangularSolveOp(InferredOp, StableHLOOp):
    """The ``x`` of ``a @ x = b`` or ``x @ a = b`` with triangular ``a``, for each matrix of a batch."""

    name = "stablehlo.triangular_solve"
    KINDS: ClassVar[Sequence[Kind]] = ANALYTIC
    PER_AXIS: ClassVar[bool] = False
    a = operand_def(TensorType)
    b = operand_def(TensorType)
    left_side = prop_def(BoolAttr)
    lower = prop_def(BoolAttr)
    unit_diagonal = prop_def(BoolAttr)
    transpose_a = prop_def(TransposeAttr)
    result = result_def(TensorType)
    traits = traits_def(
        Pure(), ComputesReals(), NotIn("decompositions of matrices are not evaluated", Layer.INTERPRETER)
    )

    def __init__(self, a: SSAValue, b: SSAValue, *, left_side: bool, lower: bool) -> None:
        flags = {"left_side": left_side, "lower": lower, "unit_diagonal": False}
        super().__init__(
            operands=[a, b],
            properties={
                **{name: BoolAttr.from_bool(flag) for name, flag in flags.items()},
                "transpose_a": TransposeAttr(Transpose.NO_TRANSPOSE),
            },
            result=tensor_type(element_type(b), ()),
        )

    def infer(self) -> Tensor:
        """Return the shape of ``b`` (C4) with the result's elements."""
        return tensor_type(element_type(self.result), shape(self.b))

    def verify_(self) -> None:
        """Check for values of one type (C1, C4), and that shapes go together (C2 to C4)."""
        check_expressed(f"{self.name} (C1, C4)", (self.a, self.b, self.result))
        _check_matrix(self, self.a, "C2", "C3")
        a, b = shape(self.a), shape(self.b)
        check(len(a) == len(b), f"{self.name} (C2)", "{} and {} differ in rank", self.a.type, self.b.type)
        side = -2 if self.left_side.value.data else -1
        fits = a[:-2] == b[:-2] and a[-1] == b[side]
        check(fits, f"{self.name} (C3)", "{} and {} do not go together", self.a.type, self.b.type)
        check(shape(self.result) == b, f"{self.name} (C4)", "a result of {}", self.result.type)

    def verify_quantized(self) -> None:
        """Check that operands (C1), and ``b`` and the result (C4), differ in scales and zero points at most."""
        super().verify_quantized()
        check_baseline(self, "C1", self.operands)
        check_baseline(self, "C4", (self.b, self.result))
