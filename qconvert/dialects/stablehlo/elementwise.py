"""Elementwise ops with attributes or checks, and the bases of the ops in ``unary.py`` and ``binary.py``.

Source: StableHLO's specification. A quantized elementwise op means dequantize, the float op, quantize (section
"Quantization computations").
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import TensorType
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
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from qconvert.dialects.op_checks import check, check_expressed
from qconvert.dialects.stablehlo.base import SameShapeOp, same_shape
from qconvert.dialects.stablehlo.constraints import ANALYTIC, Kind, Listed, bits, check_baseline, cited
from qconvert.dialects.stablehlo.syntax import SameTypeClauseOp, create, print_operands, print_signature
from qconvert.dialects.traits import Clamps, ComputesReals, Conversion, Elementwise, Layer, NotIn, TakesElements
from qconvert.ir import (
    Tensor,
    element_type,
    i1,
    is_complex,
    is_quantized_element,
    shape,
    storage_element,
    tensor,
    tensor_type,
)


class ElementwiseOp(SameShapeOp, SameTypeClauseOp, ABC):
    """The base of ops on tensors of one shape, with the syntax ``op %a, %b {attributes} : type``.

    The text has one type if operands and result agree, otherwise ``(types) -> type``.
    """

    traits = traits_def(Pure(), Elementwise(), ComputesReals())
    PER_AXIS: ClassVar[bool] = False


def _like(operand: SSAValue, element: Attribute | None) -> Tensor:
    """Return the type of a result with the shape of an operand and, unless another is given, its elements."""
    found = tensor(operand)
    return tensor_type(element or found.element_type, found.get_shape())


class UnaryOp(ElementwiseOp, ABC):
    """``result[i] = f(operand[i])``; shapes equal."""

    KINDS: ClassVar[Sequence[Kind]] = ANALYTIC
    BASELINE: ClassVar[str] = "C1"
    traits = traits_def(NotIn("its integers need a table", Layer.RESCALE, Layer.PUSH))

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, operand: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[operand], result=_like(operand, element))


class BinaryOp(ElementwiseOp, ABC):
    """``result[i] = f(lhs[i], rhs[i])``; shapes equal."""

    BASELINE: ClassVar[str] = "C1"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[lhs, rhs], result=_like(lhs, element))


class ElementCastOp(UnaryOp, ABC):
    """The base of changes of the element type; each op checks which element types go together."""

    KINDS: ClassVar[Sequence[Kind]] = tuple(Kind)
    PER_AXIS: ClassVar[bool] = True
    BASELINE: ClassVar[str] = ""


@irdl_op_definition
class ConvertOp(ElementCastOp):
    """The conversion to another element type, of floats to integers by truncation; not for quantized types."""

    name = "stablehlo.convert"
    traits = traits_def(Conversion())

    def verify_elements(self) -> None:
        """Check that no value is quantized: ``uniform_quantize`` and ``uniform_dequantize`` convert those."""
        if any(is_quantized_element(tensor(value).element_type) for value in (self.operand, self.result)):
            raise VerifyException(f"{self.name} (I1): neither side may be quantized")


@irdl_op_definition
class BitcastConvertOp(ElementCastOp):
    """The same bits read as another type: for quantized types, another scale over the same integers.

    The IR's form of the op keeps the number of bits of an element, hence the shape.
    """

    name = "stablehlo.bitcast_convert"
    traits = traits_def(Conversion())

    def verify_elements(self) -> None:
        """Check that the numbers of bits agree."""
        before, after = (storage_element(tensor(value).element_type) for value in (self.operand, self.result))
        if bits(before) != bits(after):
            raise VerifyException(f"{self.name} (C1): {before} and {after} differ in width")
        check(is_complex(before) == is_complex(after), f"{self.name} (C2)", "{} and {}", before, after)

    def print_types(self, printer: Printer) -> None:
        """Print both types, also where they are equal: StableHLO's parser asks for them."""
        print_signature(printer, self)


class ComparisonDirection(StrEnum):
    """Directions of a comparison."""

    EQ = "EQ"
    NE = "NE"
    GE = "GE"
    GT = "GT"
    LE = "LE"
    LT = "LT"


class ComparisonType(StrEnum):
    """Orders in which ``compare`` compares."""

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
    traits = traits_def(NotIn("its result is not a number", Layer.FUSION, Layer.PUSH, Layer.KERNELS))

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    comparison_direction = prop_def(ComparisonDirectionAttr)
    compare_type = opt_prop_def(ComparisonTypeAttr)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue, rhs: SSAValue, direction: ComparisonDirection) -> None:
        super().__init__(operands=[lhs, rhs], properties={"comparison_direction": ComparisonDirectionAttr(direction)})

    def infer(self) -> Tensor:
        """Return the operands' shape with elements of i1."""
        return tensor_type(i1, same_shape(*self.operands))

    def verify_elements(self) -> None:
        """Check that the operands stand for values of one type."""
        check_expressed(self.name, self.operands)

    def verify_quantized(self) -> None:
        """Check that the operands differ at most in scales and zero points (C1)."""
        super().verify_quantized()
        check_baseline(self, "C1", self.operands)

    def print(self, printer: Printer) -> None:
        """Print ``LT, %a, %b, FLOAT : (type, type) -> type``."""
        printer.print_string(f" {self.comparison_direction.data}, ")
        printer.print_list(self.operands, printer.print_operand)
        if self.compare_type is not None:
            printer.print_string(f", {self.compare_type.data}")
        print_signature(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        direction = parser.parse_str_enum(ComparisonDirection)
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        properties: dict[str, Attribute] = {"comparison_direction": ComparisonDirectionAttr(direction)}
        if parser.parse_optional_punctuation(",") is not None:
            properties["compare_type"] = ComparisonTypeAttr(parser.parse_str_enum(ComparisonType))
        return create(cls, parser, [lhs, rhs], properties)


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
        super().__init__(operands=[pred, on_true, on_false], result=tensor_type(element_type(on_true), ()))

    def infer(self) -> Tensor:
        """Return the values' shape, which ``pred`` has or is a scalar (C1), with the result's elements."""
        predicates = [self.pred] if shape(self.pred) else []
        return tensor_type(element_type(self.result), same_shape(self.on_true, self.on_false, *predicates))

    def verify_elements(self) -> None:
        """Check that the values stand for one type, and that ``pred`` is i1."""
        check_expressed(self.name, (self.on_true, self.on_false, self.result))
        found = self.pred.type
        check(element_type(self.pred) == i1, self.name, "a tensor of i1 is needed, found {}", found)

    def verify_quantized(self) -> None:
        """Check that the values differ at most in scales and zero points (C2)."""
        super().verify_quantized()
        check_baseline(self, "C2", (self.on_true, self.on_false, self.result))
        # stricter than the specification, which allows different parameters
        values = (self.on_true, self.on_false)
        same = element_type(self.on_true) == element_type(self.on_false)
        check(same, cited(self, "C2"), "StableHLO's verifier requires equal parameters, found {}", Listed(values))

    def print(self, printer: Printer) -> None:
        """Print ``%p, %a, %b : pred type, value type``."""
        print_operands(printer, self)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.on_true.type == self.on_false.type == self.result.type:
            printer.print_list((self.pred.type, self.result.type), printer.print_attribute)
        else:
            printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
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
        super().__init__(operands=[min, operand, max], result=tensor_type(element_type(operand), ()))

    def infer(self) -> Tensor:
        """Return the operand's shape, which bounds have or are scalars (C1, C2), with the result's elements."""
        bounds = [bound for bound in (self.min, self.max) if shape(bound)]
        return tensor_type(element_type(self.result), same_shape(self.operand, *bounds))

    def verify_quantized(self) -> None:
        """Check that operands (C3), and operand and result (C4), differ in scales and zero points at most."""
        super().verify_quantized()
        check_baseline(self, "C3", self.operands)
        check_baseline(self, "C4", (self.operand, self.result))
