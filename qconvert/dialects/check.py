"""The ``check`` dialect of StableHLO's tests: ops that state what a value must be when the interpreter reaches them.

Source: StableHLO, tests/CheckOps.td.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, Signedness, TensorType, f64
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from qconvert.dialects.op_checks import check
from qconvert.ir import ElementsAttr

DEFAULT_TOLERANCE = 1e-4
"""The largest difference of almost equal values if the op gives none."""

_UINT64 = IntegerType(64, Signedness.UNSIGNED)


class CheckOp(IRDLOperation, ABC):
    """The base of the checks: ``check.op %value, <expected>[, keyword = value] {attributes} [: types]``, no results."""

    KEYWORDS: ClassVar[tuple[tuple[str, str], ...]] = ()

    def print(self, printer: Printer) -> None:
        """Print operands or the constant, then properties that differ from their defaults, then types."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        constant = self.properties.get("value")
        if constant is not None:
            printer.print_string(", ")
            printer.print_attribute(constant)
        for keyword, name in self.KEYWORDS:
            number = self.properties.get(name)
            if number is not None:
                printer.print_string(f", {keyword} = {_number_text(number)}")
        printer.print_op_attributes(self.attributes)
        if constant is None:
            self.print_types(printer)

    def print_types(self, printer: Printer) -> None:
        """Print the one type of both operands."""
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        unresolved = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        properties: dict[str, Attribute] = {}
        if "value" in cls.get_irdl_definition().properties:
            properties["value"] = parser.parse_attribute()
        else:
            unresolved.append(parser.parse_unresolved_operand())
        known = dict(cls.KEYWORDS)
        while parser.parse_optional_punctuation(",") is not None:
            name = known.get(keyword := parser.parse_identifier())
            if name is None:
                parser.raise_error(f"'{keyword}' is not part of {cls.name}")
            parser.parse_punctuation("=")
            properties[name] = _parse_number(parser, name)
        constant = properties.get("value")
        if isinstance(constant, ElementsAttr):
            attributes = parser.parse_optional_attr_dict()
            types: Sequence[Attribute] = [constant.type]
        else:
            attributes, types = cls.parse_types(parser)
        operands = parser.resolve_operands(unresolved, types, parser.pos)
        return cls.create(operands=operands, properties=properties, attributes=attributes)

    @classmethod
    def parse_types(cls, parser: Parser) -> tuple[dict[str, Attribute], Sequence[Attribute]]:
        """Parse attributes, then the one type of both operands."""
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return attributes, [parser.parse_type()] * 2


def _number_text(number: Attribute) -> str:
    if isinstance(number, FloatAttr):
        return repr(float(number.value.data))
    assert isinstance(number, IntegerAttr)
    return str(number.value.data)


def _parse_number(parser: Parser, name: str) -> Attribute:
    """Parse a float or an unsigned integer."""
    number = parser.parse_number()
    return FloatAttr(float(number), f64) if name == "tolerance" else IntegerAttr(int(number), _UINT64)


class PairOp(CheckOp, ABC):
    """The base of checks that compare two values of one type."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(operands=[lhs, rhs])

    def verify_(self) -> None:
        """Check that both operands have one type."""
        check(self.lhs.type == self.rhs.type, self.name, "types {} and {} differ", self.lhs.type, self.rhs.type)


class ConstantOp(CheckOp, ABC):
    """The base of checks that compare a value with a constant."""

    lhs = operand_def(TensorType)
    value = prop_def(ElementsAttr)

    def __init__(self, lhs: SSAValue, value: ElementsAttr) -> None:
        super().__init__(operands=[lhs], properties={"value": value})

    def verify_(self) -> None:
        """Check that the constant has the value's type."""
        check(
            self.value.type == self.lhs.type, self.name, "a constant of type {} for {}", self.value.type, self.lhs.type
        )


@irdl_op_definition
class ExpectEqOp(PairOp):
    """The check that all elements are equal."""

    name = "check.expect_eq"


@irdl_op_definition
class ExpectEqConstOp(ConstantOp):
    """The check that all elements are those of the constant."""

    name = "check.expect_eq_const"


class ToleranceOp(CheckOp, ABC):
    """The base of checks in which values may differ by ``tolerance``."""

    KEYWORDS: ClassVar[tuple[tuple[str, str], ...]] = (("tolerance", "tolerance"),)
    tolerance = opt_prop_def(FloatAttr)

    @property
    def largest_difference(self) -> float:
        """The largest allowed difference of two elements."""
        return DEFAULT_TOLERANCE if self.tolerance is None else float(self.tolerance.value.data)


@irdl_op_definition
class ExpectAlmostEqOp(ToleranceOp, PairOp):
    """The check that no two elements differ by more than the tolerance."""

    name = "check.expect_almost_eq"


@irdl_op_definition
class ExpectAlmostEqConstOp(ToleranceOp, ConstantOp):
    """The check that no element differs from the constant's by more than the tolerance."""

    name = "check.expect_almost_eq_const"


@irdl_op_definition
class ExpectCloseOp(CheckOp):
    """The check that elements differ by ``min_ulp_difference`` to ``max_ulp_difference`` floats."""

    name = "check.expect_close"
    KEYWORDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("max_ulp_difference", "max_ulp_difference"),
        ("min_ulp_difference", "min_ulp_difference"),
    )
    actual = operand_def(TensorType)
    expected = operand_def(TensorType)
    max_ulp_difference = prop_def(IntegerAttr)
    min_ulp_difference = opt_prop_def(IntegerAttr)

    def verify_(self) -> None:
        """Check that both operands have one type."""
        same = self.actual.type == self.expected.type
        check(same, self.name, "types {} and {} differ", self.actual.type, self.expected.type)

    def print_types(self, printer: Printer) -> None:
        """Print the types of both operands."""
        printer.print_string(" : ")
        printer.print_list(self.operand_types, printer.print_attribute)

    @classmethod
    def parse_types(cls, parser: Parser) -> tuple[dict[str, Attribute], Sequence[Attribute]]:
        """Parse the types of both operands, after a colon and attributes."""
        parser.parse_punctuation(":")
        attributes = parser.parse_optional_attr_dict()
        return attributes, parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)


Check = Dialect("check", [ExpectEqOp, ExpectEqConstOp, ExpectAlmostEqOp, ExpectAlmostEqConstOp, ExpectCloseOp])
