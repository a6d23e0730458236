"""Elementwise ops with content of their own, and the bases of those in ``unary.py`` and ``binary.py``.

Source: StableHLO's specification. A quantized elementwise op means dequantize, the float op, quantize (section
"Quantization computations").
"""

from __future__ import annotations

from abc import ABC
from typing import Self

from xdsl.dialects.builtin import FixedBitwidthType, TensorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from qconvert.dialects.stablehlo.base import ElementwiseOp, check_expressed, elementwise_type, same_shape
from qconvert.dialects.traits import Clamps, Conversion, Layer, NotIn, TakesElements
from qconvert.ir.quant import is_quantized_element
from qconvert.ir.types import i1, shape, storage_element, tensor


class UnaryOp(ElementwiseOp, ABC):
    """``result[i] = f(operand[i])``; shapes equal."""

    traits = traits_def(NotIn("its integers need a table", Layer.RESCALE, Layer.PUSH))

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, operand: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[operand], result_types=[elementwise_type([operand], element)])


class BinaryOp(ElementwiseOp, ABC):
    """``result[i] = f(lhs[i], rhs[i])``; shapes equal."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[elementwise_type([lhs, rhs], element)])


@irdl_op_definition
class ConvertOp(UnaryOp):
    """Changes the element type, float to integer by truncation; not for quantized types."""

    name = "stablehlo.convert"
    traits = traits_def(Conversion())

    def verify_(self) -> None:
        """Shapes agree; quantized values are converted by ``uniform_quantize`` and ``uniform_dequantize`` only."""
        self.check_shapes(self.operands)
        if any(is_quantized_element(tensor(value).element_type) for value in (self.operand, self.result)):
            raise VerifyException(f"{self.name} (I1): neither side may be quantized")


@irdl_op_definition
class BitcastConvertOp(UnaryOp):
    """Reads the same bits as another type: for quantized types, another scale over the same integers.

    Our part of the op keeps the number of bits of an element, hence the shape.
    """

    name = "stablehlo.bitcast_convert"
    traits = traits_def(Conversion())

    def verify_(self) -> None:
        """Shapes and numbers of bits agree."""
        self.check_shapes(self.operands)
        before, after = (storage_element(tensor(value).element_type) for value in (self.operand, self.result))
        if bits(before) != bits(after):
            raise VerifyException(f"{self.name} (C1): {before} and {after} differ in width")


def bits(element: Attribute) -> int:
    """The number of bits of a float or integer element."""
    return element.bitwidth if isinstance(element, FixedBitwidthType) else 0


class ComparisonDirection(StrEnum):
    """How ``compare`` compares."""

    EQ = "EQ"
    NE = "NE"
    GE = "GE"
    GT = "GT"
    LE = "LE"
    LT = "LT"


class ComparisonType(StrEnum):
    """The order a comparison is made in."""

    FLOAT = "FLOAT"
    TOTALORDER = "TOTALORDER"
    SIGNED = "SIGNED"
    UNSIGNED = "UNSIGNED"
    NOTYPE = "NOTYPE"


@irdl_attr_definition
class ComparisonDirectionAttr(EnumAttribute[ComparisonDirection], SpacedOpaqueSyntaxAttribute):
    """``#stablehlo<comparison_direction LT>``."""

    name = "stablehlo.comparison_direction"


@irdl_attr_definition
class ComparisonTypeAttr(EnumAttribute[ComparisonType], SpacedOpaqueSyntaxAttribute):
    """``#stablehlo<comparison_type FLOAT>``."""

    name = "stablehlo.comparison_type"


@irdl_op_definition
class CompareOp(ElementwiseOp):
    """``result[i] = lhs[i] <direction> rhs[i]`` as i1."""

    name = "stablehlo.compare"
    traits = traits_def(NotIn("its result is no number", Layer.FUSION, Layer.PUSH, Layer.KERNELS))

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    comparison_direction = prop_def(ComparisonDirectionAttr)
    compare_type = opt_prop_def(ComparisonTypeAttr)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue, rhs: SSAValue, direction: ComparisonDirection) -> None:
        super().__init__(
            operands=[lhs, rhs],
            result_types=[elementwise_type([lhs, rhs], i1)],
            properties={"comparison_direction": ComparisonDirectionAttr(direction)},
        )

    def verify_(self) -> None:
        """Shapes agree, the operands stand for values of one type, the result is i1."""
        self.check_shapes(self.operands)
        check_expressed(self.name, self.operands)
        _check_boolean(self.name, self.result)

    def print(self, printer: Printer) -> None:
        """``LT, %a, %b, FLOAT : (type, type) -> type``."""
        printer.print_string(f" {self.comparison_direction.data}, ")
        printer.print_list(self.operands, printer.print_operand)
        if self.compare_type is not None:
            printer.print_string(f", {self.compare_type.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read what ``print`` writes."""
        direction = parser.parse_str_enum(ComparisonDirection)
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        properties: dict[str, Attribute] = {"comparison_direction": ComparisonDirectionAttr(direction)}
        if parser.parse_optional_punctuation(",") is not None:
            properties["compare_type"] = ComparisonTypeAttr(parser.parse_str_enum(ComparisonType))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        function_type = parser.parse_function_type()
        operands = parser.resolve_operands([lhs, rhs], function_type.inputs.data, parser.pos)
        return cls.create(
            operands=operands, result_types=function_type.outputs.data, properties=properties, attributes=attributes
        )


@irdl_op_definition
class SelectOp(ElementwiseOp):
    """``result[i] = pred[i] ? on_true[i] : on_false[i]``; ``pred`` has the same shape or is a scalar."""

    name = "stablehlo.select"
    traits = traits_def(TakesElements())

    pred = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue) -> None:
        same_shape(on_true, on_false)
        super().__init__(operands=[pred, on_true, on_false], result_types=[tensor(on_true)])

    def verify_(self) -> None:
        """The values have one shape and stand for one type; ``pred`` is i1, a scalar or of that shape (C1)."""
        self.check_shapes([value for value in self.operands if value is not self.pred or shape(value)])
        check_expressed(self.name, (self.on_true, self.on_false, self.result))
        _check_boolean(self.name, self.pred)

    def print(self, printer: Printer) -> None:
        """``%p, %a, %b : pred type, value type``."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.on_true.type == self.on_false.type == self.result.type:
            printer.print_list((self.pred.type, self.result.type), printer.print_attribute)
        else:
            printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read what ``print`` writes."""
        unresolved = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        if types is None:
            pred = parser.parse_type()
            parser.parse_punctuation(",")
            result = parser.parse_type()
            types = [pred, result, result]
        else:
            parser.parse_punctuation("->")
            result = parser.parse_type()
        operands = parser.resolve_operands(unresolved, types, parser.pos)
        return cls.create(operands=operands, result_types=[result], attributes=attributes)


@irdl_op_definition
class ClampOp(ElementwiseOp):
    """``result[i] = minimum(maximum(operand[i], min), max)``; the bounds have the same shape or are scalars."""

    name = "stablehlo.clamp"
    traits = traits_def(Clamps())

    min = operand_def(TensorType)
    operand = operand_def(TensorType)
    max = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, min: SSAValue, operand: SSAValue, max: SSAValue) -> None:
        super().__init__(operands=[min, operand, max], result_types=[tensor(operand)])

    def verify_(self) -> None:
        """Bounds are scalars or of the operand's shape (C1, C2); all stand for values of one type."""
        self.check_shapes([self.operand, *(value for value in (self.min, self.max) if shape(value))])
        check_expressed(self.name, (*self.operands, self.result))


def _check_boolean(name: str, value: SSAValue) -> None:
    if tensor(value).element_type != i1:
        raise VerifyException(f"{name}: a tensor of i1 is needed, found {value.type}")
