"""The pretty form of TOSA's ops, as MLIR's tools print it: operands, attributes in braces, a function type.

``%y = tosa.clamp %x {max_val = 127 : i8, min_val = 0 : i8} : (tensor<2xi8>) -> tensor<2xi8>``
"""

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser

from qconvert.dialects.tosa.modes import MODES

AnyOp = TypeVar("AnyOp", bound=IRDLOperation)


def parse_op(kind: type[AnyOp], parser: Parser) -> AnyOp:
    """Read what follows an op's name."""
    unresolved = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    entries = parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, lambda: _parse_entry(parser))
    parser.parse_punctuation(":")
    position = parser.pos
    type = parser.parse_function_type()
    known = kind.get_irdl_definition().properties
    return kind.create(
        operands=parser.resolve_operands(unresolved or (), type.inputs.data, position),
        result_types=type.outputs.data,
        properties={name: value for name, value in entries or () if name in known},
        attributes={name: value for name, value in entries or () if name not in known},
    )


def _parse_entry(parser: Parser) -> tuple[str, Attribute]:
    """Parse ``name = value``; an enum value stands without its dialect."""
    name = parser.parse_identifier()
    parser.parse_punctuation("=")
    kind = MODES.get(name)
    mode = None if kind is None else parser.parse_optional_str_enum(kind.MODES)
    return name, parser.parse_attribute() if kind is None or mode is None else kind(mode)
