"""``convolution`` and ``dot_general``: one shape rule each; attributes define the layout.

Source: StableHLO's specification. With quantized operands both accumulate in integers; here the result is usually the
32-bit accumulator itself (scale ``s_lhs * s_rhs``, zero point 0), requantized by a separate ``uniform_quantize``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import as_tuple, counts, integer, integers
from qconvert.dialects.stablehlo.constraints import cited
from qconvert.dialects.stablehlo.contraction_base import ContractionConstraints, ContractionOp
from qconvert.dialects.stablehlo.convolution_window import ConvolutionWindow, convolution_shape
from qconvert.dialects.stablehlo.dimension_numbers import (
    ConvDimensionNumbers,
    ConvDimensionNumbersAttr,
    DotDimensionNumbers,
    DotDimensionNumbersAttr,
    parse_conv_dimension_numbers,
)
from qconvert.dialects.stablehlo.syntax import (
    create,
    parse_assignment,
    parse_integers,
    print_integers,
    print_operands,
    print_signature,
)
from qconvert.dialects.stablehlo.window import padding_attribute, padding_pairs, some_padding
from qconvert.ir import ElementsAttr, Tensor, element_type, quantized, shape, tensor_type
from qconvert.support.errors import ConversionError


class Precision(StrEnum):
    """Precisions of a float contraction."""

    DEFAULT = "DEFAULT"
    HIGH = "HIGH"
    HIGHEST = "HIGHEST"


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    """``#stablehlo<precision HIGH>``."""

    name = "stablehlo.precision"


_WINDOW_LISTS = (("stride", "window_strides"), ("lhs_dilate", "lhs_dilation"), ("rhs_dilate", "rhs_dilation"))
DOT_CONSTRAINTS = ContractionConstraints("C13", "C18, RFC C17", "C20, RFC C18", "C14", "C17, RFC C16", "C19")
_PRINTED_PROPERTIES = ("batch_group_count", "feature_group_count", "precision_config")


@irdl_op_definition
class ConvolutionOp(ContractionOp):
    """The convolution over spatial dimensions; feature groups express grouped and depthwise convolutions."""

    name = "stablehlo.convolution"
    CONSTRAINTS: ClassVar[ContractionConstraints] = ContractionConstraints("C27", "C32", "C34", "C28", "C31", "C33")
    window_strides = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(ElementsAttr)
    lhs_dilation = opt_prop_def(DenseArrayBase)
    rhs_dilation = opt_prop_def(DenseArrayBase)
    window_reversal = opt_prop_def(DenseArrayBase)
    dimension_numbers = prop_def(ConvDimensionNumbersAttr)
    feature_group_count = prop_def(IntegerAttr)
    batch_group_count = prop_def(IntegerAttr)

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        dimension_numbers: ConvDimensionNumbers,
        window: ConvolutionWindow,
        *,
        feature_group_count: int = 1,
        element: Attribute | None = None,
    ) -> None:
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "window_strides": counts(window.strides),
                "padding": some_padding(window.padding),
                "lhs_dilation": counts(window.lhs_dilation),
                "rhs_dilation": counts(window.rhs_dilation),
                "dimension_numbers": ConvDimensionNumbersAttr(dimension_numbers),
                "feature_group_count": integer(feature_group_count),
                "batch_group_count": integer(1),
            },
            result=tensor_type(element or element_type(lhs), ()),
        )

    @property
    def numbers(self) -> ConvDimensionNumbers:
        """The roles of the dimensions."""
        return self.dimension_numbers.data

    @property
    def groups(self) -> int:
        """The number of feature groups."""
        return self.feature_group_count.value.data

    @property
    def batch_groups(self) -> int:
        """The number of groups of batches; each group has its own outputs."""
        return self.batch_group_count.value.data

    @property
    def window(self) -> ConvolutionWindow:
        """The window, with defaults for absent lists."""
        rank = len(self.numbers.input_spatial)
        return ConvolutionWindow.of(
            rank,
            strides=as_tuple(self.window_strides),
            padding=padding_pairs(self.padding, rank),
            lhs_dilation=as_tuple(self.lhs_dilation),
            rhs_dilation=as_tuple(self.rhs_dilation),
        )

    def infer(self) -> Tensor:
        """Return the sizes that dimension numbers, window and groups give (C1 to C26), with the result's elements."""
        groups = (self.groups, self.batch_groups)
        sizes = convolution_shape(shape(self.lhs), shape(self.rhs), self.numbers, self.window, *groups)
        return tensor_type(element_type(self.result), sizes)

    def verify_(self) -> None:
        """Check that the types fit, and that no window is reversed, which the IR does not support."""
        check(not any(as_tuple(self.window_reversal)), self.name, "a reversed window is not supported")
        super().verify_()

    def verify_quantized(self) -> None:
        """Check the quantization dimensions: the kernel's output features (C29), the result's features (C30)."""
        super().verify_quantized()
        rhs, result = quantized(self.rhs), quantized(self.result)
        features, outputs = self.numbers.kernel_output_feature, self.numbers.output_feature
        if rhs is not None and rhs.is_per_axis:
            found = "rhs must be quantized along its output features ({}), found {}"
            check(rhs.quantization_dimension == features, cited(self, "C29"), found, features, rhs)
        if result is not None and result.is_per_axis:
            found = "the result must be quantized along its features ({}), found {}"
            check(result.quantization_dimension == outputs, cited(self, "C30"), found, outputs, result)

    def print(self, printer: Printer) -> None:
        """Print ``(%a, %b) dim_numbers = [..]x[..]->[..], window = {stride = [..], ..} {..} : types``."""
        with printer.in_parens():
            printer.print_list(self.operands, printer.print_operand)
        printer.print_string(f" dim_numbers = {self.numbers}, window = ")
        with printer.in_braces():
            printer.print_string(", ".join(self._window_entries()))
        listed = {name: self.properties[name] for name in _PRINTED_PROPERTIES if name in self.properties}
        print_signature(printer, self, listed)

    def _window_entries(self) -> list[str]:
        entries = [(keyword, self.properties.get(name)) for keyword, name in _WINDOW_LISTS]
        lists = [(keyword, value) for keyword, value in entries if isinstance(value, DenseArrayBase)]
        texts = [f"{keyword} = {list(as_tuple(value))}" for keyword, value in lists]
        if self.padding is not None:
            pairs = [list(pair) for pair in padding_pairs(self.padding, 0)]
            texts.insert(int(self.window_strides is not None), f"pad = {pairs}")
        if self.window_reversal is not None:
            texts.append(f"reverse = {[bool(value) for value in as_tuple(self.window_reversal)]}".lower())
        return texts

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        unresolved = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        parse_assignment(parser, "dim_numbers")
        properties: dict[str, Attribute] = {
            "dimension_numbers": ConvDimensionNumbersAttr(parse_conv_dimension_numbers(parser))
        }
        parser.parse_punctuation(",")
        parse_assignment(parser, "window")
        parser.parse_comma_separated_list(parser.Delimiter.BRACES, lambda: _parse_window_entry(parser, properties))
        return create(cls, parser, unresolved, properties)


def _parse_window_entry(parser: Parser, properties: dict[str, Attribute]) -> None:
    keyword = parser.parse_identifier()
    parser.parse_punctuation("=")
    if keyword == "pad":
        pairs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_integers(parser))
        if any(len(pair) != 2 for pair in pairs):
            parser.raise_error("padding needs two numbers for each dimension")
        properties["padding"] = padding_attribute([(low, high) for low, high in pairs])
    elif keyword == "reverse":
        flags = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_boolean)
        properties["window_reversal"] = DenseArrayBase.from_list(i1, flags)
    elif (name := dict(_WINDOW_LISTS).get(keyword)) is not None:
        properties[name] = integers(parse_integers(parser))
    else:
        parser.raise_error(f"unknown window entry {keyword}")


@irdl_op_definition
class DotGeneralOp(ContractionOp):
    """The batched matrix product: result dimensions are batch, lhs free, rhs free."""

    name = "stablehlo.dot_general"
    CONSTRAINTS: ClassVar[ContractionConstraints] = DOT_CONSTRAINTS
    dot_dimension_numbers = prop_def(DotDimensionNumbersAttr)

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, numbers: DotDimensionNumbers, element: Attribute | None = None
    ) -> None:
        super().__init__(
            operands=[lhs, rhs],
            properties={"dot_dimension_numbers": DotDimensionNumbersAttr(numbers)},
            result=tensor_type(element or element_type(lhs), ()),
        )

    @property
    def numbers(self) -> DotDimensionNumbers:
        """The batch and contracting dimensions."""
        return self.dot_dimension_numbers.data

    def infer(self) -> Tensor:
        """Return the remaining sizes (C12) after pairing dimensions (C1 to C10), with the result's elements."""
        return tensor_type(element_type(self.result), dot_shape(shape(self.lhs), shape(self.rhs), self.numbers))

    def verify_quantized(self) -> None:
        """Check that rhs has zero point 0 (C15) and is not quantized along a contracted dimension (C16)."""
        super().verify_quantized()
        rhs = quantized(self.rhs)
        if rhs is not None:
            check(rhs.has_zero_zero_point, cited(self, "C15"), "rhs must have zero point 0, found {}", rhs)
            free = rhs.quantization_dimension not in self.numbers.rhs_contracting_dimensions
            found = "rhs is quantized along a contracted dimension: {}"
            check(not rhs.is_per_axis or free, cited(self, "C16"), found, rhs)

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [..] : types``."""
        print_operands(printer, self)
        numbers = self.numbers
        if numbers.lhs_batching_dimensions or numbers.rhs_batching_dimensions:
            _print_pair(printer, "batching_dims", numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions)
        _print_pair(printer, "contracting_dims", numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions)
        print_precision(printer, self.precision_config)
        print_signature(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        unresolved = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        unresolved.append(parser.parse_unresolved_operand())
        pairs: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        properties: dict[str, Attribute] = {}
        while parser.parse_optional_punctuation(",") is not None:
            keyword = parser.parse_identifier()
            parser.parse_punctuation("=")
            if keyword in ("batching_dims", "contracting_dims"):
                pairs[keyword] = _parse_pair(parser)
            elif keyword == "precision":
                properties["precision_config"] = parse_precision(parser)
            else:
                parser.raise_error(f"{keyword} of a dot_general is not supported")
        batching, contracting = (pairs.get(name, ((), ())) for name in ("batching_dims", "contracting_dims"))
        numbers = DotDimensionNumbers(*batching, *contracting)
        properties["dot_dimension_numbers"] = DotDimensionNumbersAttr(numbers)
        return create(cls, parser, unresolved, properties)


def _print_pair(printer: Printer, keyword: str, lhs: Sequence[int], rhs: Sequence[int]) -> None:
    printer.print_string(f", {keyword} = ")
    print_integers(printer, lhs)
    printer.print_string(" x ")
    print_integers(printer, rhs)


def _parse_pair(parser: Parser) -> tuple[tuple[int, ...], tuple[int, ...]]:
    lhs = tuple(parse_integers(parser))
    parser.parse_keyword("x")
    return lhs, tuple(parse_integers(parser))


def print_precision(printer: Printer, config: ArrayAttr[Attribute] | None) -> None:
    """Print ``, precision = [DEFAULT, HIGH]`` if it is given."""
    if config is not None:
        names = [str(part.data) for part in config if isinstance(part, PrecisionAttr)]
        printer.print_string(f", precision = [{', '.join(names)}]")


def parse_precision(parser: Parser) -> ArrayAttr[PrecisionAttr]:
    """Read ``[DEFAULT, HIGH]``."""
    return ArrayAttr(
        parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: PrecisionAttr(parser.parse_str_enum(Precision))
        )
    )


def dot_shape(lhs: Sequence[int], rhs: Sequence[int], numbers: DotDimensionNumbers) -> tuple[int, ...]:
    """Return the result shape; raises ConversionError where paired dimensions differ in size."""
    numbers.check(len(lhs), len(rhs))
    pairs = [
        *zip(numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions, strict=True),
        *zip(numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions, strict=True),
    ]
    for i, j in pairs:
        if lhs[i] != rhs[j]:
            raise ConversionError(f"matrix product of {tuple(lhs)} and {tuple(rhs)}: {lhs[i]} and {rhs[j]} differ")
    return (
        *(lhs[i] for i in numbers.lhs_batching_dimensions),
        *(lhs[i] for i in numbers.lhs_free(len(lhs))),
        *(rhs[i] for i in numbers.rhs_free(len(rhs))),
    )
