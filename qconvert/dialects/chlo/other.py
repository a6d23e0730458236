"""Constants and the largest elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import BoolAttr, FloatAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
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

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.chlo.base import ChloOp
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import integer
from qconvert.dialects.stablehlo.syntax import parse_assignment
from qconvert.ir import (
    ElementsAttr,
    Tensor,
    element_type,
    i32,
    is_float,
    shape,
    tensor,
    tensor_type,
    with_shape,
)
from qconvert.support.errors import ConversionError


@irdl_op_definition
class ConstantOp(InferredOp, ChloOp):
    """A constant."""

    name = "chlo.constant"
    value = prop_def(ElementsAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, value: ElementsAttr) -> None:
        super().__init__(properties={"value": value})

    def infer(self) -> Tensor:
        """Return the value's type."""
        return self.value.type

    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Write StableHLO's constant."""
        return [build.constant(self.value.array, self.value.type.element_type)]

    def print(self, printer: Printer) -> None:
        """Print ``{attributes} dense<..> : type``."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        if not isinstance(value, ElementsAttr):
            parser.raise_error("a constant of elements is needed")
        return cls.create(properties={"value": value}, result_types=[value.type], attributes=attributes)


@irdl_op_definition
class ConstantLikeOp(InferredOp, ChloOp):
    """One number in the operand's shape."""

    name = "chlo.constant_like"
    operand = operand_def(TensorType)
    value = prop_def(AnyAttr())
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, value: FloatAttr | IntegerAttr) -> None:
        super().__init__(operands=[operand], properties={"value": value})

    @property
    def number(self) -> FloatAttr | IntegerAttr:
        """The number with its type; raises ConversionError for another attribute."""
        if not isinstance(self.value, FloatAttr | IntegerAttr):
            raise ConversionError(f"the value {self.value} is not a number")
        return self.value

    def infer(self) -> Tensor:
        """Return the operand's shape with elements of the number's type."""
        return tensor_type(self.number.type, shape(self.operand))

    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Write a constant."""
        return [build.filled(self.number.value.data, self.number.type, shape(self.operand))]


@irdl_op_definition
class TopKOp(InferredOp, ChloOp):
    """The ``k`` largest elements along the last dimension, in order, and their indices."""

    name = "chlo.top_k"
    operand = operand_def(TensorType)
    k = prop_def(IntegerAttr)
    is_stable = opt_prop_def(BoolAttr)
    values = result_def(TensorType)
    indices = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, k: int) -> None:
        kept = with_shape(tensor(operand), [*shape(operand)[:-1], k])
        IRDLOperation.__init__(
            self,
            operands=[operand],
            properties={"k": integer(k)},
            result_types=[kept, tensor_type(i32, kept.get_shape())],
        )

    def infer(self) -> Tensor:
        """Return the type of the values: ``k`` of each last dimension."""
        sizes, count = shape(self.operand), self.k.value.data
        if not sizes or not 0 <= count <= sizes[-1]:
            raise ConversionError(f"the {count} largest elements along the last dimension of {sizes}")
        return with_shape(tensor(self.operand), [*sizes[:-1], count])

    def verify_(self) -> None:
        """Check that there are k elements, and that indices are i32."""
        super().verify_()
        expected = tensor_type(i32, shape(self.values))
        check(self.indices.type == expected, self.name, "indices of type {}", self.indices.type)

    def print(self, printer: Printer) -> None:
        """Print ``(%a, k = 8) : type -> (type, type)``."""
        with printer.in_parens():
            printer.print_operand(self.operand)
            printer.print_string(f", k = {self.k.value.data}")
            if self.is_stable is not None:
                printer.print_string(f", is_stable = {str(bool(self.is_stable.value.data)).lower()}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(self.result_types, printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        properties: dict[str, Attribute] = {}
        parser.parse_punctuation("(")
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        parse_assignment(parser, "k")
        properties["k"] = integer(parser.parse_integer(allow_boolean=False))
        if parser.parse_optional_punctuation(",") is not None:
            parse_assignment(parser, "is_stable")
            properties["is_stable"] = BoolAttr.from_bool(parser.parse_boolean())
        parser.parse_punctuation(")")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        parser.parse_punctuation("->")
        results = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        operands = parser.resolve_operands([operand], [type], parser.pos)
        return cls.create(operands=operands, properties=properties, attributes=attributes, result_types=results)

    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Write as a stable sort of elements and indices, largest first, and slices."""
        sizes = shape(self.operand)
        places = build.add(stablehlo.IotaOp(tensor_type(i32, sizes), len(sizes) - 1))
        op = stablehlo.SortOp([self.operand, places], len(sizes) - 1, _descending(element_type(self.operand)))
        build.add(op)
        limits = [*sizes[:-1], self.k.value.data]
        return [build.add(stablehlo.SliceOp(found, [0] * len(sizes), limits)) for found in op.results]


def _descending(element: Attribute) -> Region:
    """Return the comparator of elements with indices that puts the largest element first."""
    types = [TensorType(element, ())] * 2 + [TensorType(i32, ())] * 2
    block = Block(arg_types=types)
    compare = stablehlo.CompareOp(block.args[0], block.args[1], stablehlo.ComparisonDirection.GT)
    if is_float(element):
        compare.properties["compare_type"] = stablehlo.ComparisonTypeAttr(stablehlo.ComparisonType.TOTALORDER)
    block.add_ops([compare, stablehlo.ReturnOp(compare.result)])
    return Region(block)
