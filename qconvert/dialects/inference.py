"""The base of ops whose result type is inferred, by one rule for the constructor and the verifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from qconvert.ir import Tensor, UniformQuantizedType
from qconvert.support.errors import ConversionError

UNKNOWN: Tensor = TensorType(i1, ())
"""A result type of which the caller decides nothing."""


class ResultConstraints(NamedTuple):
    """The specification's constraints on the element type of a result, by number.

    ``per_axis`` is cited where both types are per-axis, ``axis`` where besides their quantization dimensions differ;
    each stands in for the next where that is empty.
    """

    element: str = ""
    per_axis: str = ""
    axis: str = ""

    def violated(self, found: Attribute, expected: Attribute) -> str:
        """Return the constraint that two different element types violate, empty where none is named."""
        types = [type for type in (found, expected) if isinstance(type, UniformQuantizedType) and type.is_per_axis]
        if len(types) < 2:
            return self.element
        same_axis = types[0].quantization_dimension == types[1].quantization_dimension
        return ("" if same_axis else self.axis) or self.per_axis or self.element


class InferredOp(IRDLOperation, ABC):
    """An op with one result whose type follows from operands, properties and regions.

    The caller decides part of some types: the element of a contraction's result, the shape of a reshape. Such an op's
    constructor gives a result type with that part, and :meth:`infer` reads the part from the result.
    """

    RESULT_CONSTRAINTS: ClassVar[ResultConstraints] = ResultConstraints()

    def __init__(
        self,
        *,
        operands: Sequence[SSAValue | Sequence[SSAValue] | None] = (),
        properties: Mapping[str, Attribute | None] | None = None,
        regions: Sequence[Region | Sequence[Region]] = (),
        result: Tensor = UNKNOWN,
    ) -> None:
        """Make the op; ``result`` has the part of the result's type that the caller decides, or is the whole type."""
        super().__init__(operands=operands, properties=properties, regions=regions, result_types=[result])
        try:
            inferred = self.infer()
        except ConversionError:
            self.drop_all_references()  # an op that is not made does not use its operands
            raise
        if inferred is not result:
            Rewriter.replace_value_with_new_type(self.results[0], inferred)

    @abstractmethod
    def infer(self) -> Tensor:
        """Return the result's type; raises ConversionError where operands and properties do not go together."""

    def verify_(self) -> None:
        """Check for the inferred type; if only the element types differ, the error cites their constraint."""
        try:
            expected = self.infer()
        except ConversionError as error:
            raise VerifyException(f"{self.name}: {error.found}") from error
        found = self.results[0].type
        if found == expected:
            return
        constraint = ""
        if isinstance(found, TensorType) and found.get_shape() == expected.get_shape():
            constraint = self.RESULT_CONSTRAINTS.violated(found.element_type, expected.element_type)
        cited = f"{self.name} ({constraint})" if constraint else self.name
        raise VerifyException(f"{cited}: the result has type {found}, expected {expected}")
