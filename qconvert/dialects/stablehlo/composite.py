"""``composite``: an op that StableHLO lacks, defined by a function of the module.

Source: StableHLO's specification.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Self

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, SymbolRefAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from qconvert.dialects.func import called_function
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.syntax import create, parse_operands, print_operands, print_signature
from qconvert.dialects.traits import PassesIntegers

_NAMESPACED = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*(\.[a-zA-Z0-9_$]+)+")
_NAME = "name"


@irdl_op_definition
class CompositeOp(StableHLOOp):
    """A composite or a call of its function: ``composite "namespace.op" %a {decomposition = @function} : types``.

    A target that knows the name and the attributes takes the op whole; other targets compute the function.
    """

    name = "stablehlo.composite"
    inputs = var_operand_def(TensorType)
    composite_name = prop_def(StringAttr, prop_name=_NAME)
    composite_attributes = opt_prop_def(DictionaryAttr)
    decomposition = prop_def(SymbolRefAttr)
    version = opt_prop_def(IntegerAttr)
    results_ = var_result_def(TensorType)
    traits = traits_def(Pure(), PassesIntegers())

    def __init__(
        self, name: str, inputs: Sequence[SSAValue], function: FuncOp, attributes: Mapping[str, Attribute]
    ) -> None:
        super().__init__(
            operands=[list(inputs)],
            properties={
                _NAME: StringAttr(name),
                "composite_attributes": DictionaryAttr(dict(attributes)) if attributes else None,
                "decomposition": SymbolRefAttr(function.sym_name.data),
            },
            result_types=[list(function.function_type.outputs)],
        )

    @property
    def function(self) -> FuncOp | None:
        """The decomposition; None if the module does not hold it."""
        return called_function(self, self.decomposition)

    def verify_(self) -> None:
        """Check that the name has a namespace (C1), and the function (C2) for its types (C3, C4)."""
        name = self.composite_name.data
        check(_NAMESPACED.fullmatch(name) is not None, "composite (C1)", f"'{name}' is not a name with a namespace")
        function = self.function
        symbol = self.decomposition.root_reference.data
        check(function is not None and not function.is_declaration, "composite (C2)", f"there is no function @{symbol}")
        assert function is not None
        for constraint, what, types, expected in (
            ("composite (C3)", "takes", function.function_type.inputs, self.operand_types),
            ("composite (C4)", "gives", function.function_type.outputs, self.result_types),
        ):
            found, wanted = (", ".join(map(str, part)) for part in (types, expected))
            check(list(types) == list(expected), constraint, f"@{symbol} {what} ({found}), the op ({wanted})")

    def print(self, printer: Printer) -> None:
        """Print ``"name" %a, %b {decomposition = @f} : (types) -> types``."""
        printer.print_string(" ")
        printer.print_attribute(self.composite_name)
        print_operands(printer, self)
        print_signature(printer, self, {key: value for key, value in self.properties.items() if key != _NAME})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        name = StringAttr(parser.parse_str_literal())
        unresolved = parse_operands(parser)
        return create(cls, parser, unresolved, {_NAME: name})
