"""The ragged matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from xdsl.dialects.builtin import ArrayAttr, TensorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute, SSAValue
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

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.chlo.base import ChloOp
from qconvert.dialects.stablehlo import DimensionListsAttr, Precision
from qconvert.support.errors import ConversionError


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    """``#chlo<precision HIGH>``."""

    name = "chlo.precision"


class RaggedDotDimensionNumbers(NamedTuple):
    """The batching and contracting dimensions, the ragged rows of the left side, the matrices of the right side."""

    lhs_batching_dimensions: tuple[int, ...] = ()
    rhs_batching_dimensions: tuple[int, ...] = ()
    lhs_contracting_dimensions: tuple[int, ...] = ()
    rhs_contracting_dimensions: tuple[int, ...] = ()
    lhs_ragged_dimensions: tuple[int, ...] = ()
    rhs_group_dimensions: tuple[int, ...] = ()


@irdl_attr_definition
class RaggedDotAttr(DimensionListsAttr[RaggedDotDimensionNumbers]):
    """``#chlo.ragged_dot<lhs_batching_dimensions = [], ...>``."""

    name = "chlo.ragged_dot"
    NUMBERS: ClassVar[type[Any]] = RaggedDotDimensionNumbers


@irdl_op_definition
class RaggedDotOp(ChloOp):
    """A matrix product whose rows belong to groups, each with a matrix of its own."""

    name = "chlo.ragged_dot"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    group_sizes = operand_def(TensorType)
    ragged_dot_dimension_numbers = prop_def(RaggedDotAttr)
    precision_config = opt_prop_def(ArrayAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def legalize(self, build: OpBuilder) -> Sequence[SSAValue]:
        """Raise ConversionError: the sizes of the groups are known at run time only."""
        del build
        raise ConversionError("the rows of a ragged matrix product depend on data", hint="Export one product a group")
