"""The enumerations of TOSA's ops.

xDSL has two of them in the module of its TOSA ops, which qconvert does not use.
"""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar, TypeVar, cast

from xdsl.ir import Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from qconvert.ir import element_type, is_float
from qconvert.numerics import Rounding

ModeT = TypeVar("ModeT", bound=StrEnum)


class NanMode(StrEnum):
    """Results of a minimum or maximum with a NaN: NaN, or the other operand."""

    PROPAGATE = "PROPAGATE"
    IGNORE = "IGNORE"


class ResizeMode(StrEnum):
    """Methods of resizing: the nearest element, or weighted neighbours."""

    NEAREST_NEIGHBOR = "NEAREST_NEIGHBOR"
    BILINEAR = "BILINEAR"


class ModeAttr(Data[ModeT], ABC):
    """The base of ``<mode>``."""

    MODES: ClassVar[type[StrEnum]]

    def print_parameter(self, printer: Printer) -> None:
        """Print ``<mode>``."""
        printer.print_string(f"<{self.data}>")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ModeT:
        """Parse ``<mode>``."""
        with parser.in_angle_brackets():
            return cast("ModeT", parser.parse_str_enum(cls.MODES))


@irdl_attr_definition
class RoundingModeAttr(ModeAttr[Rounding]):
    """``#tosa.rounding_mode<SINGLE_ROUND>``."""

    name = "tosa.rounding_mode"
    MODES: ClassVar[type[StrEnum]] = Rounding


@irdl_attr_definition
class NanModeAttr(ModeAttr[NanMode]):
    """``#tosa.nan_mode<PROPAGATE>``."""

    name = "tosa.nan_mode"
    MODES: ClassVar[type[StrEnum]] = NanMode


@irdl_attr_definition
class ResizeModeAttr(ModeAttr[ResizeMode]):
    """``#tosa.resize_mode<BILINEAR>``."""

    name = "tosa.resize_mode"
    MODES: ClassVar[type[StrEnum]] = ResizeMode


MODES: dict[str, type[ModeAttr[Any]]] = {
    "mode": ResizeModeAttr,
    "nan_mode": NanModeAttr,
    "rounding_mode": RoundingModeAttr,
}
"""The enumerations by the names of the ops' properties."""


DEFAULT_MODES: dict[str, ModeAttr[Any]] = {"nan_mode": NanModeAttr(NanMode.PROPAGATE)}
"""The modes of ops without these properties."""


def ignores_nan(op: Operation) -> bool:
    """Return True if an op of floats returns the other operand, not NaN, for NaN and a number."""
    mode = op.properties.get("nan_mode")
    return isinstance(mode, NanModeAttr) and mode.data is NanMode.IGNORE and is_float(element_type(op.operands[0]))
