"""Elementwise ops on the representation of numbers: bits of integers, range and precision of floats.

Source: StableHLO's specification.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import I32, IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.constraints import INTEGERS, REAL, Kind
from qconvert.dialects.stablehlo.elementwise import ElementwiseOp, UnaryOp
from qconvert.dialects.stablehlo.syntax import create, parse_assignment, print_operands
from qconvert.dialects.traits import Bitwise
from qconvert.ir import Tensor, element_type, i1, tensor, tensor_type, with_element

_FORMAT = re.compile(r"e(\d{1,4})m(\d{1,4})")


@irdl_op_definition
class CountLeadingZerosOp(UnaryOp):
    name = "stablehlo.count_leading_zeros"
    KINDS: ClassVar[Sequence[Kind]] = INTEGERS
    traits = traits_def(Bitwise())


@irdl_op_definition
class PopcntOp(UnaryOp):
    name = "stablehlo.popcnt"
    KINDS: ClassVar[Sequence[Kind]] = INTEGERS
    traits = traits_def(Bitwise())


@irdl_op_definition
class IsFiniteOp(UnaryOp):
    """The test of each element for being neither infinite nor NaN, as i1."""

    name = "stablehlo.is_finite"
    KINDS: ClassVar[Sequence[Kind]] = REAL
    BASELINE: ClassVar[str] = ""

    def infer(self) -> Tensor:
        """Return the operand's shape with elements of i1 (C1)."""
        return with_element(tensor(self.operand), i1)

    def verify_elements(self) -> None:
        """Accept operand and result of different types."""


@irdl_op_definition
class ReducePrecisionOp(ElementwiseOp):
    """Each element rounded to a float format with fewer bits and back."""

    name = "stablehlo.reduce_precision"
    KINDS: ClassVar[Sequence[Kind]] = REAL
    BASELINE: ClassVar[str] = "C1"
    operand = operand_def(TensorType)
    exponent_bits = prop_def(IntegerAttr[I32])
    mantissa_bits = prop_def(IntegerAttr[I32])
    result = result_def(TensorType)

    def __init__(self, operand: SSAValue, exponent_bits: int, mantissa_bits: int) -> None:
        super().__init__(
            operands=[operand],
            properties=_format(exponent_bits, mantissa_bits),
            result=tensor_type(element_type(operand), ()),
        )

    @property
    def bits(self) -> tuple[int, int]:
        """The numbers of exponent and mantissa bits."""
        return self.exponent_bits.value.data, self.mantissa_bits.value.data

    def verify_(self) -> None:
        """Check that types agree (C1), and that the format has an exponent (C2) and no negative mantissa (C3)."""
        super().verify_()
        exponent, mantissa = self.bits
        check(exponent >= 1, f"{self.name} (C2)", f"{exponent} exponent bits")
        check(mantissa >= 0, f"{self.name} (C3)", f"{mantissa} mantissa bits")

    def print(self, printer: Printer) -> None:
        """Print ``%a, format = e5m10 : type``."""
        print_operands(printer, self)
        printer.print_string(", format = e{}m{}".format(*self.bits))
        self.print_types(printer)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        parse_assignment(parser, "format")
        start = parser.pos
        found = _FORMAT.fullmatch(parser.parse_identifier())
        if found is None:
            parser.raise_error("a float format is written as e5m10", start)
        return create(cls, parser, [operand], _format(int(found[1]), int(found[2])))


def _format(exponent_bits: int, mantissa_bits: int) -> dict[str, Attribute]:
    return {"exponent_bits": IntegerAttr(exponent_bits, i32), "mantissa_bits": IntegerAttr(mantissa_bits, i32)}
