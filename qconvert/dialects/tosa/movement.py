"""Ops that move elements and compute nothing.

Source: TOSA specification 1.0, "Data layout operators".
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I32, DenseArrayBase, IntegerAttr, TensorType, i32
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, var_operand_def

from qconvert.dialects.op_checks import check_dimensions
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.dialects.tosa.base import TosaOp
from qconvert.dialects.tosa.element_types import MOVED, TypeTable, type_table
from qconvert.dialects.tosa.shapes import ShapeType, sizes_of
from qconvert.ir import Tensor, element_type, shape, tensor, with_shape
from qconvert.support.errors import ConversionError


class DataLayoutOp(TosaOp, ABC):
    """An op of the section "Data layout operators": its results are copies of elements."""

    TYPES: ClassVar[TypeTable] = type_table(*MOVED)


@irdl_op_definition
class ReshapeOp(DataLayoutOp):
    """The same elements, row-major, in another shape."""

    name = "tosa.reshape"

    input1 = operand_def(TensorType)
    shape = operand_def(ShapeType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, target: SSAValue) -> None:
        super().__init__([value, target], {})

    def infer(self) -> Tensor:
        """Return the given shape, which has as many elements."""
        given, target = tensor(self.input1), sizes_of(self.shape)
        if math.prod(given.get_shape()) != math.prod(target):
            raise ConversionError(f"{given} cannot be reshaped to {target}")
        return with_shape(given, target)


@irdl_op_definition
class TransposeOp(DataLayoutOp):
    """Result dimension ``i`` is the input's dimension ``perms[i]``."""

    name = "tosa.transpose"

    input1 = operand_def(TensorType)
    perms = prop_def(DenseArrayBase)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, permutation: Sequence[int]) -> None:
        super().__init__([value], {"perms": DenseArrayBase.from_list(i32, list(permutation))})

    @property
    def permutation(self) -> tuple[int, ...]:
        """The input dimension of each result dimension."""
        return as_tuple(self.perms)

    def infer(self) -> Tensor:
        """Return the sizes in the permutation's order."""
        given = shape(self.input1)
        if len(self.permutation) != len(given):
            raise ConversionError(f"the permutation {self.permutation} does not fit the shape {given}")
        check_dimensions(self.permutation, len(given))
        return with_shape(tensor(self.input1), [given[i] for i in self.permutation])


@irdl_op_definition
class PadOp(DataLayoutOp):
    """The input with elements of one value around it; ``padding`` is (low, high) of each dimension in turn."""

    name = "tosa.pad"

    input1 = operand_def(TensorType)
    padding = operand_def(ShapeType)
    pad_const = operand_def(TensorType)
    SCALARS: ClassVar[tuple[str, ...]] = ("pad_const",)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, padding: SSAValue, fill: SSAValue) -> None:
        super().__init__([value, padding, fill], {})

    def infer(self) -> Tensor:
        """Return each size plus both paddings."""
        given, pads = tensor(self.input1), sizes_of(self.padding)
        sizes = given.get_shape()
        if len(pads) != 2 * len(sizes):
            raise ConversionError(f"the paddings {pads} do not fit the shape {sizes}")
        return with_shape(given, [size + pads[2 * i] + pads[2 * i + 1] for i, size in enumerate(sizes)])


@irdl_op_definition
class ConcatOp(DataLayoutOp):
    """The inputs, which have one element type, concatenated along ``axis``."""

    name = "tosa.concat"
    TYPES: ClassVar[TypeTable] = type_table("i16 [int16]", *(name for name in MOVED if name != "i16"))

    input1 = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    output = result_def(TensorType)

    def __init__(self, values: Sequence[SSAValue], axis: int) -> None:
        super().__init__([list(values)], {"axis": IntegerAttr(axis, i32)})

    def infer(self) -> Tensor:
        """Return the sizes added up along the axis; raises ConversionError if other sizes or element types differ."""
        axis, types = self.axis.value.data, [tensor(value) for value in self.input1]
        given = [list(type.get_shape()) for type in types]
        total = sum(sizes[axis] for sizes in given)
        for sizes in given:
            sizes[axis] = total
        if any(sizes != given[0] for sizes in given) or len({type.element_type for type in types}) > 1:
            raise ConversionError(f"tensors {', '.join(map(str, types))} cannot be concatenated along {axis}")
        return with_shape(types[0], given[0])


@irdl_op_definition
class SliceOp(DataLayoutOp):
    """``size`` elements of each dimension from ``start`` on."""

    name = "tosa.slice"

    input1 = operand_def(TensorType)
    start = operand_def(ShapeType)
    size = operand_def(ShapeType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, start: SSAValue, size: SSAValue) -> None:
        super().__init__([value, start, size], {})

    def infer(self) -> Tensor:
        """Return the requested sizes; raises ConversionError if the slice leaves the input."""
        given, starts, sizes = shape(self.input1), sizes_of(self.start), sizes_of(self.size)
        fits = len(given) == len(starts) == len(sizes)
        if not fits or any(a < 0 or a + n > size for a, n, size in zip(starts, sizes, given, strict=True)):
            raise ConversionError(f"a slice of {sizes} from {starts} on is outside the shape {given}")
        return with_shape(tensor(self.input1), sizes)


@irdl_op_definition
class TileOp(DataLayoutOp):
    """The input repeated along each dimension."""

    name = "tosa.tile"

    input1 = operand_def(TensorType)
    multiples = operand_def(ShapeType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, multiples: SSAValue) -> None:
        super().__init__([value, multiples], {})

    def infer(self) -> Tensor:
        """Return each size times its multiple."""
        given, multiples = shape(self.input1), sizes_of(self.multiples)
        if len(given) != len(multiples):
            raise ConversionError(f"the multiples {multiples} do not fit the shape {given}")
        return with_shape(tensor(self.input1), [size * n for size, n in zip(given, multiples, strict=True)])


@irdl_op_definition
class GatherOp(TosaOp):
    """``output[n, w, c] = values[n, indices[n, w], c]``."""

    name = "tosa.gather"
    TYPES: ClassVar[TypeTable] = type_table(*(f"{name} i32 {name}" for name in MOVED if name != "i1"))

    values = operand_def(TensorType)
    indices = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, values: SSAValue, indices: SSAValue) -> None:
        super().__init__([values, indices], {})

    def infer(self) -> Tensor:
        """Return (n, w, c) for values of (n, k, c) and i32 indices of (n, w)."""
        values, indices = shape(self.values), shape(self.indices)
        if (len(values), len(indices)) != (3, 2) or values[0] != indices[0] or element_type(self.indices) != i32:
            raise ConversionError(f"values of {values} do not fit indices of {self.indices.type}")
        return with_shape(tensor(self.values), (*indices, values[2]))


@irdl_op_definition
class ScatterOp(TosaOp):
    """``output[n, indices[n, w], c] = input[n, w, c]``, elsewhere ``values_in``; the indices of a batch differ."""

    name = "tosa.scatter"
    TYPES: ClassVar[TypeTable] = type_table(*(f"{name} i32 {name} {name}" for name in MOVED if name != "i1"))

    values_in = operand_def(TensorType)
    indices = operand_def(TensorType)
    input = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, values: SSAValue, indices: SSAValue, rows: SSAValue) -> None:
        super().__init__([values, indices, rows], {})

    def infer(self) -> Tensor:
        """Return the type of the values, (n, k, c), for i32 indices of (n, w) and an input of (n, w, c)."""
        values, indices = shape(self.values_in), shape(self.indices)
        rows = (*indices, *values[2:])
        fits = (len(values), len(indices)) == (3, 2) and values[0] == indices[0] and shape(self.input) == rows
        types = element_type(self.values_in), element_type(self.indices)
        if not fits or types != (element_type(self.input), i32):
            raise ConversionError(
                f"rows of {self.input.type} at indices of {self.indices.type} do not fit {self.values_in.type}"
            )
        return tensor(self.values_in)


@irdl_op_definition
class IdentityOp(TosaOp):
    """The input."""

    name = "tosa.identity"
    TYPES: ClassVar[TypeTable] = type_table("i4", "i48", *MOVED)

    input1 = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue) -> None:
        super().__init__([value], {})

    def infer(self) -> Tensor:
        """Return the operand's type."""
        return tensor(self.input1)


@irdl_op_definition
class ReverseOp(DataLayoutOp):
    """The elements along ``axis`` in reverse order."""

    name = "tosa.reverse"

    input1 = operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, axis: int) -> None:
        super().__init__([value], {"axis": IntegerAttr(axis, i32)})

    def infer(self) -> Tensor:
        """Return the operand's type; raises ConversionError if the dimension does not exist."""
        check_dimensions([self.axis.value.data], len(shape(self.input1)))
        return tensor(self.input1)
