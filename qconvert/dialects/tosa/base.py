"""The base of the dialect's families: inferred results, integer lists, shapes as operands."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Self

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.traits import Pure

from qconvert.dialects.inference import UNKNOWN, InferredOp
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.dialects.tosa.syntax import parse_op
from qconvert.ir import Tensor, i32, is_float
from qconvert.support.errors import ConversionError


class TosaOp(InferredOp, ABC):
    """The base of ops with one result whose type follows from operands and attributes; they print in generic form."""

    traits = traits_def(Pure())

    def __init__(
        self,
        operands: Sequence[SSAValue | Sequence[SSAValue]],
        properties: Mapping[str, Attribute],
        result: Tensor = UNKNOWN,
    ) -> None:
        super().__init__(operands=operands, properties=properties, result=result)

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
