"""The arithmetic that an op follows, as an attribute of the op."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from qconvert.numerics import Rounding


class ArithmeticFamily(StrEnum):
    """Runtimes whose rounding an op can follow; an op without the attribute follows StableHLO's."""

    STABLEHLO = "stablehlo"
    ONNX = "onnx"
    LITERT = "litert"


class Arithmetic(NamedTuple):
    """The arithmetic of one op: the family, and the parameters that reproduce a multiplier-based runtime bit by bit.

    ``multiplier_width``: the bits of a multiplier, 32 or 16. ``rounding``: that of the rescales.
    ``multiplier_float_width``: the bits of the floats from which a multiplier is computed, 64 or 32.
    ``left_shift``: the bits by which operands are shifted left before they are rescaled. ``asymmetric``: floats that
    are quantized at run time get a zero point.
    """

    family: ArithmeticFamily
    multiplier_width: int = 32
    rounding: Rounding = Rounding.SINGLE_ROUND
    multiplier_float_width: int = 64
    left_shift: int = 0
    asymmetric: bool = False


_ASYMMETRIC = "asymmetric"


@irdl_attr_definition
class ArithmeticAttr(Data[Arithmetic]):
    """``#qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>``; an op without it follows StableHLO.

    The text ends in ``, asymmetric`` if the arithmetic is asymmetric.
    """

    name = "qconvert.arithmetic"

    def print_parameter(self, printer: Printer) -> None:
        """Print the fields in order."""
        d = self.data
        fields = [d.family, d.multiplier_width, d.rounding, d.multiplier_float_width, d.left_shift]
        fields += [_ASYMMETRIC] if d.asymmetric else []
        printer.print_string(f"<{', '.join(map(str, fields))}>")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Arithmetic:
        """Parse the fields in order."""
        with parser.in_angle_brackets():
            family = parser.parse_str_enum(ArithmeticFamily)
            parser.parse_punctuation(",")
            width = parser.parse_integer()
            parser.parse_punctuation(",")
            rounding = parser.parse_str_enum(Rounding)
            if rounding is Rounding.INEXACT_ROUND:
                parser.raise_error("the arithmetic of an op cannot round inexactly")
            parser.parse_punctuation(",")
            float_width = parser.parse_integer()
            parser.parse_punctuation(",")
            left_shift = parser.parse_integer()
            asymmetric = parser.parse_optional_punctuation(",") is not None
            if asymmetric:
                parser.parse_keyword(_ASYMMETRIC)
            return Arithmetic(family, width, rounding, float_width, left_shift, asymmetric)


ARITHMETIC = "qconvert.arithmetic"
"""The attribute's name on an op."""

ONNX_ARITHMETIC = ArithmeticAttr(Arithmetic(ArithmeticFamily.ONNX))


def arithmetic(op: Operation) -> Arithmetic | None:
    """Return the arithmetic that an op follows, None for StableHLO's."""
    attribute = op.attributes.get(ARITHMETIC)
    return attribute.data if type(attribute) is ArithmeticAttr else None


def family(op: Operation, default: ArithmeticFamily = ArithmeticFamily.STABLEHLO) -> ArithmeticFamily:
    """Return the family that an op follows; ``default`` is that of an op without the attribute."""
    follows = arithmetic(op)
    return default if follows is None else follows.family


def litert_arithmetic(op: Operation) -> Arithmetic | None:
    """Return the arithmetic of an op that is marked with LiteRT's, None for any other op."""
    return arithmetic(op) if is_litert(op) else None


def is_litert(op: Operation) -> bool:
    """Return whether an op is marked with LiteRT's arithmetic."""
    return family(op) is ArithmeticFamily.LITERT
