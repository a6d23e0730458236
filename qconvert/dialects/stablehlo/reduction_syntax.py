"""Parts of the pretty form of ``reduce``."""

from __future__ import annotations

from xdsl.ir import Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


def print_pair(printer: Printer, value: SSAValue, init: SSAValue) -> None:
    """Print ``(%value init: %init)``."""
    with printer.in_parens():
        printer.print_operand(value)
        printer.print_string(" init: ")
        printer.print_operand(init)


def parse_pair(parser: Parser) -> tuple[UnresolvedOperand, UnresolvedOperand]:
    """Read the text that :func:`print_pair` writes."""
    with parser.in_parens():
        value = parser.parse_unresolved_operand()
        parser.parse_keyword("init")
        parser.parse_punctuation(":")
        return value, parser.parse_unresolved_operand()


def parse_reducer(parser: Parser) -> Region:
    """Read ``reducer(%a: type, %b: type) (..) {..}``: elements first in each pair, accumulators second."""
    parser.parse_keyword("reducer")
    elements, accumulators = [], []
    while parser.parse_optional_punctuation("(") is not None:
        elements.append(_parse_argument(parser))
        parser.parse_punctuation(",")
        accumulators.append(_parse_argument(parser))
        parser.parse_punctuation(")")
    return parser.parse_region([*elements, *accumulators])


def _parse_argument(parser: Parser) -> Parser.Argument:
    """Read ``%a: type loc(..)``; the location, which other tools print with debug information, is kept if there."""
    argument = parser.parse_argument()
    argument.location = parser.parse_optional_location()
    return argument
