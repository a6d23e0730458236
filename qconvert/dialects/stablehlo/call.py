"""``custom_call``: a call, by name, of a function that the module does not define.

Source: StableHLO's specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.syntax import create, print_signature


@irdl_op_definition
class CustomCallOp(StableHLOOp):
    """``custom_call @target(%a, %b) {..} : (types) -> types``; the target defines the meaning."""

    name = "stablehlo.custom_call"
    inputs = var_operand_def(AnyAttr())
    call_target_name = prop_def(StringAttr)
    has_side_effect = opt_prop_def(BoolAttr)
    backend_config = opt_prop_def(Attribute)
    api_version = opt_prop_def(IntegerAttr)
    called_computations = opt_prop_def(ArrayAttr)
    operand_layouts = opt_prop_def(ArrayAttr)
    result_layouts = opt_prop_def(ArrayAttr)
    output_operand_aliases = opt_prop_def(ArrayAttr)
    results_ = var_result_def(AnyAttr())

    def __init__(self, target: str, inputs: Sequence[SSAValue], result_types: Sequence[Attribute]) -> None:
        super().__init__(
            operands=[list(inputs)],
            properties={"call_target_name": StringAttr(target)},
            result_types=[list(result_types)],
        )

    @property
    def target(self) -> str:
        """The name of the called function."""
        return self.call_target_name.data

    def print(self, printer: Printer) -> None:
        """Print ``@target(%a) {..} : (type) -> type``."""
        printer.print_string(" ")
        printer.print_symbol_name(self.target)
        with printer.in_parens():
            printer.print_list(self.operands, printer.print_operand)
        print_signature(printer, self, {k: v for k, v in self.properties.items() if k != "call_target_name"})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        target = parser.parse_symbol_name()
        unresolved = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        return create(cls, parser, unresolved, {"call_target_name": target})
