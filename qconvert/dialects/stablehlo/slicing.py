"""Ops that select or extend parts of a tensor: slice, pad, gather.

Source: StableHLO's specification. Quantized operands keep their parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerType, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check_dimensions, check_sizes
from qconvert.dialects.stablehlo.base import StableHLOOp, as_tuple, integers
from qconvert.dialects.stablehlo.constraints import check_per_tensor
from qconvert.dialects.stablehlo.dimension_numbers import GatherDimensionNumbers, GatherDimensionNumbersAttr
from qconvert.dialects.stablehlo.syntax import ClauseOp, Clauses, create, print_operands, print_signature
from qconvert.dialects.traits import MovesElements, Rearranges
from qconvert.ir import Tensor, tensor, tensor_type, with_shape
from qconvert.support.errors import ConversionError


@irdl_op_definition
class SliceOp(InferredOp, StableHLOOp):
    """``operand[start:limit:stride]`` in every dimension; strides are positive."""

    name = "stablehlo.slice"
    PER_AXIS: ClassVar[bool] = False
    operand = operand_def(TensorType)
    start_indices = prop_def(DenseArrayBase)
    limit_indices = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Rearranges())

    def __init__(
        self, operand: SSAValue, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int] | None = None
    ) -> None:
        steps = list(strides or [1] * len(starts))
        super().__init__(
            operands=[operand],
            properties={
                "start_indices": integers(starts),
                "limit_indices": integers(limits),
                "strides": integers(steps),
            },
        )

    @property
    def ranges(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Starts, limits and strides."""
        return as_tuple(self.start_indices), as_tuple(self.limit_indices), as_tuple(self.strides)

    def infer(self) -> Tensor:
        """Return the sizes that the ranges inside the operand (C2 to C4) give (C1, C5)."""
        return sliced(tensor(self.operand), *self.ranges)

    def print(self, printer: Printer) -> None:
        """Print ``%a [0:2, 1:3:2] : (type) -> type``; a stride of 1 is left out."""
        print_operands(printer, self)
        parts = (f"{a}:{b}" if step == 1 else f"{a}:{b}:{step}" for a, b, step in zip(*self.ranges, strict=True))
        printer.print_string(f" [{', '.join(parts)}]")
        print_signature(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        operand = parser.parse_unresolved_operand()
        ranges = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_range(parser))
        names = ("start_indices", "limit_indices", "strides")
        properties = {name: integers(part[i] for part in ranges) for i, name in enumerate(names)}
        return create(cls, parser, [operand], properties)


def _parse_range(parser: Parser) -> tuple[int, int, int]:
    start = parser.parse_integer(allow_boolean=False)
    parser.parse_punctuation(":")
    limit = parser.parse_integer(allow_boolean=False)
    has_step = parser.parse_optional_punctuation(":") is not None
    return start, limit, parser.parse_integer(allow_boolean=False) if has_step else 1


def sliced(type: Tensor, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]) -> Tensor:
    """Return the type of a slice."""
    check_sizes(type.get_num_dims(), starts, limits, strides)
    shape = []
    for size, start, limit, step in zip(type.get_shape(), starts, limits, strides, strict=True):
        if not (0 <= start <= limit <= size and step > 0):
            raise ConversionError(f"slice {start}:{limit}:{step} is outside a dimension of size {size}")
        shape.append(max(0, -(-(limit - start) // step)))
    return with_shape(type, shape)


@irdl_op_definition
class PadOp(InferredOp, ClauseOp):
    """Edges (negative: cropped) and gaps filled with a scalar ``padding_value`` of the operand's element type."""

    name = "stablehlo.pad"
    PER_AXIS: ClassVar[bool] = False
    CLAUSES: ClassVar[Clauses] = (
        ("low", "edge_padding_low"),
        ("high", "edge_padding_high"),
        ("interior", "interior_padding"),
    )
    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = prop_def(DenseArrayBase)
    edge_padding_high = prop_def(DenseArrayBase)
    interior_padding = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements())

    def __init__(
        self,
        operand: SSAValue,
        padding_value: SSAValue,
        low: Sequence[int],
        high: Sequence[int],
        interior: Sequence[int] | None = None,
    ) -> None:
        gaps = list(interior or [0] * len(low))
        super().__init__(
            operands=[operand, padding_value],
            properties={
                "edge_padding_low": integers(low),
                "edge_padding_high": integers(high),
                "interior_padding": integers(gaps),
            },
        )

    def infer(self) -> Tensor:
        """Return each size with its padding (C2 to C4)."""
        lists = (self.edge_padding_low, self.edge_padding_high, self.interior_padding)
        return padded(tensor(self.operand), *(as_tuple(values) for values in lists))

    def verify_(self) -> None:
        """Check that the padding value is a scalar of the operand's element type (C1), and that sizes fit."""
        super().verify_()
        if tensor(self.padding_value) != tensor_type(tensor(self.operand).element_type, ()):
            raise VerifyException(f"{self.name} (C1): a padding value of type {self.padding_value.type}")


def padded(type: Tensor, low: Sequence[int], high: Sequence[int], interior: Sequence[int]) -> Tensor:
    """Return the type of a pad."""
    check_sizes(type.get_num_dims(), low, high, interior)
    shape = [
        size + before + after + max(0, size - 1) * gap
        for size, before, after, gap in zip(type.get_shape(), low, high, interior, strict=True)
    ]
    if any(size < 0 for size in shape) or any(gap < 0 for gap in interior):
        raise ConversionError(f"padding {list(low)}, {list(high)} removes more than a tensor of {type.get_shape()} has")
    return with_shape(type, shape)


@irdl_op_definition
class GatherOp(InferredOp, StableHLOOp):
    """Slices of the operand at starting indices read from a tensor."""

    name = "stablehlo.gather"
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    dimension_numbers = prop_def(GatherDimensionNumbersAttr)
    slice_sizes = prop_def(DenseArrayBase)
    indices_are_sorted = opt_prop_def(BoolAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements(1))

    def __init__(
        self,
        operand: SSAValue,
        start_indices: SSAValue,
        dimension_numbers: GatherDimensionNumbers,
        slice_sizes: Sequence[int],
    ) -> None:
        super().__init__(
            operands=[operand, start_indices],
            properties={
                "dimension_numbers": GatherDimensionNumbersAttr(dimension_numbers),
                "slice_sizes": integers(slice_sizes),
                "indices_are_sorted": BoolAttr.from_bool(False),
            },
        )

    def infer(self) -> Tensor:
        """Return the sizes (C22, C23) that dimension numbers and slice sizes (C1 to C21) give."""
        operand, indices = tensor(self.operand), tensor(self.start_indices)
        return gathered(operand, indices, self.dimension_numbers.data, as_tuple(self.slice_sizes))

    def verify_quantized(self) -> None:
        """Check that the operand is not quantized per axis."""
        check_per_tensor(self, (self.operand,))

    def verify_(self) -> None:
        """Check that the indices are integers, and that sizes fit."""
        super().verify_()
        indices = tensor(self.start_indices)
        if not isinstance(indices.element_type, IntegerType):
            raise VerifyException(f"{self.name} (I2): indices of type {indices}")


def gathered(operand: Tensor, indices: Tensor, numbers: GatherDimensionNumbers, slice_sizes: Sequence[int]) -> Tensor:
    """Return the type of a gather; raises ConversionError naming the constraint that does not hold."""
    rank, index_rank = operand.get_num_dims(), indices.get_num_dims()
    batches = numbers.operand_batching_dims
    check_sizes(rank, slice_sizes, numbers.offset_dims + numbers.collapsed_slice_dims + batches)
    check_dimensions(numbers.collapsed_slice_dims + batches, rank)
    check_dimensions((*numbers.start_index_map, *batches), rank)
    check_dimensions(numbers.start_indices_batching_dims, index_rank)
    check_sizes(len(batches), numbers.start_indices_batching_dims)
    vector = numbers.index_vector_dim
    if not 0 <= vector <= index_rank:
        raise ConversionError(f"index_vector_dim {vector} for indices of rank {index_rank} (C2)")
    if len(numbers.start_index_map) != (indices.get_shape()[vector] if vector < index_rank else 1):
        raise ConversionError(f"start_index_map {list(numbers.start_index_map)} for indices {indices.get_shape()} (C3)")
    for size, extent in zip(slice_sizes, operand.get_shape(), strict=True):
        if not 0 <= size <= extent:
            raise ConversionError(f"slices of size {size} in a dimension of size {extent} (C21)")
    if any(slice_sizes[i] > 1 for i in numbers.collapsed_slice_dims + batches):
        raise ConversionError(f"slice sizes {list(slice_sizes)} in dimensions that the result lacks (C9, C12)")
    check_dimensions(numbers.offset_dims, len(numbers.offset_dims) + index_rank - (vector < index_rank))
    return with_shape(operand, numbers.result_shape(indices.get_shape(), slice_sizes))
