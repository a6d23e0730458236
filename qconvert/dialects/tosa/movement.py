"""Ops that move elements and compute nothing.

Source: TOSA specification 1.0, "Data layout operators".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i32
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from qconvert.dialects.stablehlo.base import as_tuple, check_dimensions
from qconvert.dialects.tosa.base import TosaOp
from qconvert.dialects.tosa.shape import ShapeType, sizes_of
from qconvert.dialects.types import Tensor, shape, tensor, with_shape
from qconvert.errors import ConversionError


@irdl_op_definition
class ReshapeOp(TosaOp):
    """The same elements, row-major, in another shape."""

    name = "tosa.reshape"

    input1 = operand_def(TensorType)
    shape = operand_def(ShapeType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, target: SSAValue) -> None:
        super().__init__([value, target], {})

    def infer(self) -> Tensor:
        """The shape given, of as many elements."""
        given, target = tensor(self.input1), sizes_of(self.shape)
        if math.prod(given.get_shape()) != math.prod(target):
            raise ConversionError(f"{given} has no shape {target}")
        return with_shape(given, target)


@irdl_op_definition
class TransposeOp(TosaOp):
    """Result dimension ``i`` is the input's dimension ``perms[i]``."""

    name = "tosa.transpose"

    input1 = operand_def(TensorType)
    perms = prop_def(DenseArrayBase)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, permutation: Sequence[int]) -> None:
        super().__init__([value], {"perms": DenseArrayBase.from_list(i32, list(permutation))})

    @property
    def permutation(self) -> tuple[int, ...]:
        """Which input dimension each result dimension is."""
        return as_tuple(self.perms)

    def infer(self) -> Tensor:
        """The sizes in the permutation's order."""
        given = shape(self.input1)
        if len(self.permutation) != len(given):
            raise ConversionError(f"a permutation {self.permutation} for a shape of {given}")
        check_dimensions(self.permutation, len(given))
        return with_shape(tensor(self.input1), [given[i] for i in self.permutation])


@irdl_op_definition
class PadOp(TosaOp):
    """Elements of one value before and after each dimension; ``padding`` is (low, high) of each in turn."""

    name = "tosa.pad"

    input1 = operand_def(TensorType)
    padding = operand_def(ShapeType)
    pad_const = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, padding: SSAValue, fill: SSAValue) -> None:
        super().__init__([value, padding, fill], {})

    def infer(self) -> Tensor:
        """Each size with its two paddings."""
        given, pads = tensor(self.input1), sizes_of(self.padding)
        sizes = given.get_shape()
        if len(pads) != 2 * len(sizes):
            raise ConversionError(f"paddings {pads} for a shape of {sizes}")
        return with_shape(given, [size + pads[2 * i] + pads[2 * i + 1] for i, size in enumerate(sizes)])
