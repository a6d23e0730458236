"""Complex numbers: their making, their parts, and the Fourier transform.

Source: StableHLO's specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import AnyFloat, ComplexType, DenseArrayBase, TensorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp, as_tuple, integers
from qconvert.dialects.stablehlo.constraints import Kind
from qconvert.dialects.stablehlo.elementwise import BinaryOp, UnaryOp
from qconvert.dialects.stablehlo.syntax import (
    create,
    parse_assignment,
    parse_integers,
    print_integers,
    print_operands,
    print_signature,
)
from qconvert.dialects.traits import ComputesReals
from qconvert.ir import Tensor, complex_part, element_type, f32, f64, is_complex, shape, tensor, tensor_type
from qconvert.support.errors import ConversionError


def complex_of(part: Attribute) -> Attribute:
    """Return the complex numbers with parts of a type; raises ConversionError for another type than f32 and f64."""
    if not isinstance(part, AnyFloat) or part not in (f32, f64):
        raise ConversionError(f"there are no complex numbers of {part}")
    return ComplexType(part)


@irdl_op_definition
class ComplexOp(BinaryOp):
    """The complex numbers with these real and imaginary parts."""

    name = "stablehlo.complex"
    KINDS: ClassVar[Sequence[Kind]] = (Kind.FLOAT,)
    BASELINE: ClassVar[str] = ""

    def infer(self) -> Tensor:
        """Return the operands' shape with complex elements of the operands' type (C2, C3)."""
        return tensor_type(complex_of(element_type(self.lhs)), super().infer().get_shape())

    def verify_elements(self) -> None:
        """Check that both operands have one type (C1)."""
        check(self.lhs.type == self.rhs.type, f"{self.name} (C1)", "{} and {} differ", self.lhs.type, self.rhs.type)

    def print_types(self, printer: Printer) -> None:
        """Print the result's type, which tells the operands'."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        unresolved = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        start = parser.pos
        types: Sequence[Attribute] | None = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        if types is not None:
            parser.parse_punctuation("->")
        result = parser.parse_type()
        if types is None:
            if not isinstance(result, TensorType):
                parser.raise_error("a tensor of complex numbers is needed here", start)
            types = [tensor_type(complex_part(result.element_type), result.get_shape())] * len(unresolved)
        operands = parser.resolve_operands(unresolved, types, start)
        return cls.create(operands=operands, result_types=[result], attributes=attributes)


class PartOp(UnaryOp):
    """The base of the parts of complex numbers; a float is its own real part."""

    KINDS: ClassVar[Sequence[Kind]] = (Kind.FLOAT, Kind.COMPLEX)
    BASELINE: ClassVar[str] = ""

    def infer(self) -> Tensor:
        """Return the operand's shape (C1) with elements of the parts' type (C2)."""
        return tensor_type(complex_part(element_type(self.operand)), shape(self.operand))

    def verify_elements(self) -> None:
        """Accept operand and result of different types."""


@irdl_op_definition
class RealOp(PartOp):
    name = "stablehlo.real"


@irdl_op_definition
class ImagOp(PartOp):
    name = "stablehlo.imag"


class FftType(StrEnum):
    """Fourier transforms: forward, backward, and both for real numbers, half of whose transform is redundant."""

    FFT = "FFT"
    IFFT = "IFFT"
    RFFT = "RFFT"
    IRFFT = "IRFFT"


@irdl_attr_definition
class FftTypeAttr(EnumAttribute[FftType], SpacedOpaqueSyntaxAttribute):
    """``#stablehlo<fft_type RFFT>``."""

    name = "stablehlo.fft_type"


@irdl_op_definition
class FftOp(InferredOp, StableHLOOp):
    """The Fourier transform along the last dimensions, one for each length."""

    name = "stablehlo.fft"
    KINDS: ClassVar[Sequence[Kind]] = (Kind.FLOAT, Kind.COMPLEX)
    operand = operand_def(TensorType)
    fft_type = prop_def(FftTypeAttr)
    fft_length = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), ComputesReals())

    def __init__(self, operand: SSAValue, kind: FftType, lengths: Sequence[int]) -> None:
        super().__init__(
            operands=[operand], properties={"fft_type": FftTypeAttr(kind), "fft_length": integers(lengths)}
        )

    @property
    def kind(self) -> FftType:
        """The transform."""
        return self.fft_type.data

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths along the last dimensions."""
        return as_tuple(self.fft_length)

    def infer(self) -> Tensor:
        """Return the operand's type, complex or real as the transform asks (C2), with the last size changed (C5)."""
        type, element = tensor(self.operand), element_type(self.operand)
        sizes, lengths = type.get_shape(), self.lengths
        if not 1 <= len(lengths) <= 3 or len(lengths) > len(sizes):
            raise ConversionError(f"(C1, C3) {len(lengths)} lengths for a tensor of rank {len(sizes)}")
        if is_complex(element) is (self.kind is FftType.RFFT):
            raise ConversionError(f"(C2) {self.kind} of elements of {element}")
        half = (*lengths[:-1], lengths[-1] // 2 + 1)
        needed = half if self.kind is FftType.IRFFT else lengths
        if sizes[-1] and sizes[len(sizes) - len(lengths) :] != needed:
            raise ConversionError(f"(C4, C5) {self.kind} of lengths {list(lengths)} along {list(sizes)}")
        outer = sizes[: len(sizes) - len(lengths)]
        if self.kind is FftType.RFFT:
            return tensor_type(complex_of(element), (*outer, *(half if sizes[-1] else sizes[-len(lengths) :])))
        if self.kind is FftType.IRFFT:
            return tensor_type(complex_part(element), (*outer, *lengths))
        return type

    def print(self, printer: Printer) -> None:
        """Print ``%a, type = FFT, length = [16] : types``."""
        print_operands(printer, self)
        printer.print_string(f", type = {self.kind}, length = ")
        print_integers(printer, self.lengths)
        print_signature(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        parse_assignment(parser, "type")
        kind = FftTypeAttr(parser.parse_str_enum(FftType))
        parser.parse_punctuation(",")
        parse_assignment(parser, "length")
        lengths = integers(parse_integers(parser))
        return create(cls, parser, [operand], {"fft_type": kind, "fft_length": lengths})
