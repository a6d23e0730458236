"""More ops with sizes as values: slices, gathers and convolutions, and a size that a value gives to a dimension.

Source: StableHLO's specification; ``real_dynamic_slice`` and ``set_dimension_size`` are in its dialect alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DenseArrayBase, IntegerAttr, IntegerType, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.rewriter import Rewriter
from xdsl.traits import Pure

from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp, integer
from qconvert.dialects.stablehlo.constraints import check_per_tensor
from qconvert.dialects.stablehlo.contraction import ConvolutionOp
from qconvert.dialects.stablehlo.dimension_numbers import (
    ConvDimensionNumbersAttr,
    GatherDimensionNumbers,
    GatherDimensionNumbersAttr,
)
from qconvert.dialects.stablehlo.dynamic import Array, SizedOp, check_vector
from qconvert.dialects.stablehlo.slicing import GatherOp, SliceOp
from qconvert.dialects.stablehlo.syntax import ClauseOp, Clauses
from qconvert.dialects.stablehlo.window import padding_attribute
from qconvert.dialects.traits import MovesElements, PassesIntegers
from qconvert.ir import Tensor, i32, shape, tensor, tensor_type


@irdl_op_definition
class RealDynamicSliceOp(ClauseOp, SizedOp):
    """``slice`` with starts, limits and strides given as tensors."""

    name = "stablehlo.real_dynamic_slice"
    PER_AXIS: ClassVar[bool] = False
    LISTS: ClassVar[int] = 3
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    limit_indices = operand_def(TensorType)
    strides = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements(1))

    def __init__(self, operands: Sequence[SSAValue], result: Tensor) -> None:
        super().__init__(operands=list(operands), result_types=[result])

    def verify_(self) -> None:
        """Check for one element type and rank, and for an index of one type for each dimension."""
        operand, result = tensor(self.operand), tensor(self.result)
        same = result.element_type == operand.element_type and result.get_num_dims() == operand.get_num_dims()
        check(same, self.name, "a slice of {} as {}", operand, result)
        for value in self.operands[1:]:
            check_vector(self, value, operand.get_num_dims())
            check(value.type == self.start_indices.type, self.name, "indices of different types")

    def static(self, lists: Sequence[Array]) -> Operation:
        """Return ``slice``."""
        return SliceOp(self.operand, *(indices.tolist() for indices in lists))


@irdl_op_definition
class DynamicGatherOp(StableHLOOp, SizedOp):
    """``gather`` with slice sizes given as a tensor."""

    name = "stablehlo.dynamic_gather"
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    slice_sizes = operand_def(TensorType)
    dimension_numbers = prop_def(GatherDimensionNumbersAttr)
    indices_are_sorted = opt_prop_def(BoolAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements(1))

    def __init__(self, operands: Sequence[SSAValue], numbers: GatherDimensionNumbers, result: Tensor) -> None:
        properties = {"dimension_numbers": GatherDimensionNumbersAttr(numbers)}
        super().__init__(operands=list(operands), properties=properties, result_types=[result])

    def verify_(self) -> None:
        """Check that indices are integers (I2), and for a size for each dimension (I3) and one element type."""
        indices, operand, result = tensor(self.start_indices), tensor(self.operand), tensor(self.result)
        check(isinstance(indices.element_type, IntegerType), f"{self.name} (I2)", "indices of type {}", indices)
        check_vector(self, self.slice_sizes, operand.get_num_dims(), "I3")
        check(result.element_type == operand.element_type, self.name, "elements of {} as {}", operand, result)

    def verify_quantized(self) -> None:
        """Check that the operand is not quantized per axis."""
        check_per_tensor(self, (self.operand,))

    def static(self, lists: Sequence[Array]) -> Operation:
        """Return ``gather``."""
        return GatherOp(self.operand, self.start_indices, self.dimension_numbers.data, lists[0].tolist())


@irdl_op_definition
class DynamicConvOp(StableHLOOp, SizedOp):
    """``convolution`` with padding given as a tensor of pairs."""

    name = "stablehlo.dynamic_conv"
    LIST_RANK: ClassVar[int] = 2
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    padding = operand_def(TensorType)
    window_strides = opt_prop_def(DenseArrayBase)
    lhs_dilation = opt_prop_def(DenseArrayBase)
    rhs_dilation = opt_prop_def(DenseArrayBase)
    window_reversal = opt_prop_def(DenseArrayBase)
    dimension_numbers = prop_def(ConvDimensionNumbersAttr)
    feature_group_count = prop_def(IntegerAttr)
    batch_group_count = prop_def(IntegerAttr)
    precision_config = opt_prop_def(ArrayAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Check for a pair of integers for each spatial dimension (I3)."""
        given, rank = tensor(self.padding), len(self.dimension_numbers.data.input_spatial)
        pairs = isinstance(given.element_type, IntegerType) and given.get_shape() == (rank, 2)
        check(pairs, f"{self.name} (I3)", "{} pairs of integers are needed, found {}", rank, given)

    def static(self, lists: Sequence[Array]) -> Operation:
        """Return ``convolution``."""
        op = ConvolutionOp.create(
            operands=[self.lhs, self.rhs],
            properties={**self.properties, "padding": padding_attribute(lists[0].tolist())},
            result_types=[self.result.type],
        )
        Rewriter.replace_value_with_new_type(op.result, op.infer())
        return op


@irdl_op_definition
class SetDimensionSizeOp(InferredOp, ClauseOp):
    """The operand with a size given to one dimension as a value; the type keeps the largest size."""

    name = "stablehlo.set_dimension_size"
    CLAUSES: ClassVar[Clauses] = (("dim", "dimension"),)
    operand = operand_def(TensorType)
    size = operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), PassesIntegers())

    def __init__(self, operand: SSAValue, size: SSAValue, dimension: int) -> None:
        super().__init__(operands=[operand, size], properties={"dimension": integer(dimension)})

    def infer(self) -> Tensor:
        """Return the operand's type."""
        return tensor(self.operand)

    def verify_(self) -> None:
        """Check that the dimension is one of the operand's, and that the size is a scalar i32."""
        dimension, rank = self.dimension.value.data, len(shape(self.operand))
        check(0 <= dimension < rank, self.name, f"dimension {dimension} of a tensor of rank {rank}")
        check(self.size.type == tensor_type(i32, ()), self.name, "a size of type {}", self.size.type)
        super().verify_()
