"""Attributes of our own: constants held as numpy arrays, and whose arithmetic an op follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Attribute, BuiltinAttribute, Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from qconvert.ir.types import Tensor, numpy_dtype, tensor_type

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


class Elements:
    """A read-only array and its tensor type; equal where type and bytes are, hashed once."""

    def __init__(self, array: NDArray[np.generic], type: Tensor) -> None:
        self.array = array.view()
        self.array.flags.writeable = False
        self.type = type

    @cached_property
    def digest(self) -> int:
        """A hash of the bytes, for this process; a splat (stride 0) hashes as its one element."""
        array = self.array
        if array.size and not any(array.strides):
            array = array.reshape(-1)[:1]
        return hash(array.tobytes())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Elements) and self.type == other.type and np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return hash((self.type, self.digest))


@irdl_attr_definition
class ElementsAttr(Data[Elements], BuiltinAttribute):
    """``dense<..> : tensor<..>`` held as one numpy array (or memmap), never as a Python list.

    The tensor type has integer or float elements (a quantized constant's value is its storage integers); elements
    narrower than 8 bits are held one to a byte.
    """

    name = "builtin.dense_array_elements"

    @classmethod
    def of(cls, array: NDArray[np.generic], element: Attribute) -> ElementsAttr:
        """An array with the MLIR type of its elements; the array is not copied."""
        return cls(Elements(array, tensor_type(element, array.shape)))

    @property
    def array(self) -> NDArray[np.generic]:
        """The elements, read-only."""
        return self.data.array

    @property
    def type(self) -> Tensor:
        """The tensor type of the elements."""
        return self.data.type

    def verify(self) -> None:
        """Type and array must agree; raises VerifyException."""
        array, type = self.data.array, self.data.type
        if array.shape != type.get_shape():
            raise VerifyException(f"a constant of shape {array.shape} cannot have type {type}")
        if array.dtype != numpy_dtype(type.element_type):
            raise VerifyException(f"a constant of {array.dtype} cannot have type {type}")

    def print_builtin(self, printer: Printer) -> None:
        """Print as ``dense<..> : type``: a splat, a short list, or hex."""
        from qconvert.ir.printing import print_elements

        print_elements(printer, self)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Elements:
        """Not reached: ``dense`` is builtin syntax, read by our parser (``parsing.py``)."""
        parser.raise_error("array-backed elements are written as dense<..>")

    def print_parameter(self, printer: Printer) -> None:
        """Print as builtin syntax."""
        self.print_builtin(printer)


class ArithmeticFamily(StrEnum):
    """Whose rounding an op follows where it is not StableHLO's."""

    STABLEHLO = "stablehlo"
    ONNX = "onnx"
    LITERT = "litert"


class RescaleRounding(StrEnum):
    """TOSA's rounding of a rescale."""

    SINGLE = "SINGLE_ROUND"
    DOUBLE = "DOUBLE_ROUND"


@dataclass(frozen=True)
class Arithmetic:
    """The arithmetic of one op: family, then what a multiplier-based runtime needs to be followed bit by bit.

    ``asymmetric``: where floats are quantized at run time, they are with a zero point.
    """

    family: ArithmeticFamily
    multiplier_width: int = 32
    rounding: RescaleRounding = RescaleRounding.SINGLE
    multiplier_float_width: int = 64
    left_shift: int = 0
    asymmetric: bool = False


_ASYMMETRIC = "asymmetric"


@irdl_attr_definition
class ArithmeticAttr(Data[Arithmetic]):
    """``#qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>``; an op without it follows StableHLO.

    ``, asymmetric`` stands at the end where that holds.
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
            rounding = parser.parse_str_enum(RescaleRounding)
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

TENSOR = "qconvert.tensor"
"""On the op that defines it: the name in the source model of the quantized tensor an op's first result is."""

HINT = "qconvert.hint"
"""On an op inside a ``quant.region``: what its first result would be quantized as, if a target needs it to be."""


def arithmetic(op: Operation) -> Arithmetic | None:
    """Whose arithmetic an op follows; None is StableHLO's."""
    attribute = op.attributes.get(ARITHMETIC)
    return attribute.data if isinstance(attribute, ArithmeticAttr) else None


def is_litert(op: Operation) -> bool:
    """Whether an op is marked with LiteRT's arithmetic."""
    follows = arithmetic(op)
    return follows is not None and follows.family is ArithmeticFamily.LITERT


IMPLIED = "qconvert.implied_inputs"
"""On a function: the one value that makes sense of an argument, by its position, where the source's shapes tell."""

RANGES = "qconvert.ranges"
"""On a function: the minimum and maximum, a row for each, that the source notes for values of these names."""
RANGE_NAMES = "qconvert.range_names"
