"""Ops that move elements without computing: one shape rule each, used at construction and by the verifier.

Source: StableHLO's specification. Quantized operands keep their parameters; a per-axis type follows its axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.stablehlo.base import (
    as_tuple,
    check_dimensions,
    check_sizes,
    check_type,
    integer,
    integers,
    permuted_axis,
)
from qconvert.dialects.stablehlo.syntax import ClauseOp, Clauses, SameTypeClauseOp
from qconvert.dialects.traits import Layer, MovesElements, NotIn, Rearranges
from qconvert.ir.quant import UniformQuantizedType, is_quantized_element
from qconvert.ir.types import Tensor, tensor, tensor_type, with_shape
from qconvert.support.errors import ConversionError


@irdl_op_definition
class ReshapeOp(ClauseOp):
    """The same elements in row-major order under another shape."""

    name = "stablehlo.reshape"
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Rearranges())

    def __init__(self, operand: SSAValue, shape: Sequence[int]) -> None:
        type = tensor(operand)
        check_count(type, shape)
        super().__init__(operands=[operand], result_types=[tensor_type(reshaped_element(type, shape), shape)])

    def verify_(self) -> None:
        """The counts of elements agree (C2); a per-axis type keeps its slices (C1, C3)."""
        result = tensor(self.result)
        check_type(self, lambda: reshaped(tensor(self.operand), result), element="C1")


def check_count(type: Tensor, shape: Sequence[int]) -> None:
    """Raise ConversionError unless the shape has as many elements as the type."""
    if math.prod(shape) != math.prod(type.get_shape()):
        raise ConversionError(f"cannot reshape {type.get_shape()} to {tuple(shape)}: the counts of elements differ")


def reshaped(type: Tensor, result: Tensor) -> Tensor:
    """The type of a reshape to ``result``'s shape; where several dimensions fit the slices, with ``result``'s axis."""
    shape, element = result.get_shape(), result.element_type
    check_count(type, shape)
    if isinstance(element, UniformQuantizedType) and element.quantization_dimension in slice_axes(type, shape):
        axis = element.quantization_dimension
        return tensor_type(permuted_to(type.element_type, axis), shape)
    return tensor_type(reshaped_element(type, shape), shape)


def permuted_to(element: Attribute, axis: int) -> Attribute:
    """A per-axis element type with another axis."""
    return element.with_axis(axis) if isinstance(element, UniformQuantizedType) else element


def slice_axes(type: Tensor, shape: Sequence[int]) -> tuple[int, ...]:
    """The dimensions of ``shape`` that span the slices of a per-axis type's quantization dimension."""
    element = type.element_type
    if not isinstance(element, UniformQuantizedType) or element.quantization_dimension is None:
        return ()
    axis = element.quantization_dimension
    before, size = math.prod(type.get_shape()[:axis]), type.get_shape()[axis]
    return tuple(i for i, extent in enumerate(shape) if extent == size and math.prod(shape[:i]) == before)


def reshaped_element(type: Tensor, shape: Sequence[int]) -> Attribute:
    """The element type after a reshape: a per-axis type keeps its axis if some dimension still spans the same slices.

    Raises ConversionError where the slices along the quantization dimension are split or merged.
    """
    element = type.element_type
    if not isinstance(element, UniformQuantizedType) or element.quantization_dimension is None:
        return element
    for axis in slice_axes(type, shape):
        return element.with_axis(axis)
    raise ConversionError(
        f"reshape {type.get_shape()} to {tuple(shape)} mixes the slices of quantization dimension "
        f"{element.quantization_dimension} (C3)"
    )


@irdl_op_definition
class TransposeOp(ClauseOp):
    """``result.shape[i] = operand.shape[permutation[i]]``."""

    name = "stablehlo.transpose"
    CLAUSES: ClassVar[Clauses] = (("dims", "permutation"),)
    operand = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Rearranges())

    def __init__(self, operand: SSAValue, permutation: Sequence[int]) -> None:
        result = transposed(tensor(operand), permutation)
        super().__init__(operands=[operand], properties={"permutation": integers(permutation)}, result_types=[result])

    def verify_(self) -> None:
        """The permutation is one (C2) and gives shape and axis of the result (C3, C4)."""
        permutation = as_tuple(self.permutation)
        check_type(self, lambda: transposed(tensor(self.operand), permutation), element="C1", axis="C4")


def transposed(type: Tensor, permutation: Sequence[int]) -> Tensor:
    """The type of a transpose."""
    if sorted(permutation) != list(range(type.get_num_dims())):
        raise ConversionError(
            f"{list(permutation)} is not a permutation of the {type.get_num_dims()} dimensions",
            hint="Name every dimension from 0 on once",
        )
    shape = [type.get_shape()[i] for i in permutation]
    return tensor_type(permuted_axis(type.element_type, permutation), shape)


@irdl_op_definition
class BroadcastInDimOp(ClauseOp):
    """Operand dimension ``i`` becomes result dimension ``broadcast_dimensions[i]``; size 1 is repeated."""

    name = "stablehlo.broadcast_in_dim"
    CLAUSES: ClassVar[Clauses] = (("dims", "broadcast_dimensions"),)
    operand = operand_def(TensorType)
    broadcast_dimensions = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements())

    def __init__(self, operand: SSAValue, shape: Sequence[int], broadcast_dimensions: Sequence[int]) -> None:
        super().__init__(
            operands=[operand],
            properties={"broadcast_dimensions": integers(broadcast_dimensions)},
            result_types=[broadcasted(tensor(operand), shape, broadcast_dimensions)],
        )

    def verify_(self) -> None:
        """The dimensions fit (C2 to C5); a per-axis type follows its axis (C6)."""
        type, target = tensor(self.operand), tensor(self.result).get_shape()
        dimensions = as_tuple(self.broadcast_dimensions)
        check_type(self, lambda: broadcasted(type, target, dimensions), element="C1", per_axis="C6")


def broadcasted(type: Tensor, shape: Sequence[int], broadcast_dimensions: Sequence[int]) -> Tensor:
    """The type of a broadcast; the one scale of a per-axis dimension of size 1 is repeated."""
    check_sizes(type.get_num_dims(), broadcast_dimensions)
    check_dimensions(broadcast_dimensions, len(shape))
    for size, target in zip(type.get_shape(), (shape[i] for i in broadcast_dimensions), strict=True):
        if size not in (1, target):
            raise ConversionError(f"cannot broadcast {type.get_shape()} to {tuple(shape)}")
    element = type.element_type
    if isinstance(element, UniformQuantizedType) and element.quantization_dimension is not None:
        axis = broadcast_dimensions[element.quantization_dimension]
        d, repeats = element.data, shape[axis] if len(element.data.scales) == 1 else 1
        element = UniformQuantizedType.per_axis(
            d.storage, d.scales * repeats, d.zero_points * repeats, axis, d.expressed_type
        )
    return tensor_type(element, shape)


@irdl_op_definition
class ConcatenateOp(ClauseOp):
    """Operands one after the other along ``dimension``."""

    name = "stablehlo.concatenate"
    CLAUSES: ClassVar[Clauses] = (("dim", "dimension"),)
    inputs = var_operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements())

    def __init__(self, inputs: Sequence[SSAValue], dimension: int) -> None:
        super().__init__(
            operands=[list(inputs)],
            properties={"dimension": integer(dimension)},
            result_types=[concatenated([tensor(value) for value in inputs], dimension)],
        )

    def verify_(self) -> None:
        """Element types are one (C1, C5); shapes fit along ``dimension`` (C2 to C6)."""
        types = [tensor(value) for value in self.inputs]
        check_type(self, lambda: concatenated(types, self.dimension.value.data))
        if any(type.element_type != types[0].element_type for type in types):
            listed = ", ".join(str(type.element_type) for type in types)
            raise VerifyException(f"{self.name} (C1): the inputs have element types {listed}")


def concatenated(types: Sequence[Tensor], dimension: int) -> Tensor:
    """The type of a concatenation, with the first element type."""
    if not types:
        raise ConversionError("nothing to concatenate")
    shape = list(types[0].get_shape())
    check_dimensions([dimension], len(shape))
    shape[dimension] = 0
    for type in types:
        found = list(type.get_shape())
        if len(found) != len(shape) or any(found[i] != shape[i] for i in range(len(shape)) if i != dimension):
            raise ConversionError(f"cannot concatenate {tuple(found)} with {types[0].get_shape()} along {dimension}")
        shape[dimension] += found[dimension]
    return with_shape(types[0], shape)


@irdl_op_definition
class ReverseOp(SameTypeClauseOp):
    """The elements of each of ``dimensions`` in reverse order."""

    name = "stablehlo.reverse"
    CLAUSES: ClassVar[Clauses] = (("dims", "dimensions"),)
    operand = operand_def(TensorType)
    dimensions = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Rearranges())

    def __init__(self, operand: SSAValue, dimensions: Sequence[int]) -> None:
        super().__init__(
            operands=[operand],
            properties={"dimensions": integers(dimensions)},
            result_types=[reversed_type(tensor(operand), dimensions)],
        )

    def verify_(self) -> None:
        """The type does not change (C1); dimensions are different ones of the operand (C2, C3)."""
        check_type(self, lambda: reversed_type(tensor(self.operand), as_tuple(self.dimensions)))


def reversed_type(type: Tensor, dimensions: Sequence[int]) -> Tensor:
    """The type of a reverse, which is the operand's."""
    check_dimensions(dimensions, type.get_num_dims())
    return type


@irdl_op_definition
class IotaOp(SameTypeClauseOp):
    """The index along ``iota_dimension`` at every element."""

    name = "stablehlo.iota"
    CLAUSES: ClassVar[Clauses] = (("dim", "iota_dimension"),)
    iota_dimension = prop_def(IntegerAttr)
    output = result_def(TensorType)
    traits = traits_def(
        Pure(),
        NotIn("its indices have to be a constant", Layer.TOSA),
        NotIn("it takes no operand", Layer.FUSION, Layer.MATH, Layer.RESCALE, Layer.PUSH, Layer.SINK, Layer.KERNELS),
    )

    def __init__(self, type: Tensor, iota_dimension: int) -> None:
        super().__init__(properties={"iota_dimension": integer(iota_dimension)}, result_types=[type])

    def verify_(self) -> None:
        """The dimension is one of the result's (C1), which is not quantized here."""
        type = tensor(self.output)
        check_type(self, lambda: reversed_type(type, [self.iota_dimension.value.data]))
        if is_quantized_element(type.element_type):
            raise VerifyException(f"{self.name}: a quantized result {type}")


def permutation_of(op: TransposeOp) -> tuple[int, ...]:
    """The permutation of a transpose as a tuple."""
    return as_tuple(op.permutation)
