"""Bases of the dialect's ops, and the integer lists that are their properties."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation

from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check_expressed
from qconvert.dialects.stablehlo.constraints import Kind, check_baseline, check_kind, check_per_tensor
from qconvert.ir import Tensor, UniformQuantizedType, element_type, tensor, tensor_type
from qconvert.support.errors import ConversionError


def integers(values: Iterable[int]) -> DenseArrayBase:
    """Return ``array<i64: ...>``, the form of every list of integers in StableHLO and TOSA; each list is made once."""
    return _integers(tuple(values))


@lru_cache(maxsize=1024)
def _integers(values: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, values)


def counts(values: Sequence[int]) -> DenseArrayBase | None:
    """Return strides or dilations as :func:`integers`, or None if all are 1: an absent list means ones."""
    return None if all(value == 1 for value in values) else integers(values)


@lru_cache(maxsize=1024)
def integer(value: int) -> IntegerAttr:
    """Return an i64 attribute, made once."""
    return IntegerAttr(value, i64)


def as_tuple(attribute: DenseArrayBase | None, default: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the integers of an ``array<i64: ...>``, or the default where it is absent."""
    if attribute is None:
        return tuple(default)
    try:
        return cast("DenseArrayBase[IntegerType]", attribute).get_values()
    except ValueError as error:  # the width of the elements is no whole number of machine words
        raise ConversionError(f"a list of {attribute.elt_type} is not supported", hint="Use array<i64: ...>") from error


def same_shape(*values: SSAValue) -> tuple[int, ...]:
    """Return the one shape that elementwise operands must share; raises ConversionError where they differ."""
    shapes = [tensor(value).get_shape() for value in values]
    if any(shape != shapes[0] for shape in shapes):
        listed = ", ".join("x".join(map(str, shape)) or "scalar" for shape in shapes)
        raise ConversionError(f"operands of an elementwise op must have one shape, found {listed}")
    return shapes[0]


def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that shapes of one rank broadcast to; raises ConversionError for other ranks and sizes."""
    if all(found == shapes[0] for found in shapes):
        return shapes[0]
    sizes = [set(column) - {1} for column in zip(*shapes, strict=False)]
    if len(set(map(len, shapes))) > 1 or any(len(found) > 1 for found in sizes):
        raise ConversionError(f"shapes {', '.join(map(str, shapes))} cannot be broadcast; ranks must be equal")
    return tuple(found.pop() if found else 1 for found in sizes)


class SameShapeOp(InferredOp, ABC):
    """The base of elementwise ops on tensors of one shape, whose elements stand for values of one type."""

    def infer(self) -> Tensor:
        """Return the operands' shape with the result's elements."""
        return tensor_type(element_type(self.results[0]), same_shape(*self.operands))

    def verify_(self) -> None:
        """Check that operands and result have one shape, and that their element types go together."""
        super().verify_()
        self.verify_elements()

    def verify_elements(self) -> None:
        """Check that operands and result stand for values of one type."""
        check_expressed(self.name, (*self.operands, self.results[0]))


def permuted_axis(element: Attribute, permutation: Sequence[int]) -> Attribute:
    """Return an element type whose quantization dimension or blocks follow a transpose; other types are unchanged."""
    return element.permuted(permutation) if isinstance(element, UniformQuantizedType) else element


class StableHLOOp(IRDLOperation, ABC):
    """The base of the dialect's ops, with the specification's constraints on their element types."""

    KINDS: ClassVar[Sequence[Kind]] = tuple(Kind)
    """The allowed kinds of elements of the first operand."""

    PER_AXIS: ClassVar[bool] = True
    """True if operands may be quantized per axis."""

    BASELINE: ClassVar[str] = ""
    """The constraint that operands and results differ at most in scales and zero points; empty if there is none."""

    def verify_kinds(self) -> None:
        """Check the kind of the first operand's elements; raises VerifyException citing the constraint."""
        if len(self.KINDS) < len(Kind):
            check_kind(self, self.KINDS)

    def verify_quantized(self) -> None:
        """Check element types as StableHLO asks beyond the IR; raises VerifyException citing the constraint."""
        self.verify_kinds()
        if not self.PER_AXIS:
            check_per_tensor(self, self.operands)
        if self.BASELINE:
            check_baseline(self, self.BASELINE, (*self.operands, *self.results))
