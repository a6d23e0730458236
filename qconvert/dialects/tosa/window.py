"""Pools over the two middle dimensions of (N, H, W, C).

Source: TOSA specification 1.0, "MAX_POOL2D", "AVG_POOL2D".
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from qconvert.dialects.stablehlo.base import integers
from qconvert.dialects.tosa.base import TosaOp, check_accumulator, listed
from qconvert.dialects.tosa.contraction import ConvWindow
from qconvert.dialects.tosa.element_types import FLOATS, FLOATS_8, TypeTable, type_table
from qconvert.dialects.tosa.modes import NanModeAttr
from qconvert.ir import Tensor, shape, tensor, with_shape
from qconvert.support.errors import ConversionError

_AVERAGES = (
    "i8 i8 i8 i32 i8",
    "i16 i16 i16 i32 i16 [int16]",
    *(f"{name} {name} {name} f16 {name}" for name in (*FLOATS_8, "f16")),
    *(f"{name} {name} {name} f32 {name}" for name in FLOATS),
)
"""Operand, zero points, accumulator and result of AVG_POOL2D."""


class PoolOp(TosaOp, ABC):
    """The base of the pools: a window of two dimensions over the input."""

    input = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    stride = prop_def(DenseArrayBase)
    pad = prop_def(DenseArrayBase)
    output = result_def(TensorType)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The window's height and width."""
        return listed(self.kernel, 2)

    @property
    def window(self) -> ConvWindow:
        """Padding and strides."""
        return ConvWindow(listed(self.pad, 4), listed(self.stride, 2), (1, 1))

    def infer(self) -> Tensor:
        """Return batch, the number of window positions, and channels."""
        image, window = shape(self.input), self.window
        if len(image) != 4:
            raise ConversionError(f"a pool of a tensor of rank {len(image)}")
        sizes = [window.output_size(i, image[1 + i], size) for i, size in enumerate(self.sizes)]
        return with_shape(tensor(self.input), [image[0], *sizes, image[3]])


def _lists(kernel: tuple[int, ...], window: ConvWindow) -> dict[str, DenseArrayBase]:
    lists = {"kernel": kernel, "stride": window.stride, "pad": window.pad}
    return {name: integers(values) for name, values in lists.items()}


@irdl_op_definition
class MaxPool2DOp(PoolOp):
    """The largest element under each window, padding excluded."""

    name = "tosa.max_pool2d"
    TYPES: ClassVar[TypeTable] = type_table("i8", "i16 [int16]", *FLOATS_8, *FLOATS)

    nan_mode = opt_prop_def(NanModeAttr)

    def __init__(self, value: SSAValue, kernel: tuple[int, ...], window: ConvWindow) -> None:
        """Make the op; ``window`` has no dilations."""
        super().__init__([value], _lists(kernel, window))


@irdl_op_definition
class AvgPool2DOp(PoolOp):
    """The average of the elements under each window, padding excluded."""

    name = "tosa.avg_pool2d"
    TYPES: ClassVar[TypeTable] = type_table(*_AVERAGES)

    input = operand_def(TensorType)  # declared again, because a subclass's own operands come first
    input_zp = operand_def(TensorType)
    output_zp = operand_def(TensorType)
    SCALARS: ClassVar[tuple[str, ...]] = ("input_zp", "output_zp")
    acc_type = prop_def(Attribute)

    def __init__(
        self, operands: Sequence[SSAValue], kernel: tuple[int, ...], window: ConvWindow, accumulator: Attribute
    ) -> None:
        """Make the op; ``operands`` are the input and two zero points, and ``window`` has no dilations."""
        super().__init__(operands, {**_lists(kernel, window), "acc_type": accumulator})

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of elements under each window, without the padding, of shape (height, width)."""
        rows, columns = (self._covered(axis) for axis in range(2))
        return rows[:, None] * columns

    def _covered(self, axis: int) -> NDArray[np.int64]:
        """Return the number of elements that each window covers along height or width."""
        size, window = shape(self.input)[1 + axis], self.window
        starts = np.arange(shape(self.output)[1 + axis]) * window.stride[axis] - window.pad[2 * axis]
        covered: NDArray[np.int64] = np.minimum(starts + self.sizes[axis], size) - np.maximum(starts, 0)
        return covered

    def infer(self) -> Tensor:
        """Return the sizes as for every pool."""
        check_accumulator(self.acc_type)
        return super().infer()
