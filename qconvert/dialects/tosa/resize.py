"""``tosa.resize``.

Source: TOSA specification 1.0, "RESIZE".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from qconvert.dialects.tosa.base import TosaOp
from qconvert.dialects.tosa.element_types import FLOATS, TypeTable, type_table
from qconvert.dialects.tosa.modes import ResizeMode, ResizeModeAttr
from qconvert.dialects.tosa.quantization import i16, i48
from qconvert.dialects.tosa.shapes import ShapeType, sizes_of
from qconvert.ir import Tensor, i8, i32, shape, tensor, tensor_type
from qconvert.support.errors import ConversionError

LARGEST_NUMERATOR = 1 << 11
LARGEST_RATIO = 16
LARGEST_SCALE = 256
"""The largest scale of a result to its operand, at level 8k."""


_SUMS: dict[Attribute, Attribute] = {i8: i32, i16: i48}
"""The element types of weighted sums of integers."""


@dataclass(frozen=True)
class Sampling:
    """The sampling along one dimension: result position ``i`` is the operand's ``(i * step + offset) / unit``."""

    unit: int
    step: int
    offset: int
    border: int

    def __post_init__(self) -> None:
        unit, step, offset, border = self.unit, self.step, self.offset, self.border
        if not 0 < unit <= LARGEST_NUMERATOR or not 0 < step < LARGEST_RATIO * unit or unit > LARGEST_SCALE * step:
            raise ConversionError(f"RESIZE has no scale of {unit}/{step}")
        if not -unit <= offset < LARGEST_RATIO * unit or not -LARGEST_RATIO * unit <= border < unit:
            raise ConversionError(f"RESIZE has no offset of {offset}/{unit} with a border of {border}/{unit}")

    def resized(self, size: int) -> int:
        """Return the number of result positions; raises ConversionError if the last one is not at the border."""
        positions, rest = divmod((size - 1) * self.unit - self.offset + self.border, self.step)
        if rest:
            raise ConversionError(f"{self} does not end on a position of {size}")
        return positions + 1

    def neighbours(self, size: int) -> Neighbours:
        """Return the neighbours of each result position in ``size`` operand positions."""
        at = np.arange(self.resized(size)) * self.step + self.offset
        whole, part = at // self.unit, at % self.unit
        low, high = np.maximum(whole, 0), np.minimum(whole + 1, size - 1)
        return Neighbours(low, high, np.where(2 * part >= self.unit, high, low), part, self.unit)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """For each result position the two operand positions beside it, and the nearer one.

    ``part`` of ``unit`` is the weight of the higher one, the rest that of the lower one.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    nearest: NDArray[np.int64]
    part: NDArray[np.int64]
    unit: int


@irdl_op_definition
class ResizeOp(TosaOp):
    """The rows and columns of (batch, height, width, features), sampled at other positions.

    BILINEAR integers are multiplied by both units, in i32 for i8 and i48 for i16.
    """

    name = "tosa.resize"
    TYPES: ClassVar[TypeTable] = type_table("i8", "i8 i32", "i16 [int16]", "i16 i48", *FLOATS)

    input = operand_def(TensorType)
    scale = operand_def(ShapeType)
    offset = operand_def(ShapeType)
    border = operand_def(ShapeType)
    mode = prop_def(ResizeModeAttr)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, scale: SSAValue, offset: SSAValue, border: SSAValue, mode: ResizeMode) -> None:
        super().__init__([value, scale, offset, border], {"mode": ResizeModeAttr(mode)})

    @property
    def samplings(self) -> tuple[Sampling, Sampling]:
        """Return the sampling along height and along width; raises ConversionError if RESIZE cannot express it."""
        scale, offset, border = (sizes_of(value) for value in (self.scale, self.offset, self.border))
        if (len(scale), len(offset), len(border)) != (4, 2, 2):
            raise ConversionError(f"scale {scale}, offset {offset} and border {border} need 4, 2 and 2 integers")
        rows, columns = (Sampling(scale[2 * i], scale[2 * i + 1], offset[i], border[i]) for i in range(2))
        return rows, columns

    @property
    def neighbours(self) -> tuple[Neighbours, Neighbours]:
        """Return the neighbours of each row and of each column."""
        rows, columns = self.samplings
        return rows.neighbours(shape(self.input)[1]), columns.neighbours(shape(self.input)[2])

    def infer(self) -> Tensor:
        """Return the resized height and width, with the element type of weighted sums."""
        sizes = shape(self.input)
        if len(sizes) != 4:
            raise ConversionError(f"RESIZE takes four dimensions, found {sizes}")
        rows, columns = self.samplings
        element = tensor(self.input).element_type
        if self.mode.data is ResizeMode.BILINEAR:
            element = _SUMS.get(element, element)
        return tensor_type(element, [sizes[0], rows.resized(sizes[1]), columns.resized(sizes[2]), sizes[3]])
