"""``scatter``: slices of the inputs combined with updates at computed places, the mirror image of ``gather``.

Source: StableHLO's specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from xdsl.dialects.builtin import BoolAttr, IntegerType, TensorType
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    SameVariadicOperandSize,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.op_checks import check, check_dimensions
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.computation import check_one_shape, signature
from qconvert.dialects.stablehlo.constraints import check_combined
from qconvert.dialects.stablehlo.dimension_numbers import DimensionListsAttr, GatherDimensionNumbers
from qconvert.dialects.traits import PassesIntegers
from qconvert.ir import element_type, shape, tensor
from qconvert.support.errors import ConversionError


class ScatterDimensionNumbers(NamedTuple):
    """The dimensions of an update's slices, and the input dimensions that the indices address."""

    update_window_dims: tuple[int, ...] = ()
    inserted_window_dims: tuple[int, ...] = ()
    input_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()
    scatter_dims_to_operand_dims: tuple[int, ...] = ()
    index_vector_dim: int = 0

    @property
    def as_gather(self) -> GatherDimensionNumbers:
        """Return the gather that reads the elements that this scatter writes."""
        return GatherDimensionNumbers(
            self.update_window_dims,
            self.inserted_window_dims,
            self.input_batching_dims,
            self.scatter_indices_batching_dims,
            self.scatter_dims_to_operand_dims,
            self.index_vector_dim,
        )

    @property
    def absent(self) -> tuple[int, ...]:
        """The input dimensions that the updates lack."""
        return self.inserted_window_dims + self.input_batching_dims

    def check(self, inputs: Sequence[int], indices: Sequence[int], updates: Sequence[int]) -> None:
        """Raise ConversionError naming the constraint unless the numbers fit these shapes."""
        rank, vector = len(inputs), self.index_vector_dim
        if rank != len(self.update_window_dims) + len(self.absent):
            raise ConversionError(f"(C2) window, inserted and batching dimensions do not make up a rank of {rank}")
        for dimensions, limit in (
            (self.update_window_dims, len(updates)),
            (self.absent, rank),
            ((*self.scatter_dims_to_operand_dims, *self.input_batching_dims), rank),
            (self.scatter_indices_batching_dims, len(indices)),
        ):
            check_dimensions(dimensions, limit)
        for ordered in (self.update_window_dims, self.inserted_window_dims, self.input_batching_dims):
            if list(ordered) != sorted(ordered):
                raise ConversionError(f"(C7, C10, C12) dimensions {list(ordered)} are not in order")
        if not 0 <= vector <= len(indices):
            raise ConversionError(f"(C22) index_vector_dim {vector} for indices of rank {len(indices)}")
        if len(self.scatter_dims_to_operand_dims) != (indices[vector] if vector < len(indices) else 1):
            listed = list(self.scatter_dims_to_operand_dims)
            raise ConversionError(f"(C19) scatter_dims_to_operand_dims {listed} for indices {tuple(indices)}")
        self._check_batching(inputs, indices)
        self._check_updates(inputs, indices, updates)

    def _check_batching(self, inputs: Sequence[int], indices: Sequence[int]) -> None:
        pairs = (self.input_batching_dims, self.scatter_indices_batching_dims)
        if len(pairs[0]) != len(pairs[1]) or self.index_vector_dim in pairs[1]:
            raise ConversionError(f"(C16, C17) batching dimensions {list(pairs[0])} and {list(pairs[1])}")
        if any(inputs[i] != indices[j] for i, j in zip(*pairs, strict=True)):
            raise ConversionError(f"(C18) batching dimensions of {tuple(inputs)} and {tuple(indices)} differ in size")

    def _check_updates(self, inputs: Sequence[int], indices: Sequence[int], updates: Sequence[int]) -> None:
        windows = [size for i, size in enumerate(inputs) if i not in self.absent]
        batch = [size for i, size in enumerate(indices) if i != self.index_vector_dim]
        found = [size for i, size in enumerate(updates) if i not in self.update_window_dims]
        fits = all(updates[i] <= size for i, size in zip(self.update_window_dims, windows, strict=True))
        if found != batch or not fits:
            raise ConversionError(f"(C4) updates of shape {tuple(updates)} to {tuple(inputs)} at {tuple(indices)}")


@irdl_attr_definition
class ScatterDimensionNumbersAttr(DimensionListsAttr[ScatterDimensionNumbers]):
    """``#stablehlo.scatter<update_window_dims = [1], ..., index_vector_dim = 1>``."""

    name = "stablehlo.scatter"
    NUMBERS: ClassVar[type[Any]] = ScatterDimensionNumbers


@irdl_op_definition
class ScatterOp(StableHLOOp):
    """The inputs, with ``update_computation(input, update)`` at each index of an update that lies inside."""

    name = "stablehlo.scatter"
    PER_AXIS: ClassVar[bool] = False
    inputs = var_operand_def(TensorType)
    scatter_indices = operand_def(TensorType)
    updates = var_operand_def(TensorType)
    scatter_dimension_numbers = prop_def(ScatterDimensionNumbersAttr)
    indices_are_sorted = opt_prop_def(BoolAttr)
    unique_indices = opt_prop_def(BoolAttr)
    update_computation = region_def()
    results_ = var_result_def(TensorType)
    traits = traits_def(Pure(), PassesIntegers())
    irdl_options = (SameVariadicOperandSize(),)

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        scatter_indices: SSAValue,
        updates: Sequence[SSAValue],
        numbers: ScatterDimensionNumbers,
        update_computation: Region,
    ) -> None:
        terminator = update_computation.block.last_op
        assert terminator is not None
        results = zip(inputs, terminator.operands, strict=True)
        super().__init__(
            operands=[list(inputs), scatter_indices, list(updates)],
            properties={"scatter_dimension_numbers": ScatterDimensionNumbersAttr(numbers)},
            regions=[update_computation],
            result_types=[[TensorType(element_type(given), shape(value)) for value, given in results]],
        )

    @property
    def numbers(self) -> ScatterDimensionNumbers:
        """The roles of the dimensions."""
        return self.scatter_dimension_numbers.data

    def verify_(self) -> None:
        """Check inputs and updates (C1, C3, C5, C6), dimensions (C2, C4, C7 to C22), and the results."""
        count, name = len(self.inputs), self.name
        check(0 < count == len(self.updates), f"{name} (C5)", f"{count} inputs, {len(self.updates)} updates")
        check_one_shape(self, "C1", self.inputs)
        check_one_shape(self, "C3", self.updates)
        for value, update in zip(self.inputs, self.updates, strict=True):
            same = element_type(value) == element_type(update)
            check(same, f"{name} (C6)", "updates of {} to {}", element_type(update), element_type(value))
        indices = tensor(self.scatter_indices)
        check(isinstance(indices.element_type, IntegerType), f"{name} (I2)", f"indices of type {indices}")
        try:
            self.numbers.check(shape(self.inputs[0]), indices.get_shape(), shape(self.updates[0]))
        except ConversionError as error:
            raise VerifyException(f"{name}: {error.found}") from error
        self._verify_results(count)

    def verify_quantized(self) -> None:
        """Check that elements can be promoted to the types that the computation combines (C23)."""
        super().verify_quantized()
        check_combined(self, "C23")

    def _verify_results(self, count: int) -> None:
        """Check that the computation combines one type for each input (C23), which is the result's type (C24, C25)."""
        taken, given = signature(self, self.update_computation)
        fits = len(given) == count and taken == given * 2
        check(fits, f"{self.name} (C23)", f"the computation does not combine {count} pairs of scalars")
        check(len(self.results) == count, f"{self.name} (C24)", f"{len(self.results)} results of {count} inputs")
        for value, found, argument in zip(self.inputs, self.results, self.update_computation.block.args, strict=False):
            expected = TensorType(element_type(argument), shape(value))
            check(
                found.type == expected, f"{self.name} (C24, C25)", "a result of {}, expected {}", found.type, expected
            )
