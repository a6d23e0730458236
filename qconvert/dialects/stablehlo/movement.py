"""Ops that move elements without computing, with one shape rule each for the constructor and the verifier.

Source: StableHLO's specification. Quantized operands keep their parameters; a per-axis type follows its axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import SSAValue
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

from qconvert.dialects.inference import InferredOp, ResultConstraints
from qconvert.dialects.op_checks import check_dimensions, check_sizes
from qconvert.dialects.stablehlo.base import as_tuple, integer, integers, permuted_axis
from qconvert.dialects.stablehlo.syntax import ClauseOp, Clauses, SameTypeClauseOp
from qconvert.dialects.traits import Layer, MovesElements, NotIn, Rearranges
from qconvert.ir import Tensor, UniformQuantizedType, i1, is_quantized_element, shape, tensor, tensor_type, with_shape
from qconvert.support.errors import ConversionError


@irdl_op_definition
class ReshapeOp(InferredOp, ClauseOp):
    """The same elements in row-major order under another shape."""

    name = "stablehlo.reshape"
    RESULT_CONSTRAINTS: ClassVar[ResultConstraints] = ResultConstraints(element="C1")
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Rearranges())

    def __init__(self, operand: SSAValue, shape: Sequence[int]) -> None:
        super().__init__(operands=[operand], result=tensor_type(i1, shape))

    def infer(self) -> Tensor:
        """Return the result's shape, of as many elements (C2); a per-axis type keeps its slices (C1, C3)."""
        return reshaped(tensor(self.operand), tensor(self.result))


def reshaped(type: Tensor, result: Tensor) -> Tensor:
    """Return the type of a reshape to ``result``'s shape; a per-axis type keeps its slices.

    Where several dimensions span the slices, the axis is ``result``'s, else the first. Raises ConversionError where the
    slices along the quantization dimension are split or merged.
    """
    shape, element, found = result.get_shape(), type.element_type, result.element_type
    if math.prod(shape) != math.prod(type.get_shape()):
        raise ConversionError(f"cannot reshape {type.get_shape()} to {tuple(shape)}: the counts of elements differ")
    if not isinstance(element, UniformQuantizedType) or element.quantization_dimension is None:
        return tensor_type(element, shape)
    axes = slice_axes(type, shape)
    if not axes:
        raise ConversionError(
            f"reshape {type.get_shape()} to {tuple(shape)} mixes the slices of quantization dimension "
            f"{element.quantization_dimension} (C3)"
        )
    wanted = found.quantization_dimension if isinstance(found, UniformQuantizedType) else None
    return tensor_type(element.with_axis(wanted if wanted in axes else axes[0]), shape)


def slice_axes(type: Tensor, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the dimensions of ``shape`` that span the slices of a per-axis type's quantization dimension."""
    element = type.element_type
    if not isinstance(element, UniformQuantizedType) or element.quantization_dimension is None:
        return ()
    axis = element.quantization_dimension
    before, size = math.prod(type.get_shape()[:axis]), type.get_shape()[axis]
    return tuple(i for i, extent in enumerate(shape) if extent == size and math.prod(shape[:i]) == before)


@irdl_op_definition
class TransposeOp(InferredOp, ClauseOp):
    """``result.shape[i] = operand.shape[permutation[i]]``."""

    name = "stablehlo.transpose"
    RESULT_CONSTRAINTS: ClassVar[ResultConstraints] = ResultConstraints(element="C1", axis="C4")
    CLAUSES: ClassVar[Clauses] = (("dims", "permutation"),)
    operand = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Rearranges())

    def __init__(self, operand: SSAValue, permutation: Sequence[int]) -> None:
        super().__init__(operands=[operand], properties={"permutation": integers(permutation)})

    def infer(self) -> Tensor:
        """Return the sizes and the axis in the order of the permutation (C3, C4), which names all dimensions (C2)."""
        type, permutation = tensor(self.operand), as_tuple(self.permutation)
        if sorted(permutation) != list(range(type.get_num_dims())):
            raise ConversionError(
                f"{list(permutation)} is not a permutation of the {type.get_num_dims()} dimensions",
                hint="Name every dimension from 0 on once",
            )
        sizes = [type.get_shape()[i] for i in permutation]
        return tensor_type(permuted_axis(type.element_type, permutation), sizes)


@irdl_op_definition
class BroadcastInDimOp(InferredOp, ClauseOp):
    """Operand dimension ``i`` becomes result dimension ``broadcast_dimensions[i]``; size 1 is repeated."""

    name = "stablehlo.broadcast_in_dim"
    RESULT_CONSTRAINTS: ClassVar[ResultConstraints] = ResultConstraints(element="C1", per_axis="C6")
    CLAUSES: ClassVar[Clauses] = (("dims", "broadcast_dimensions"),)
    operand = operand_def(TensorType)
    broadcast_dimensions = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements())

    def __init__(self, operand: SSAValue, shape: Sequence[int], broadcast_dimensions: Sequence[int]) -> None:
        super().__init__(
            operands=[operand],
            properties={"broadcast_dimensions": integers(broadcast_dimensions)},
            result=tensor_type(i1, shape),
        )

    def infer(self) -> Tensor:
        """Return the result's shape, which the dimensions fit (C2 to C5); a per-axis type follows its axis (C6)."""
        return broadcasted(tensor(self.operand), shape(self.result), as_tuple(self.broadcast_dimensions))


def broadcasted(type: Tensor, shape: Sequence[int], broadcast_dimensions: Sequence[int]) -> Tensor:
    """Return the type of a broadcast; the one scale of a per-axis dimension of size 1 is repeated."""
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
            d.storage, (*d.scales,) * repeats, (*d.zero_points,) * repeats, axis, d.expressed_type
        )
    return tensor_type(element, shape)


@irdl_op_definition
class ConcatenateOp(InferredOp, ClauseOp):
    """Operands one after the other along ``dimension``."""

    name = "stablehlo.concatenate"
    PER_AXIS: ClassVar[bool] = False
    CLAUSES: ClassVar[Clauses] = (("dim", "dimension"),)
    inputs = var_operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), MovesElements())

    def __init__(self, inputs: Sequence[SSAValue], dimension: int) -> None:
        super().__init__(operands=[list(inputs)], properties={"dimension": integer(dimension)})

    def infer(self) -> Tensor:
        """Return the first element type and the sizes along ``dimension`` added up (C2 to C6)."""
        return concatenated([tensor(value) for value in self.inputs], self.dimension.value.data)

    def verify_(self) -> None:
        """Check that elements are of one type (C1, C5), and that shapes fit."""
        super().verify_()
        types = [tensor(value) for value in self.inputs]
        if any(type.element_type != types[0].element_type for type in types):
            listed = ", ".join(str(type.element_type) for type in types)
            raise VerifyException(f"{self.name} (C1): the inputs have element types {listed}")


def concatenated(types: Sequence[Tensor], dimension: int) -> Tensor:
    """Return the type of a concatenation, with the first element type."""
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
class ReverseOp(InferredOp, SameTypeClauseOp):
    """The elements of each of ``dimensions`` in reverse order."""

    name = "stablehlo.reverse"
    PER_AXIS: ClassVar[bool] = False
    CLAUSES: ClassVar[Clauses] = (("dims", "dimensions"),)
    operand = operand_def(TensorType)
    dimensions = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Rearranges())

    def __init__(self, operand: SSAValue, dimensions: Sequence[int]) -> None:
        super().__init__(operands=[operand], properties={"dimensions": integers(dimensions)})

    def infer(self) -> Tensor:
        """Return the operand's type (C1); the dimensions are different dimensions of the operand (C2, C3)."""
        type = tensor(self.operand)
        check_dimensions(as_tuple(self.dimensions), type.get_num_dims())
        return type


@irdl_op_definition
class IotaOp(InferredOp, SameTypeClauseOp):
    """The index along ``iota_dimension`` at every element."""

    name = "stablehlo.iota"
    CLAUSES: ClassVar[Clauses] = (("dim", "iota_dimension"),)
    iota_dimension = prop_def(IntegerAttr)
    output = result_def(TensorType)
    traits = traits_def(
        Pure(),
        NotIn("it takes no operand", Layer.FUSION, Layer.MATH, Layer.RESCALE, Layer.PUSH, Layer.SINK, Layer.KERNELS),
    )

    def __init__(self, type: Tensor, iota_dimension: int) -> None:
        super().__init__(properties={"iota_dimension": integer(iota_dimension)}, result=type)

    def infer(self) -> Tensor:
        """Return the given type; the dimension is one of its dimensions (C1)."""
        type = tensor(self.output)
        check_dimensions([self.iota_dimension.value.data], type.get_num_dims())
        return type

    def verify_(self) -> None:
        """Check that the result is not quantized, which the IR does not support here."""
        super().verify_()
        type = tensor(self.output)
        if is_quantized_element(type.element_type):
            raise VerifyException(f"{self.name}: a quantized result {type}")


def permutation_of(op: TransposeOp) -> tuple[int, ...]:
    """Return the permutation of a transpose as a tuple."""
    return as_tuple(op.permutation)
