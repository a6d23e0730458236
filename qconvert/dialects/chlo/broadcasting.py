"""Elementwise arithmetic of operands that are broadcast to one shape."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeAlias, cast

from xdsl.dialects.builtin import AnyFloat, ComplexType, DenseArrayBase, TensorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.chlo.base import ChloOp
from qconvert.dialects.chlo.bits import NextAfterOp
from qconvert.dialects.chlo.gamma_functions import PolygammaOp, ZetaOp
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check, check_dimensions, check_expressed
from qconvert.dialects.stablehlo import ComparisonDirection, ComparisonType
from qconvert.dialects.stablehlo.base import as_tuple, broadcast_shape, integers
from qconvert.ir import Tensor, element_type, i1, shape, tensor_type
from qconvert.support.errors import ConversionError

_Function: TypeAlias = NextAfterOp | PolygammaOp | ZetaOp


@irdl_attr_definition
class ComparisonDirectionAttr(EnumAttribute[ComparisonDirection], SpacedOpaqueSyntaxAttribute):
    """``#chlo<comparison_direction LT>``."""

    name = "chlo.comparison_direction"


@irdl_attr_definition
class ComparisonTypeAttr(EnumAttribute[ComparisonType], SpacedOpaqueSyntaxAttribute):
    """``#chlo<comparison_type FLOAT>``."""

    name = "chlo.comparison_type"


class BroadcastBinaryOp(InferredOp, ChloOp, ABC):
    """The base of ops on two operands of any ranks.

    ``broadcast_dimensions`` are the dimensions of the operand of higher rank that those of the other one stand for; by
    default the last ones. Then dimensions of size 1 are repeated.
    """

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    broadcast_dimensions = opt_prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue, broadcast_dimensions: Sequence[int] | None = None) -> None:
        dimensions = None if broadcast_dimensions is None else integers(broadcast_dimensions)
        super().__init__(
            operands=[lhs, rhs],
            properties={"broadcast_dimensions": dimensions},
            result=tensor_type(element_type(lhs), ()),
        )

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The dimensions of the result that those of the operand of lower rank become."""
        ranks = sorted(len(shape(value)) for value in self.operands)
        default = range(ranks[1] - ranks[0], ranks[1])
        return as_tuple(self.broadcast_dimensions, default)

    def infer(self) -> Tensor:
        """Return the shape that both operands broadcast to."""
        shapes = [shape(value) for value in self.operands]
        rank, dimensions = max(map(len, shapes)), self.dimensions
        check_dimensions(dimensions, rank)
        if list(dimensions) != sorted(dimensions) or len(dimensions) != min(map(len, shapes)):
            raise ConversionError(f"broadcast_dimensions {list(dimensions)} for operands {shapes[0]} and {shapes[1]}")
        if len(shapes[0]) == len(shapes[1]) and list(dimensions) != list(range(rank)):
            raise ConversionError(f"broadcast_dimensions {list(dimensions)} for operands of one rank")
        full = [_spread(sizes, dimensions, rank) for sizes in shapes]
        return tensor_type(self.result_element(), broadcast_shape(*full))

    def result_element(self) -> Attribute:
        """Return the element type of the result."""
        return element_type(self.result)

    def verify_(self) -> None:
        """Check that shapes go together, and element types."""
        super().verify_()
        check_expressed(self.name, self.operands)

    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Write as broadcasts and the op on one shape."""
        return self.combined(build, *(self._broadcast(build, value) for value in self.operands))

    def _broadcast(self, build: OpBuilder, value: SSAValue) -> SSAValue:
        target, rank = shape(self.result), len(shape(value))
        if shape(value) == target:
            return value
        dimensions = self.dimensions if rank < len(target) else range(rank)
        return build.add(stablehlo.BroadcastInDimOp(value, target, dimensions))

    @abstractmethod
    def combined(self, build: OpBuilder, lhs: SSAValue, rhs: SSAValue) -> Sequence[SSAValue]:
        """Write the op on operands of one shape."""


def _spread(sizes: Sequence[int], dimensions: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return a shape of a rank, with 1 where a shape of lower rank has no dimension."""
    if len(sizes) == rank:
        return tuple(sizes)
    known = dict(zip(dimensions, sizes, strict=True))
    return tuple(known.get(i, 1) for i in range(rank))


class StableHloBroadcastOp(BroadcastBinaryOp, ABC):
    """The base of ops that StableHLO has for operands of one shape, as ``KIND``."""

    KIND: ClassVar[type[stablehlo.BinaryOp]]

    def combined(self, build: OpBuilder, lhs: SSAValue, rhs: SSAValue) -> Sequence[SSAValue]:
        """Write StableHLO's op."""
        return [build.add(self.KIND(lhs, rhs, element_type(self.result)))]


class ChloBroadcastOp(BroadcastBinaryOp, ABC):
    """The base of ops that chlo has for operands of one shape, as ``KIND``."""

    KIND: ClassVar[type[_Function]]

    def combined(self, build: OpBuilder, lhs: SSAValue, rhs: SSAValue) -> Sequence[SSAValue]:
        """Write chlo's op, in StableHLO's ops."""
        op = self.KIND(lhs, rhs)
        try:
            return op.legalize(build)
        finally:
            op.drop_all_references()


@irdl_op_definition
class BroadcastAddOp(StableHloBroadcastOp):
    name = "chlo.broadcast_add"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.AddOp


@irdl_op_definition
class BroadcastAtan2Op(StableHloBroadcastOp):
    name = "chlo.broadcast_atan2"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.Atan2Op


@irdl_op_definition
class BroadcastDivideOp(StableHloBroadcastOp):
    name = "chlo.broadcast_divide"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.DivideOp


@irdl_op_definition
class BroadcastMaximumOp(StableHloBroadcastOp):
    name = "chlo.broadcast_maximum"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.MaximumOp


@irdl_op_definition
class BroadcastMinimumOp(StableHloBroadcastOp):
    name = "chlo.broadcast_minimum"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.MinimumOp


@irdl_op_definition
class BroadcastMultiplyOp(StableHloBroadcastOp):
    name = "chlo.broadcast_multiply"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.MultiplyOp


@irdl_op_definition
class BroadcastPowerOp(StableHloBroadcastOp):
    name = "chlo.broadcast_power"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.PowerOp


@irdl_op_definition
class BroadcastRemainderOp(StableHloBroadcastOp):
    name = "chlo.broadcast_remainder"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.RemainderOp


@irdl_op_definition
class BroadcastShiftLeftOp(StableHloBroadcastOp):
    name = "chlo.broadcast_shift_left"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.ShiftLeftOp


@irdl_op_definition
class BroadcastShiftRightArithmeticOp(StableHloBroadcastOp):
    name = "chlo.broadcast_shift_right_arithmetic"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.ShiftRightArithmeticOp


@irdl_op_definition
class BroadcastShiftRightLogicalOp(StableHloBroadcastOp):
    name = "chlo.broadcast_shift_right_logical"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.ShiftRightLogicalOp


@irdl_op_definition
class BroadcastSubtractOp(StableHloBroadcastOp):
    name = "chlo.broadcast_subtract"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.SubtractOp


@irdl_op_definition
class BroadcastAndOp(StableHloBroadcastOp):
    name = "chlo.broadcast_and"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.AndOp


@irdl_op_definition
class BroadcastOrOp(StableHloBroadcastOp):
    name = "chlo.broadcast_or"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.OrOp


@irdl_op_definition
class BroadcastXorOp(StableHloBroadcastOp):
    name = "chlo.broadcast_xor"
    KIND: ClassVar[type[stablehlo.BinaryOp]] = stablehlo.XorOp


@irdl_op_definition
class BroadcastNextAfterOp(ChloBroadcastOp):
    name = "chlo.broadcast_next_after"
    KIND: ClassVar[type[_Function]] = NextAfterOp


@irdl_op_definition
class BroadcastPolygammaOp(ChloBroadcastOp):
    name = "chlo.broadcast_polygamma"
    KIND: ClassVar[type[_Function]] = PolygammaOp


@irdl_op_definition
class BroadcastZetaOp(ChloBroadcastOp):
    name = "chlo.broadcast_zeta"
    KIND: ClassVar[type[_Function]] = ZetaOp


@irdl_op_definition
class BroadcastComplexOp(BroadcastBinaryOp):
    """Complex numbers of real and imaginary parts."""

    name = "chlo.broadcast_complex"

    def result_element(self) -> Attribute:
        """Return complex numbers of the operands' elements."""
        element = element_type(self.lhs)
        check(isinstance(element, AnyFloat), self.name, "parts of type {}", element)
        return ComplexType(cast("AnyFloat", element))

    def combined(self, build: OpBuilder, lhs: SSAValue, rhs: SSAValue) -> Sequence[SSAValue]:
        """Write StableHLO's op."""
        return [build.add(stablehlo.ComplexOp(lhs, rhs))]


@irdl_op_definition
class BroadcastCompareOp(BroadcastBinaryOp):
    """A comparison, as booleans."""

    name = "chlo.broadcast_compare"
    comparison_direction = prop_def(ComparisonDirectionAttr)
    compare_type = opt_prop_def(ComparisonTypeAttr)

    def result_element(self) -> Attribute:
        """Return i1."""
        return i1

    def combined(self, build: OpBuilder, lhs: SSAValue, rhs: SSAValue) -> Sequence[SSAValue]:
        """Write StableHLO's op with its own attributes."""
        op = stablehlo.CompareOp(lhs, rhs, self.comparison_direction.data)
        if self.compare_type is not None:
            op.properties["compare_type"] = stablehlo.ComparisonTypeAttr(self.compare_type.data)
        return [build.add(op)]


@irdl_op_definition
class BroadcastSelectOp(InferredOp, ChloOp):
    """Elements of one of two tensors, which booleans select; the last dimensions of all are aligned."""

    name = "chlo.broadcast_select"
    pred = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$pred `,` $on_true `,` $on_false attr-dict `:` "
        "`(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)"
    )

    def __init__(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue) -> None:
        super().__init__(operands=[pred, on_true, on_false], result=tensor_type(element_type(on_true), ()))

    def infer(self) -> Tensor:
        """Return the shape that all operands broadcast to, with the values' elements."""
        shapes = [shape(value) for value in self.operands]
        rank = max(map(len, shapes))
        full = [_spread(sizes, range(rank - len(sizes), rank), rank) for sizes in shapes]
        return tensor_type(element_type(self.on_true), broadcast_shape(*full))

    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Write as broadcasts and StableHLO's op, which takes a scalar predicate."""
        target = shape(self.result)
        values = [build.broadcast(value, target) for value in (self.on_true, self.on_false)]
        pred = build.broadcast(self.pred, target) if shape(self.pred) else self.pred
        return [build.add(stablehlo.SelectOp(pred, *values))]
