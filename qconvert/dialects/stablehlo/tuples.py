"""Ops that do not compute: tuples, and the barrier that stops an optimizer from moving code across it.

Source: StableHLO's specification. MLIR returns several results instead of a tuple; old programs do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import I32, ArrayAttr, IntegerAttr, TupleType, i32
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.syntax import (
    create,
    parse_operands,
    parse_typed_operands,
    print_operands,
    print_signature,
    print_typed_operands,
)
from qconvert.dialects.traits import HandsOn


def members(value: SSAValue) -> tuple[Attribute, ...]:
    """Return the types of a tuple's values; raises VerifyException if the value is not a tuple."""
    check(isinstance(value.type, TupleType), "tuple", "a tuple is needed here, found {}", value.type)
    assert isinstance(value.type, TupleType)
    return tuple(value.type.types.data)


@irdl_op_definition
class TupleOp(StableHLOOp):
    """Several values as one."""

    name = "stablehlo.tuple"
    val = var_operand_def()
    result = result_def(TupleType)
    traits = traits_def(Pure())

    def __init__(self, values: Sequence[SSAValue]) -> None:
        types = [value.type for value in values if isinstance(value.type, TypeAttribute)]
        type = TupleType(ArrayAttr(types))
        super().__init__(operands=[list(values)], result_types=[type])

    def verify_(self) -> None:
        """Check that the tuple's types are the values' (C1)."""
        same = members(self.result) == tuple(self.operand_types)
        check(same, f"{self.name} (C1)", "found {}", self.result.type)

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b : tuple<types>``."""
        print_operands(printer, self)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        unresolved = parse_operands(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        start = parser.pos
        type = parser.parse_type()
        if not isinstance(type, TupleType):
            parser.raise_error(f"a tuple is needed here, found {type}", start)
        operands = parser.resolve_operands(unresolved, type.types.data, start)
        return cls.create(operands=operands, result_types=[type], attributes=attributes)


@irdl_op_definition
class GetTupleElementOp(StableHLOOp):
    """A value of a tuple."""

    name = "stablehlo.get_tuple_element"
    operand = operand_def(TupleType)
    index = prop_def(IntegerAttr[I32])
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, index: int) -> None:
        super().__init__(
            operands=[operand], properties={"index": IntegerAttr(index, i32)}, result_types=[members(operand)[index]]
        )

    def verify_(self) -> None:
        """Check that the index is one of the tuple's (C1), and that the result has the type at this index (C2)."""
        types, index = members(self.operand), self.index.value.data
        check(0 <= index < len(types), f"{self.name} (C1)", f"index {index} of {len(types)} values")
        check(self.result.type == types[index], f"{self.name} (C2)", "{} is not {}", self.result.type, types[index])

    def print(self, printer: Printer) -> None:
        """Print ``%a[0] : (type) -> type``."""
        print_operands(printer, self)
        printer.print_string(f"[{self.index.value.data}]")
        print_signature(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation("[")
        index = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation("]")
        return create(cls, parser, [operand], {"index": IntegerAttr(index, i32)})


@irdl_op_definition
class OptimizationBarrierOp(StableHLOOp):
    """The operands, unchanged; uses of the results are computed after all operands."""

    name = "stablehlo.optimization_barrier"
    PER_AXIS: ClassVar[bool] = False
    traits = traits_def(HandsOn())
    inputs = var_operand_def()
    results_ = var_result_def()

    def __init__(self, values: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(values)], result_types=[[value.type for value in values]])

    def verify_(self) -> None:
        """Check that the types do not change (C1)."""
        same = list(self.operand_types) == list(self.result_types)
        check(same, f"{self.name} (C1)", "results have other types than the operands")

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b : types``."""
        print_typed_operands(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        operands, attributes = parse_typed_operands(parser)
        return cls.create(operands=operands, result_types=[value.type for value in operands], attributes=attributes)
