"""Ops that move elements without computing: one shape rule each.

Source: StableHLO's specification. Quantized operands keep their parameters; a per-axis type follows its axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue
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

from qconvert.dialects.quant import UniformQuantizedType
from qconvert.dialects.stablehlo.base import as_tuple, integer, integers, permuted_axis
from qconvert.dialects.stablehlo.dimension_numbers import GatherDimensionNumbers, GatherDimensionNumbersAttr
from qconvert.dialects.types import Tensor, tensor
from qconvert.errors import ConversionError


def _prod(values: Sequence[int]) -> int:
    total = 1
    for value in values:
        total *= value
    return total


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """The same elements in row-major order under another shape."""

    name = "stablehlo.reshape"
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, shape: Sequence[int]) -> None:
        type = tensor(operand)
        if _prod(shape) != type.element_count():
            raise ConversionError(f"cannot reshape {type.get_shape()} to {tuple(shape)}: the counts of elements differ")
        super().__init__(operands=[operand], result_types=[TensorType(reshaped_element(type, shape), shape)])


def reshaped_element(type: Tensor, shape: Sequence[int]) -> Attribute:
    """The element type after a reshape: a per-axis type keeps its axis if some dimension still spans the same slices.

    Raises ConversionError where the slices along the quantization dimension are split or merged.
    """
    element = type.element_type
    if not isinstance(element, UniformQuantizedType) or element.quantization_dimension is None:
        return element
    axis = element.quantization_dimension
    before, size = _prod(type.get_shape()[:axis]), type.get_shape()[axis]
    for candidate, extent in enumerate(shape):
        if extent == size and _prod(shape[:candidate]) == before:
            return element.with_axis(candidate)
    raise ConversionError(f"reshape {type.get_shape()} to {tuple(shape)} mixes the slices of quantization dimension {axis}")


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """``result.shape[i] = operand.shape[permutation[i]]``."""

    name = "stablehlo.transpose"
    operand = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, permutation: Sequence[int]) -> None:
        type = tensor(operand)
        if sorted(permutation) != list(range(type.get_num_dims())):
            raise ConversionError(f"{list(permutation)} is not a permutation of the {type.get_num_dims()} dimensions")
        shape = [type.get_shape()[i] for i in permutation]
        result = TensorType(permuted_axis(type.element_type, permutation), shape)
        super().__init__(operands=[operand], properties={"permutation": integers(permutation)}, result_types=[result])


@irdl_op_definition
class BroadcastInDimOp(IRDLOperation):
    """Operand dimension ``i`` becomes result dimension ``broadcast_dimensions[i]``; size 1 is repeated."""

    name = "stablehlo.broadcast_in_dim"
    operand = operand_def(TensorType)
    broadcast_dimensions = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, shape: Sequence[int], broadcast_dimensions: Sequence[int]) -> None:
        type = tensor(operand)
        for size, target in zip(type.get_shape(), (shape[i] for i in broadcast_dimensions), strict=True):
            if size not in (1, target):
                raise ConversionError(f"cannot broadcast {type.get_shape()} to {tuple(shape)}")
        element = type.element_type
        if isinstance(element, UniformQuantizedType) and element.quantization_dimension is not None:
            element = element.with_axis(broadcast_dimensions[element.quantization_dimension])
        super().__init__(
            operands=[operand],
            properties={"broadcast_dimensions": integers(broadcast_dimensions)},
            result_types=[TensorType(element, shape)],
        )


@irdl_op_definition
class ConcatenateOp(IRDLOperation):
    """Operands one after the other along ``dimension``."""

    name = "stablehlo.concatenate"
    inputs = var_operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, inputs: Sequence[SSAValue], dimension: int) -> None:
        first = tensor(inputs[0])
        shape = list(first.get_shape())
        shape[dimension] = 0
        for value in inputs:
            found = list(tensor(value).get_shape())
            if len(found) != len(shape) or any(found[i] != shape[i] for i in range(len(shape)) if i != dimension):
                raise ConversionError(f"cannot concatenate {tuple(found)} with {first.get_shape()} along {dimension}")
            shape[dimension] += found[dimension]
        super().__init__(
            operands=[list(inputs)],
            properties={"dimension": integer(dimension)},
            result_types=[TensorType(first.element_type, shape)],
        )


@irdl_op_definition
class SliceOp(IRDLOperation):
    """``operand[start:limit:stride]`` in every dimension; strides are positive."""

    name = "stablehlo.slice"
    operand = operand_def(TensorType)
    start_indices = prop_def(DenseArrayBase)
    limit_indices = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(
        self, operand: SSAValue, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int] | None = None
    ) -> None:
        type = tensor(operand)
        steps = list(strides or [1] * len(starts))
        for size, start, limit, step in zip(type.get_shape(), starts, limits, steps, strict=True):
            if not (0 <= start <= limit <= size and step > 0):
                raise ConversionError(f"slice {start}:{limit}:{step} is outside a dimension of size {size}")
        shape = [max(0, -(-(limit - start) // step)) for start, limit, step in zip(starts, limits, steps, strict=True)]
        super().__init__(
            operands=[operand],
            properties={
                "start_indices": integers(starts),
                "limit_indices": integers(limits),
                "strides": integers(steps),
            },
            result_types=[TensorType(type.element_type, shape)],
        )


@irdl_op_definition
class PadOp(IRDLOperation):
    """Edges (negative: cropped) and gaps filled with a scalar ``padding_value`` of the operand's element type."""

    name = "stablehlo.pad"
    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = prop_def(DenseArrayBase)
    edge_padding_high = prop_def(DenseArrayBase)
    interior_padding = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(
        self,
        operand: SSAValue,
        padding_value: SSAValue,
        low: Sequence[int],
        high: Sequence[int],
        interior: Sequence[int] | None = None,
    ) -> None:
        type = tensor(operand)
        gaps = list(interior or [0] * len(low))
        shape = [
            size + before + after + max(0, size - 1) * gap
            for size, before, after, gap in zip(type.get_shape(), low, high, gaps, strict=True)
        ]
        if any(size < 0 for size in shape):
            raise ConversionError(f"padding {list(low)}, {list(high)} removes more than a tensor of {type.get_shape()} has")
        super().__init__(
            operands=[operand, padding_value],
            properties={
                "edge_padding_low": integers(low),
                "edge_padding_high": integers(high),
                "interior_padding": integers(gaps),
            },
            result_types=[TensorType(type.element_type, shape)],
        )


@irdl_op_definition
class ReverseOp(IRDLOperation):
    """The elements of each of ``dimensions`` in reverse order."""

    name = "stablehlo.reverse"
    operand = operand_def(TensorType)
    dimensions = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, dimensions: Sequence[int]) -> None:
        super().__init__(
            operands=[operand], properties={"dimensions": integers(dimensions)}, result_types=[tensor(operand)]
        )


@irdl_op_definition
class IotaOp(IRDLOperation):
    """The index along ``iota_dimension`` at every element."""

    name = "stablehlo.iota"
    iota_dimension = prop_def(IntegerAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, type: Tensor, iota_dimension: int) -> None:
        super().__init__(properties={"iota_dimension": integer(iota_dimension)}, result_types=[type])


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Slices of the operand at starting indices read from a tensor."""

    name = "stablehlo.gather"
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    dimension_numbers = prop_def(GatherDimensionNumbersAttr)
    slice_sizes = prop_def(DenseArrayBase)
    indices_are_sorted = opt_prop_def(BoolAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(
        self,
        operand: SSAValue,
        start_indices: SSAValue,
        dimension_numbers: GatherDimensionNumbers,
        slice_sizes: Sequence[int],
    ) -> None:
        shape = dimension_numbers.result_shape(tensor(start_indices).get_shape(), slice_sizes)
        super().__init__(
            operands=[operand, start_indices],
            properties={
                "dimension_numbers": GatherDimensionNumbersAttr(dimension_numbers),
                "slice_sizes": integers(slice_sizes),
                "indices_are_sorted": BoolAttr.from_bool(False),
            },
            result_types=[TensorType(tensor(operand).element_type, shape)],
        )


def permutation_of(op: TransposeOp) -> tuple[int, ...]:
    """The permutation of a transpose as a tuple."""
    return as_tuple(op.permutation)
