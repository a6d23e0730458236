"""Reductions along one dimension, which keeps size 1; argmax, which removes its dimension.

Source: TOSA specification 1.0, "Reduction operators", "ARGMAX".
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, TensorType, i32
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from qconvert.dialects.op_checks import check_dimensions
from qconvert.dialects.tosa.base import TosaOp
from qconvert.dialects.tosa.element_types import FLOATS, FLOATS_8, INTEGERS, TypeTable, type_table
from qconvert.dialects.tosa.modes import NanModeAttr
from qconvert.ir import Tensor, shape, tensor, tensor_type, with_shape


class ReductionOp(TosaOp, ABC):
    """The base of reductions: one value for each line of elements along ``axis``."""

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, axis: int) -> None:
        super().__init__([value], {"axis": IntegerAttr(axis, i32)})

    def infer(self) -> Tensor:
        """Return the operand's shape with size 1 along the axis; raises ConversionError if the axis does not exist."""
        sizes, axis = list(shape(self.input)), self.axis.value.data
        check_dimensions([axis], len(sizes))
        sizes[axis] = 1
        return with_shape(tensor(self.input), sizes)


@irdl_op_definition
class ReduceMaxOp(ReductionOp):
    """The largest element."""

    name = "tosa.reduce_max"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS, *FLOATS)

    nan_mode = opt_prop_def(NanModeAttr)


@irdl_op_definition
class ReduceMinOp(ReductionOp):
    """The smallest element."""

    name = "tosa.reduce_min"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS, *FLOATS)

    nan_mode = opt_prop_def(NanModeAttr)


@irdl_op_definition
class ReduceSumOp(ReductionOp):
    """The sum, of i32 or floats."""

    name = "tosa.reduce_sum"
    TYPES: ClassVar[TypeTable] = type_table("i32", *FLOATS)


@irdl_op_definition
class ReduceProductOp(ReductionOp):
    """The product, of floats."""

    name = "tosa.reduce_product"
    TYPES: ClassVar[TypeTable] = type_table(*FLOATS)


@irdl_op_definition
class ReduceAllOp(ReductionOp):
    """The test that all elements are true."""

    name = "tosa.reduce_all"
    TYPES: ClassVar[TypeTable] = type_table("i1")


@irdl_op_definition
class ReduceAnyOp(ReductionOp):
    """The test that any element is true."""

    name = "tosa.reduce_any"
    TYPES: ClassVar[TypeTable] = type_table("i1")


@irdl_op_definition
class ArgMaxOp(ReductionOp):
    """The index of the largest element, in i32; of equal elements the first counts, and the dimension is removed."""

    name = "tosa.argmax"
    TYPES: ClassVar[TypeTable] = type_table(
        "i8 i32", "i16 i32 [int16]", *(f"{name} i32" for name in (*FLOATS_8, *FLOATS))
    )

    nan_mode = opt_prop_def(NanModeAttr)

    def infer(self) -> Tensor:
        """Return the operand's shape without the axis, of i32; raises ConversionError if the axis does not exist."""
        sizes, axis = shape(self.input), self.axis.value.data
        check_dimensions([axis], len(sizes))
        return tensor_type(i32, [*sizes[:axis], *sizes[axis + 1 :]])
