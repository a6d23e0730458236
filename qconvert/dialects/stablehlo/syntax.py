"""Pretty syntax shared by ops whose text is operands, ``keyword = value`` clauses and types, as StableHLO prints it."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self, TypeAlias, TypeVar

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, OptPropertyDef
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from qconvert.dialects.stablehlo.base import StableHLOOp, as_tuple, integer, integers

IRDLOpT = TypeVar("IRDLOpT", bound=IRDLOperation)

Clauses: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of a keyword in the text and the property it stands for."""


def print_integers(printer: Printer, values: Sequence[int]) -> None:
    """Print ``[1, 2]``."""
    printer.print_string(f"[{', '.join(map(str, values))}]")


def parse_integers(parser: Parser) -> list[int]:
    """Read ``[1, 2]``."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False))


def parse_assignment(parser: Parser, keyword: str) -> None:
    """Read ``keyword =``."""
    parser.parse_keyword(keyword)
    parser.parse_punctuation("=")


def parse_operands(parser: Parser) -> list[UnresolvedOperand]:
    """Read operands separated by commas, up to the first item that is not an operand."""
    operands = []
    while (operand := parser.parse_optional_unresolved_operand()) is not None:
        operands.append(operand)
        if parser.parse_optional_punctuation(",") is None:
            break
    return operands


def print_operands(printer: Printer, op: IRDLOperation) -> None:
    """Print `` %a, %b``."""
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_operand)


def print_typed_operands(printer: Printer, op: IRDLOperation) -> None:
    """Print `` %a, %b {attributes} : type, type``; nothing behind the attributes if there are no operands."""
    print_operands(printer, op)
    printer.print_op_attributes(op.attributes)
    if op.operands:
        printer.print_string(" : ")
        printer.print_list(op.operand_types, printer.print_attribute)


def parse_typed_operands(parser: Parser) -> tuple[Sequence[SSAValue], dict[str, Attribute]]:
    """Read what :func:`print_typed_operands` writes; return the operands and the attributes."""
    unresolved = parse_operands(parser)
    attributes = parser.parse_optional_attr_dict()
    if not unresolved:
        return (), attributes
    parser.parse_punctuation(":")
    start = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return parser.resolve_operands(unresolved, types, start), attributes


def print_signature(printer: Printer, op: IRDLOperation, properties: Mapping[str, Attribute] | None = None) -> None:
    """Print attributes, and properties without a place in the text; then ``: (types) -> types``."""
    printer.print_op_attributes({**(properties or {}), **op.attributes})
    printer.print_string(" : ")
    printer.print_function_type(op.operand_types, op.result_types)


def create(
    cls: type[IRDLOpT],
    parser: Parser,
    unresolved: Sequence[UnresolvedOperand],
    properties: Mapping[str, Attribute],
) -> IRDLOpT:
    """Read the text of :func:`print_signature` and make the op; attributes named like properties become properties."""
    attributes = parser.parse_optional_attr_dict()
    start = parser.pos
    inputs, results = parse_types(parser, len(unresolved))
    known = cls.get_irdl_definition().properties
    own = {name: value for name, value in attributes.items() if name in known}
    return cls.create(
        operands=parser.resolve_operands(unresolved, inputs, start),
        result_types=results,
        properties={**own, **properties},
        attributes={name: value for name, value in attributes.items() if name not in known},
    )


def parse_types(parser: Parser, count: int) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    """Read ``: type`` for ``count`` operands and the result alike, or ``: (types) -> types``."""
    parser.parse_punctuation(":")
    inputs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    if inputs is None:
        result = parser.parse_type()
        return [result] * count, [result]
    parser.parse_punctuation("->")
    results = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return inputs, [parser.parse_type()] if results is None else results


def _parse_value(parser: Parser) -> Attribute:
    """Read a boolean, an integer or a list of integers."""
    flag = parser.parse_optional_boolean()
    if flag is not None:
        return BoolAttr.from_bool(flag)
    number = parser.parse_optional_integer(allow_boolean=False)
    return integers(parse_integers(parser)) if number is None else integer(number)


class ClauseOp(StableHLOOp, ABC):
    """The base of ops with the syntax ``op %a, %b, keyword = value {attributes} : (types) -> type``.

    Values are integers, lists of integers or booleans. The clause of an optional property is the op's only clause.
    """

    CLAUSES: ClassVar[Clauses] = ()

    def print(self, printer: Printer) -> None:
        """Print operands, clauses and types."""
        print_operands(printer, self)
        for i, (keyword, name) in enumerate(self.CLAUSES):
            value = self.properties.get(name)
            if value is None:
                continue
            printer.print_string(f", {keyword} = " if i or self.operands else f"{keyword} = ")
            if isinstance(value, DenseArrayBase):
                print_integers(printer, as_tuple(value))
            elif isinstance(value, IntegerAttr):
                is_flag = value.type == i1
                printer.print_string(str(bool(value.value.data)).lower() if is_flag else str(value.value.data))
        self.print_types(printer)

    def print_types(self, printer: Printer) -> None:
        """Print attributes and types."""
        written = {name for _, name in self.CLAUSES}
        print_signature(printer, self, {name: value for name, value in self.properties.items() if name not in written})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        if not cls.CLAUSES and cls.get_irdl_definition().operands:
            read = parser.parse_unresolved_operand
            return create(cls, parser, parser.parse_comma_separated_list(parser.Delimiter.NONE, read), {})
        unresolved = parse_operands(parser)
        parser.parse_optional_punctuation(",")  # StableHLO writes an empty list between two commas
        properties: dict[str, Attribute] = {}
        known = cls.get_irdl_definition().properties
        for i, (keyword, name) in enumerate(cls.CLAUSES):
            if i:
                parser.parse_punctuation(",")
            if not isinstance(known[name], OptPropertyDef):
                parser.parse_keyword(keyword)
            elif parser.parse_optional_keyword(keyword) is None:
                continue
            parser.parse_punctuation("=")
            properties[name] = _parse_value(parser)
        return create(cls, parser, unresolved, properties)


class SameTypeClauseOp(ClauseOp, ABC):
    """The base of clause ops with one type for the operand, if there is one, and the result."""

    def print_types(self, printer: Printer) -> None:
        """Print attributes and the result's type; both types if they differ."""
        [result] = self.result_types
        if any(type != result for type in self.operand_types):
            print_signature(printer, self)
            return
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(result)
