"""What the families of the dialect share: inferred results, integer lists, shapes as operands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.rewriter import Rewriter
from xdsl.traits import Pure

from qconvert.dialects.stablehlo.base import as_tuple, check_type
from qconvert.ir.types import Tensor
from qconvert.support.errors import ConversionError

_UNKNOWN: Tensor = TensorType(i1, ())
"""Stands for the result's type until the op is there and can say it."""


class TosaOp(IRDLOperation, ABC):
    """An op with one result whose type follows from operands and attributes; prints in generic form."""

    traits = traits_def(Pure())

    def __init__(self, operands: Sequence[SSAValue | Sequence[SSAValue]], properties: Mapping[str, Attribute]) -> None:
        super().__init__(operands=operands, properties=properties, result_types=[_UNKNOWN])
        Rewriter.replace_value_with_new_type(self.results[0], self.infer())

    @abstractmethod
    def infer(self) -> Tensor:
        """The result's type; raises ConversionError where operands or attributes do not go together."""

    def verify_(self) -> None:
        """The result has the inferred type."""
        check_type(self, self.infer)


def listed(attribute: DenseArrayBase, count: int) -> tuple[int, ...]:
    """The integers of an ``array<i64: ...>``; raises ConversionError unless there are ``count``."""
    values = as_tuple(attribute)
    if len(values) != count:
        raise ConversionError(f"{len(values)} entries where {count} are needed: {list(values)}")
    return values
