"""Control flow: ``return``, ``if``, ``case`` and ``while``; their regions use values of the surrounding code.

Source: StableHLO's specification.
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.syntax import parse_typed_operands, print_typed_operands
from qconvert.dialects.traits import HandsOn
from qconvert.ir import i1, i32


@irdl_op_definition
class ReturnOp(StableHLOOp):
    """The terminator of a region, with the region's results as operands."""

    name = "stablehlo.return"
    results_ = var_operand_def(TensorType)
    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b : type, type``."""
        print_typed_operands(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        operands, attributes = parse_typed_operands(parser)
        return cls.create(operands=operands, attributes=attributes)


def _returned(region: Region) -> list[Attribute]:
    last = region.block.last_op
    return [] if last is None else list(last.operand_types)


def _check_branch(op: IRDLOperation, constraint: str, branch: Region) -> None:
    """Check that a branch takes no arguments and returns the types of the op's results."""
    name = f"{op.name} ({constraint})"
    check(len(branch.blocks) == 1 and not branch.block.args, name, "a branch must be one block without arguments")
    found = ", ".join(map(str, _returned(branch)))
    expected = ", ".join(map(str, op.result_types))
    check(found == expected, name, "a branch returns ({}), expected ({})", found, expected)


@irdl_op_definition
class IfOp(StableHLOOp):
    """The results of one of two branches, which a boolean selects."""

    name = "stablehlo.if"
    traits = traits_def(HandsOn())
    pred = operand_def(TensorType)
    true_branch = region_def()
    false_branch = region_def()
    results_ = var_result_def(AnyAttr())

    def verify_(self) -> None:
        """Check that a scalar boolean chooses (I1) between branches of the results' types (C1 to C3)."""
        check(self.pred.type == TensorType(i1, ()), f"{self.name} (I1)", "a predicate of type {}", self.pred.type)
        for branch in self.regions:
            _check_branch(self, "C2", branch)


@irdl_op_definition
class CaseOp(StableHLOOp):
    """The results of the branch with a given number, or of the last branch for a number without a branch."""

    name = "stablehlo.case"
    traits = traits_def(HandsOn())
    index = operand_def(TensorType)
    branches = var_region_def()
    results_ = var_result_def(AnyAttr())

    def verify_(self) -> None:
        """Check that a scalar i32 chooses (I1) between branches (C1) of the results' types (C2 to C4)."""
        check(self.index.type == TensorType(i32, ()), f"{self.name} (I1)", "an index of type {}", self.index.type)
        check(bool(self.branches), f"{self.name} (C1)", "there are no branches")
        for branch in self.branches:
            _check_branch(self, "C2", branch)


@irdl_op_definition
class WhileOp(StableHLOOp):
    """A loop that applies ``body`` to its own results while ``cond`` returns true."""

    name = "stablehlo.while"
    traits = traits_def(HandsOn())
    inputs = var_operand_def(AnyAttr())
    cond = region_def()
    body = region_def()
    results_ = var_result_def(AnyAttr())

    def verify_(self) -> None:
        """Check that both regions take the operands; ``cond`` gives a boolean (C1), ``body`` their types (C2, C3)."""
        types = list(self.operand_types)
        for region in self.regions:
            check(len(region.blocks) == 1, self.name, "a region must be one block")
            check(list(region.block.arg_types) == types, f"{self.name} (C1)", "a region must take the operands' types")
        check(_returned(self.cond) == [TensorType(i1, ())], f"{self.name} (C1)", "the condition must be one boolean")
        check(_returned(self.body) == types, f"{self.name} (C2)", "the body must return the operands' types")
        check(list(self.result_types) == types, f"{self.name} (C3)", "the results must have the operands' types")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read ``(%arg = %init, ..) : types attributes {..} cond {..} do {..}``; it is written in generic form.

        Both regions name their arguments alike there.
        """
        pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_pair(parser))
        types: list[Attribute] = []
        if pairs:
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if len(types) != len(pairs):
            parser.raise_error(f"{len(types)} types for {len(pairs)} values")
        operands = parser.resolve_operands([operand for _, operand in pairs], types, parser.pos)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        arguments = [argument.resolve(type) for (argument, _), type in zip(pairs, types, strict=True)]
        parser.parse_keyword("cond")
        cond = parser.parse_region(arguments)
        parser.parse_keyword("do")
        return cls.create(
            operands=operands,
            result_types=types,
            attributes={} if attributes is None else dict(attributes.data),
            regions=[cond, parser.parse_region(arguments)],
        )


def _parse_pair(parser: Parser) -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
    """Parse ``%argument = %operand``."""
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand()
