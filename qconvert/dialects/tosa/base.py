"""The base of the dialect's families: inferred results, integer lists, shapes as operands."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.traits import Pure

from qconvert.dialects.inference import UNKNOWN, InferredOp
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.dialects.tosa.syntax import parse_op
from qconvert.ir import Tensor, i32, is_float, shape
from qconvert.support.errors import ConversionError


class TosaOp(InferredOp, ABC):
    """The base of ops with one result whose type follows from operands and attributes; they print in generic form.

    ``SCALARS`` names the operands of one element, such as zero points.
    """

    traits = traits_def(Pure())
    SCALARS: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        operands: Sequence[SSAValue | Sequence[SSAValue]],
        properties: Mapping[str, Attribute],
        result: Tensor = UNKNOWN,
    ) -> None:
        super().__init__(operands=operands, properties=properties, result=result)

    def verify_(self) -> None:
        """Check the scalars and the result's type."""
        for name in self.SCALARS:
            found = shape(getattr(self, name))
            check(found == (1,), self.name, "{} has one element, found the shape {}", name, list(found))
        super().verify_()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the pretty form."""
        return parse_op(cls, parser)


def check_accumulator(element: Attribute) -> None:
    """Raise ConversionError unless TOSA has sums of an element type: i32, i48 and floats."""
    if element not in (i32, IntegerType(48)) and not is_float(element):
        raise ConversionError(f"sums are of i32, i48 or floats, not of {element}")


def listed(attribute: DenseArrayBase, count: int) -> tuple[int, ...]:
    """Return the integers of an ``array<i64: ...>``; raises ConversionError unless there are ``count``."""
    values = as_tuple(attribute)
    if len(values) != count:
        raise ConversionError(f"{len(values)} entries where {count} are needed: {list(values)}")
    return values


def scalar(value: float, element: Attribute) -> Attribute:
    """Return a number as an attribute of an element type."""
    if isinstance(element, AnyFloat):
        made: Attribute = FloatAttr(value, element)
        return made
    assert isinstance(element, IntegerType)
    return IntegerAttr(int(value), element)
