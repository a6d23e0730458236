"""The enumerations of TOSA's ops.

xDSL has two of them in the module of its TOSA ops, which qconvert does not use.
"""

from __future__ import annotations

from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class RoundingMode(StrEnum):
    """Roundings of RESCALE."""

    SINGLE_ROUND = "SINGLE_ROUND"
    INEXACT_ROUND = "INEXACT_ROUND"
    DOUBLE_ROUND = "DOUBLE_ROUND"


class NanMode(StrEnum):
    """Results of a minimum or maximum with a NaN: NaN, or the other operand."""

    PROPAGATE = "PROPAGATE"
    IGNORE = "IGNORE"


class ResizeMode(StrEnum):
    """Methods of resizing: the nearest element, or weighted neighbours."""

    NEAREST_NEIGHBOR = "NEAREST_NEIGHBOR"
    BILINEAR = "BILINEAR"


@irdl_attr_definition
class RoundingModeAttr(EnumAttribute[RoundingMode]):
    """``#tosa.rounding_mode<SINGLE_ROUND>``."""

    name = "tosa.rounding_mode"

    def print_parameter(self, printer: Printer) -> None:
        """Print ``<mode>``."""
        _print(printer, self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> RoundingMode:
        """Parse ``<mode>``."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(RoundingMode)


@irdl_attr_definition
class NanModeAttr(EnumAttribute[NanMode]):
    """``#tosa.nan_mode<PROPAGATE>``."""

    name = "tosa.nan_mode"

    def print_parameter(self, printer: Printer) -> None:
        """Print ``<mode>``."""
        _print(printer, self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> NanMode:
        """Parse ``<mode>``."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(NanMode)


@irdl_attr_definition
class ResizeModeAttr(EnumAttribute[ResizeMode]):
    """``#tosa.resize_mode<BILINEAR>``."""

    name = "tosa.resize_mode"

    def print_parameter(self, printer: Printer) -> None:
        """Print ``<mode>``."""
        _print(printer, self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ResizeMode:
        """Parse ``<mode>``."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(ResizeMode)


def _print(printer: Printer, mode: StrEnum) -> None:
    with printer.in_angle_brackets():
        printer.print_string(mode)
