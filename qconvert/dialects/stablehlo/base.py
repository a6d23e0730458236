"""What the families of the dialect share: the elementwise shape rule, integer-list properties, one-type syntax."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Sequence
from typing import Self, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.quant import UniformQuantizedType
from qconvert.dialects.types import Tensor, tensor
from qconvert.errors import ConversionError


def integers(values: Iterable[int]) -> DenseArrayBase:
    """``array<i64: ...>``, the form of every list of integers in StableHLO."""
    return DenseArrayBase.from_list(i64, list(values))


def integer(value: int) -> IntegerAttr:
    """An i64 attribute."""
    return IntegerAttr(value, i64)


def as_tuple(attribute: DenseArrayBase | None, default: Sequence[int] = ()) -> tuple[int, ...]:
    """The integers of an ``array<i64: ...>``, or the default where it is absent."""
    if attribute is None:
        return tuple(default)
    return cast("tuple[int, ...]", attribute.get_values())


def same_shape(*values: SSAValue) -> tuple[int, ...]:
    """The one shape that elementwise operands must share; raises ConversionError where they differ."""
    shapes = [tensor(value).get_shape() for value in values]
    if any(shape != shapes[0] for shape in shapes):
        listed = ", ".join("x".join(map(str, shape)) or "scalar" for shape in shapes)
        raise ConversionError(f"operands of an elementwise op must have one shape, found {listed}")
    return shapes[0]


def elementwise_type(operands: Sequence[SSAValue], element: Attribute | None) -> Tensor:
    """The result type of an elementwise op: the operands' shape with ``element`` or the first operand's element."""
    shape = same_shape(*operands)
    return TensorType(element or tensor(operands[0]).element_type, shape)


def permuted_axis(element: Attribute, permutation: Sequence[int]) -> Attribute:
    """A per-axis element type whose quantization dimension follows a transpose; other types are unchanged."""
    if isinstance(element, UniformQuantizedType) and element.quantization_dimension is not None:
        return element.with_axis(list(permutation).index(element.quantization_dimension))
    return element


def check(condition: bool, constraint: str, message: str) -> None:
    """Raise VerifyException naming the specification's constraint, such as ``dot_general (C14)``, unless it holds."""
    if not condition:
        raise VerifyException(f"{constraint}: {message}")


class ElementwiseOp(IRDLOperation, ABC):
    """An op on tensors of one shape, with the syntax ``op %a, %b {attributes} : type``.

    One type stands for all where operands and result agree, otherwise ``(types) -> type``.
    """

    def print(self, printer: Printer) -> None:
        """Print the short form where it says everything."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if all(operand.type == self.results[0].type for operand in self.operands):
            printer.print_attribute(self.results[0].type)
        else:
            printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read either form."""
        unresolved = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        inputs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        if inputs is None:
            result = parser.parse_type()
            inputs = [result] * len(unresolved)
        else:
            parser.parse_punctuation("->")
            result = parser.parse_type()
        operands = parser.resolve_operands(unresolved, inputs, parser.pos)
        return cls.create(operands=operands, result_types=[result], attributes=attributes)
