"""Ops with positions or sizes as values: slices at computed places, shapes given as tensors.

Source: StableHLO's specification. Every tensor of the IR has a known shape, so a shape given as a value must equal the
shape in the result's type; the interpreter checks this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from qconvert.dialects.inference import InferredOp, ResultConstraints
from qconvert.dialects.op_checks import check, check_dimensions
from qconvert.dialects.stablehlo.base import StableHLOOp, as_tuple, integer, integers
from qconvert.dialects.stablehlo.constraints import check_dimension, check_per_tensor
from qconvert.dialects.stablehlo.movement import BroadcastInDimOp, IotaOp, ReshapeOp, broadcasted, reshaped
from qconvert.dialects.stablehlo.slicing import PadOp, sliced
from qconvert.dialects.stablehlo.syntax import ClauseOp, Clauses
from qconvert.dialects.traits import MovesElements, PassesIntegers
from qconvert.ir import Tensor, element_type, i1, i32, shape, tensor, tensor_type, with_shape
from qconvert.support.errors import ConversionError

Array: TypeAlias = NDArray[Any]


def _check_starts(op: ClauseOp, values: Sequence[SSAValue], rank: int, constraints: tuple[str, str]) -> None:
    """Check number and types of start indices, one scalar for each dimension; ``constraints`` are cited."""
    count, same = (f"{op.name} ({constraint})" for constraint in constraints)
    check(len(values) == rank, count, f"{len(values)} start indices for a tensor of rank {rank}")
    check(len({value.type for value in values}) <= 1, same, "start indices of different types")
    for value in values:
        scalar = isinstance(element_type(value), IntegerType) and not shape(value)
        check(scalar, op.name, "a start index of type {}", value.type)


@irdl_op_definition
class DynamicSliceOp(InferredOp, ClauseOp):
    """A slice of ``slice_sizes`` that starts at computed indices, moved to lie inside the operand."""

    name = "stablehlo.dynamic_slice"
    PER_AXIS: ClassVar[bool] = False
    CLAUSES: ClassVar[Clauses] = (("sizes", "slice_sizes"),)
    operand = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    slice_sizes = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements(1))

    def __init__(self, operand: SSAValue, start_indices: Sequence[SSAValue], slice_sizes: Sequence[int]) -> None:
        super().__init__(operands=[operand, list(start_indices)], properties={"slice_sizes": integers(slice_sizes)})

    def infer(self) -> Tensor:
        """Return the slice sizes, which fit the operand (C1, C4, C5)."""
        sizes = as_tuple(self.slice_sizes)
        return sliced(tensor(self.operand), [0] * len(sizes), sizes, [1] * len(sizes))

    def verify_(self) -> None:
        """Check that there is one index for each dimension (C2, C3), and that sizes fit."""
        _check_starts(self, self.start_indices, len(shape(self.operand)), ("C2", "C3"))
        super().verify_()


@irdl_op_definition
class DynamicUpdateSliceOp(InferredOp, ClauseOp):
    """The operand with a slice at computed indices replaced by ``update``."""

    name = "stablehlo.dynamic_update_slice"
    PER_AXIS: ClassVar[bool] = False
    RESULT_CONSTRAINTS: ClassVar[ResultConstraints] = ResultConstraints(element="C1")
    operand = operand_def(TensorType)
    update = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements(2))

    def __init__(self, operand: SSAValue, update: SSAValue, start_indices: Sequence[SSAValue]) -> None:
        super().__init__(operands=[operand, update, list(start_indices)])

    def infer(self) -> Tensor:
        """Return the operand's type (C1)."""
        return tensor(self.operand)

    def verify_(self) -> None:
        """Check the update's type (C2) and sizes (C3, C6), and for one index for each dimension (C4, C5)."""
        super().verify_()
        same = element_type(self.update) == element_type(self.operand)
        check(same, f"{self.name} (C2)", "an update of {} to {}", self.update.type, self.operand.type)
        extents, sizes = shape(self.operand), shape(self.update)
        check(len(sizes) == len(extents), f"{self.name} (C3)", f"an update of rank {len(sizes)} to {len(extents)}")
        fits = all(size <= extent for size, extent in zip(sizes, extents, strict=True))
        check(fits, f"{self.name} (C6)", f"an update of shape {sizes} does not fit {extents}")
        _check_starts(self, self.start_indices, len(extents), ("C4", "C5"))


class SizedOp(IRDLOperation, ABC):
    """The base of ops whose last operands are sizes, amounts or indices that another op has as attributes."""

    LISTS: ClassVar[int] = 1
    """The number of these operands."""

    LIST_RANK: ClassVar[int] = 1
    """The number of dimensions of each of them."""

    @abstractmethod
    def static(self, lists: Sequence[Array]) -> Operation:
        """Return the op that has these lists as attributes; raises ConversionError where they do not fit."""


def check_vector(op: StableHLOOp, value: SSAValue, size: int, constraint: str = "") -> None:
    """Check a shape, or another list with an integer for each dimension, that is given as a tensor."""
    is_vector = isinstance(element_type(value), IntegerType) and shape(value) == (size,)
    cited = f"{op.name} ({constraint})" if constraint else op.name
    check(is_vector, cited, "{} integers are needed, found {}", size, value.type)


@irdl_op_definition
class DynamicBroadcastInDimOp(InferredOp, ClauseOp, SizedOp):
    """``broadcast_in_dim`` to a shape given as a tensor."""

    name = "stablehlo.dynamic_broadcast_in_dim"
    RESULT_CONSTRAINTS: ClassVar[ResultConstraints] = ResultConstraints(element="C1", per_axis="C6")
    CLAUSES: ClassVar[Clauses] = (("dims", "broadcast_dimensions"),)
    operand = operand_def(TensorType)
    output_dimensions = operand_def(TensorType)
    broadcast_dimensions = prop_def(DenseArrayBase)
    known_expanding_dimensions = opt_prop_def(DenseArrayBase)
    known_nonexpanding_dimensions = opt_prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements(1))

    def __init__(
        self, operand: SSAValue, output_dimensions: SSAValue, target: Sequence[int], broadcast_dimensions: Sequence[int]
    ) -> None:
        super().__init__(
            operands=[operand, output_dimensions],
            properties={"broadcast_dimensions": integers(broadcast_dimensions)},
            result=tensor_type(i1, target),
        )

    def infer(self) -> Tensor:
        """Return the result's shape, which the dimensions fit (C2 to C5); the element type follows (C1, C6)."""
        return broadcasted(tensor(self.operand), shape(self.result), as_tuple(self.broadcast_dimensions))

    def verify_(self) -> None:
        """Check the type, for a size for each dimension (C7), and for dimensions named at most once (C8 to C10)."""
        super().verify_()
        check_vector(self, self.output_dimensions, len(shape(self.result)), "C7")
        known = as_tuple(self.known_expanding_dimensions) + as_tuple(self.known_nonexpanding_dimensions)
        try:
            check_dimensions(known, len(shape(self.operand)))
        except ConversionError as error:
            check(False, f"{self.name} (C8 to C10)", error.found)

    def static(self, lists: Sequence[Array]) -> Operation:
        """Return ``broadcast_in_dim``."""
        return BroadcastInDimOp(self.operand, lists[0].tolist(), as_tuple(self.broadcast_dimensions))


@irdl_op_definition
class DynamicReshapeOp(InferredOp, ClauseOp, SizedOp):
    """``reshape`` to a shape given as a tensor."""

    name = "stablehlo.dynamic_reshape"
    RESULT_CONSTRAINTS: ClassVar[ResultConstraints] = ResultConstraints(element="C1")
    operand = operand_def(TensorType)
    output_shape = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements(1))

    def __init__(self, operand: SSAValue, output_shape: SSAValue, result: Tensor) -> None:
        super().__init__(operands=[operand, output_shape], result=result)

    def infer(self) -> Tensor:
        """Return the result's shape, of as many elements (C2); a per-axis type keeps its slices (C1, C3)."""
        return reshaped(tensor(self.operand), tensor(self.result))

    def verify_(self) -> None:
        """Check that the type fits, and that there is a size for each dimension (C4)."""
        super().verify_()
        check_vector(self, self.output_shape, len(shape(self.result)), "C4")

    def static(self, lists: Sequence[Array]) -> Operation:
        """Return ``reshape``."""
        return ReshapeOp(self.operand, lists[0].tolist())


@irdl_op_definition
class DynamicIotaOp(ClauseOp, SizedOp):
    """``iota`` of a shape given as a tensor."""

    name = "stablehlo.dynamic_iota"
    CLAUSES: ClassVar[Clauses] = (("dim", "iota_dimension"),)
    output_shape = operand_def(TensorType)
    iota_dimension = prop_def(IntegerAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, output_shape: SSAValue, result: Tensor, iota_dimension: int) -> None:
        super().__init__(
            operands=[output_shape], properties={"iota_dimension": integer(iota_dimension)}, result_types=[result]
        )

    def verify_(self) -> None:
        """Check that the dimension is one of the result's (C1), and that there is a size for each dimension (C2)."""
        check_dimension(self, "C1", self.iota_dimension.value.data, self.output)
        check_vector(self, self.output_shape, len(shape(self.output)), "C2")

    def verify_quantized(self) -> None:
        """Check that the result is not quantized per axis."""
        check_per_tensor(self, self.results)

    def static(self, lists: Sequence[Array]) -> Operation:
        """Return ``iota``."""
        return IotaOp(with_shape(tensor(self.output), lists[0].tolist()), self.iota_dimension.value.data)


@irdl_op_definition
class DynamicPadOp(ClauseOp, SizedOp):
    """``pad`` by amounts given as tensors."""

    name = "stablehlo.dynamic_pad"
    PER_AXIS: ClassVar[bool] = False
    LISTS: ClassVar[int] = 3
    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = operand_def(TensorType)
    edge_padding_high = operand_def(TensorType)
    interior_padding = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements(2))

    def __init__(self, operands: Sequence[SSAValue], result: Tensor) -> None:
        super().__init__(operands=list(operands), result_types=[result])

    def verify_(self) -> None:
        """Check for one element type (C1), and for one amount for each dimension (C2)."""
        operand, result = tensor(self.operand), tensor(self.result)
        element: Attribute = operand.element_type
        same = tensor(self.padding_value) == TensorType(element, ()) and result.element_type == element
        check(same, f"{self.name} (C1)", "{} pads {} to {}", self.padding_value.type, operand, result)
        rank = operand.get_num_dims()
        check(result.get_num_dims() == rank, f"{self.name} (C4)", f"{operand} padded to {result}")
        for value in self.operands[2:]:
            check_vector(self, value, rank, "C2")

    def static(self, lists: Sequence[Array]) -> Operation:
        """Return ``pad``."""
        return PadOp(self.operand, self.padding_value, *(amounts.tolist() for amounts in lists))


@irdl_op_definition
class GetDimensionSizeOp(InferredOp, ClauseOp):
    """The size of one dimension as a scalar i32."""

    name = "stablehlo.get_dimension_size"
    CLAUSES: ClassVar[Clauses] = (("dim", "dimension"),)
    operand = operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), PassesIntegers())

    def __init__(self, operand: SSAValue, dimension: int) -> None:
        super().__init__(operands=[operand], properties={"dimension": integer(dimension)})

    def infer(self) -> Tensor:
        """Return a scalar of i32."""
        return tensor_type(i32, ())

    def verify_(self) -> None:
        """Check that the dimension is one of the operand's (C1), and that the result is a scalar i32."""
        check_dimension(self, "C1", self.dimension.value.data, self.operand)
        super().verify_()
