"""Layout as attributes: the roles of the dimensions of a convolution, dot_general or gather."""

from __future__ import annotations

from abc import ABC
from collections.abc import Container, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from qconvert.dialects.op_checks import check_dimensions
from qconvert.support.errors import ConversionError

NumbersT = TypeVar("NumbersT")


class ConvDimensionNumbers(NamedTuple):
    """Positions of batch, feature and spatial dimensions in input and output, and of the kernel's dimensions."""

    input_batch: int
    input_feature: int
    input_spatial: tuple[int, ...]
    kernel_input_feature: int
    kernel_output_feature: int
    kernel_spatial: tuple[int, ...]
    output_batch: int
    output_feature: int
    output_spatial: tuple[int, ...]

    def check(self) -> None:
        """Raise ConversionError unless each of the three lists names every dimension once (C13, C18, C20)."""
        for named, spatial in (
            ((self.input_batch, self.input_feature), self.input_spatial),
            ((self.kernel_input_feature, self.kernel_output_feature), self.kernel_spatial),
            ((self.output_batch, self.output_feature), self.output_spatial),
        ):
            if sorted((*named, *spatial)) != list(range(len(self.input_spatial) + 2)):
                raise ConversionError(f"dimension numbers {(*named, *spatial)} do not name every dimension once")

    def __str__(self) -> str:
        """Return ``[b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]``."""
        lhs = _letters({self.input_batch: "b", self.input_feature: "f"}, self.input_spatial)
        rhs = _letters({self.kernel_input_feature: "i", self.kernel_output_feature: "o"}, self.kernel_spatial)
        result = _letters({self.output_batch: "b", self.output_feature: "f"}, self.output_spatial)
        return f"{lhs}x{rhs}->{result}"

    @classmethod
    def from_letters(cls, lhs: Sequence[str], rhs: Sequence[str], result: Sequence[str]) -> ConvDimensionNumbers:
        """Return the numbers from the letters of the text form; raises ValueError naming a missing letter."""
        spatial = tuple(str(i) for i in range(len(lhs) - 2))
        return cls(
            _index(lhs, "b"),
            _index(lhs, "f"),
            tuple(_index(lhs, s) for s in spatial),
            _index(rhs, "i"),
            _index(rhs, "o"),
            tuple(_index(rhs, s) for s in spatial),
            _index(result, "b"),
            _index(result, "f"),
            tuple(_index(result, s) for s in spatial),
        )


def _index(letters: Sequence[str], letter: str) -> int:
    if letter not in letters:
        raise ValueError(f"[{', '.join(letters)}] has no '{letter}'")
    return letters.index(letter)


def _letters(named: dict[int, str], spatial: tuple[int, ...]) -> str:
    letters = named | {position: str(i) for i, position in enumerate(spatial)}
    return "[" + ", ".join(letters[i] for i in range(len(letters))) + "]"


def _parse_letters(parser: AttrParser) -> list[str]:
    def letter() -> str:
        number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
        return parser.parse_identifier() if number is None else str(number)

    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, letter)


def parse_conv_dimension_numbers(parser: AttrParser) -> ConvDimensionNumbers:
    """Read ``[b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]``."""
    lhs = _parse_letters(parser)
    parser.parse_keyword("x")
    rhs = _parse_letters(parser)
    parser.parse_punctuation("->")
    result = _parse_letters(parser)
    try:
        return ConvDimensionNumbers.from_letters(lhs, rhs, result)
    except ValueError as error:
        parser.raise_error(f"dimension numbers: {error}")


@irdl_attr_definition
class ConvDimensionNumbersAttr(Data[ConvDimensionNumbers]):
    """``#stablehlo.conv<[b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]>``."""

    name = "stablehlo.conv"

    def print_parameter(self, printer: Printer) -> None:
        """Print the letters in angle brackets."""
        printer.print_string(f"<{self.data}>")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ConvDimensionNumbers:
        """Parse the letters in angle brackets."""
        with parser.in_angle_brackets():
            return parse_conv_dimension_numbers(parser)


class DimensionListsAttr(Data[NumbersT], ABC):
    """The base of ``<name = [0], ..., name = 1>``, the fields of a named tuple; empty lists are left out."""

    NUMBERS: ClassVar[type[Any]]

    def print_parameter(self, printer: Printer) -> None:
        """Print the lists that are not empty, and the integers."""
        entries = {name: getattr(self.data, name) for name in self.NUMBERS._fields}
        lists = {name: list(value) if isinstance(value, tuple) else value for name, value in entries.items()}
        printer.print_string(f"<{', '.join(f'{name} = {value}' for name, value in lists.items() if value != [])}>")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> NumbersT:
        """Parse named lists and integers in any order."""
        known = frozenset(cls.NUMBERS._fields)
        entries = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, lambda: _parse_entry(parser, known))
        numbers: NumbersT = cls.NUMBERS(**dict(entries))
        return numbers


def _parse_entry(parser: AttrParser, known: Container[str]) -> tuple[str, int | tuple[int, ...]]:
    """Read ``name = 1`` or ``name = [0, 1]``."""
    name = parser.parse_identifier()
    if name not in known:
        parser.raise_error(f"unknown dimension list {name}")
    parser.parse_punctuation("=")
    number = parser.parse_optional_integer(allow_boolean=False)
    if number is not None:
        return name, number
    return name, tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


class DotDimensionNumbers(NamedTuple):
    """The batch and contracting dimensions of lhs and rhs."""

    lhs_batching_dimensions: tuple[int, ...] = ()
    rhs_batching_dimensions: tuple[int, ...] = ()
    lhs_contracting_dimensions: tuple[int, ...] = ()
    rhs_contracting_dimensions: tuple[int, ...] = ()

    def check(self, lhs_rank: int, rhs_rank: int) -> None:
        """Raise ConversionError unless the lists pair different dimensions of both sides (C1 to C8)."""
        if len(self.lhs_batching_dimensions) != len(self.rhs_batching_dimensions) or len(
            self.lhs_contracting_dimensions
        ) != len(self.rhs_contracting_dimensions):
            raise ConversionError("batching or contracting dimensions of the two sides differ in number")
        check_dimensions(self.lhs_batching_dimensions + self.lhs_contracting_dimensions, lhs_rank)
        check_dimensions(self.rhs_batching_dimensions + self.rhs_contracting_dimensions, rhs_rank)

    def lhs_free(self, rank: int) -> tuple[int, ...]:
        """Return the lhs dimensions that are neither batch nor contracting, in order."""
        return _rest(rank, self.lhs_batching_dimensions + self.lhs_contracting_dimensions)

    def rhs_free(self, rank: int) -> tuple[int, ...]:
        """Return the rhs dimensions that are neither batch nor contracting, in order."""
        return _rest(rank, self.rhs_batching_dimensions + self.rhs_contracting_dimensions)


def _rest(rank: int, used: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(i for i in range(rank) if i not in used)


@irdl_attr_definition
class DotDimensionNumbersAttr(DimensionListsAttr[DotDimensionNumbers]):
    """``#stablehlo.dot<lhs_batching_dimensions = [0], ...>``."""

    name = "stablehlo.dot"
    NUMBERS: ClassVar[type[Any]] = DotDimensionNumbers


class GatherDimensionNumbers(NamedTuple):
    """The result dimensions of a gather's slices, and the operand dimensions that its indices address."""

    offset_dims: tuple[int, ...] = ()
    collapsed_slice_dims: tuple[int, ...] = ()
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()
    start_index_map: tuple[int, ...] = ()
    index_vector_dim: int = 0

    def result_shape(self, indices: Sequence[int], slice_sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the result's shape from the indices' shape and the slice sizes."""
        dropped = self.collapsed_slice_dims + self.operand_batching_dims
        offsets = iter(size for i, size in enumerate(slice_sizes) if i not in dropped)
        batches = iter(size for i, size in enumerate(indices) if i != self.index_vector_dim)
        rank = len(self.offset_dims) + len(indices) - (1 if self.index_vector_dim < len(indices) else 0)
        return tuple(next(offsets) if i in self.offset_dims else next(batches) for i in range(rank))


@irdl_attr_definition
class GatherDimensionNumbersAttr(DimensionListsAttr[GatherDimensionNumbers]):
    """``#stablehlo.gather<offset_dims = [1], ..., index_vector_dim = 1>``."""

    name = "stablehlo.gather"
    NUMBERS: ClassVar[type[Any]] = GatherDimensionNumbers
