"""Shapes as values: ``!tosa.shape<rank>`` and the constant of that type.

Source: TOSA specification 1.0, "Shape operators".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from xdsl.dialects.builtin import IndexType, IntAttr, TensorType
from xdsl.ir import ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.tosa.syntax import parse_op
from qconvert.ir import ElementsAttr
from qconvert.support.errors import ConversionError


@irdl_attr_definition
class ShapeType(ParametrizedAttribute, TypeAttribute):
    """``!tosa.shape<rank>``, the type of a list of ``rank`` sizes."""

    name = "tosa.shape"

    rank: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[IntAttr]:
        """Parse ``<rank>``."""
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        """Print ``<rank>``."""
        printer.print_string(f"<{self.rank.data}>")


@irdl_op_definition
class ConstShapeOp(IRDLOperation):
    """Sizes, paddings or repetitions known at conversion."""

    name = "tosa.const_shape"

    values = prop_def(ElementsAttr)
    output = result_def(ShapeType)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, sizes: Sequence[int]) -> None:
        array = np.asarray(sizes, np.int64)
        super().__init__(
            properties={"values": ElementsAttr.of(array, IndexType())},
            result_types=[ShapeType(IntAttr(len(array)))],
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The integers."""
        return tuple(int(size) for size in self.values.array)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the pretty form."""
        return parse_op(cls, parser)

    def verify_(self) -> None:
        """Check that there are as many values as the type has."""
        expected = TensorType(IndexType(), [self.output.type.rank.data])
        if self.values.type != expected:
            raise VerifyException(f"{self.name}: values of type {self.values.type} for {self.output.type}")


def sizes_of(value: SSAValue) -> tuple[int, ...]:
    """Return the integers of a ``!tosa.shape`` value; raises ConversionError if they are computed."""
    if not isinstance(value.owner, ConstShapeOp):
        raise ConversionError("a shape must be a constant")
    return value.owner.sizes
