"""The base of the contexts that ONNX nodes and TFLite operators are imported with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import GatherDimensionNumbers
from qconvert.ir import shape
from qconvert.support.errors import ConversionError

DEFINITION_HINT = "Compare the node with its operator's definition"


class ImportContext(ABC):
    """The helpers for axes and shapes that do not depend on the source format."""

    __slots__ = ()
    build: OpBuilder

    @abstractmethod
    def emit(self, op: Operation) -> SSAValue:
        """Append an op and return its result."""

    def axis(self, value: int, rank: int) -> int:
        """Return an axis counted from the front; a negative ``value`` counts from the end.

        Raises ConversionError outside the rank.
        """
        if not -rank <= value < max(rank, 1):
            raise ConversionError(f"axis {value} is outside a tensor of rank {rank}", hint=DEFINITION_HINT)
        return value % rank if rank else 0

    def image(self, value: SSAValue) -> tuple[int, int, int, int]:
        """Return the sizes of a tensor of rank 4; raises ConversionError for other ranks."""
        sizes = shape(value)
        if len(sizes) != 4:
            raise ConversionError(f"four dimensions are needed, found {list(sizes)}")
        return sizes[0], sizes[1], sizes[2], sizes[3]

    def reshape(self, value: SSAValue, target: Sequence[int]) -> SSAValue:
        """Emit a reshape; a value that has the shape already is returned unchanged."""
        return value if shape(value) == tuple(target) else self.emit(stablehlo.ReshapeOp(value, target))

    def broadcast(self, value: SSAValue, target: Sequence[int]) -> SSAValue:
        """Emit a broadcast with trailing dimensions aligned; a value of the target shape is returned unchanged."""
        if shape(value) == tuple(target):
            return value
        offset = len(target) - len(shape(value))
        return self.emit(stablehlo.BroadcastInDimOp(value, target, range(offset, len(target))))

    def broadcast_together(self, *values: SSAValue) -> list[SSAValue]:
        """Broadcast operands to their common shape, as numpy does; raises ConversionError where none exists."""
        target = common_shape("shapes", *map(shape, values))
        return [self.broadcast(value, target) for value in values]

    def slice(self, value: SSAValue, axis: int, start: int, limit: int, step: int = 1) -> SSAValue:
        """Emit ``start:limit:step`` along one axis."""
        sizes = shape(value)
        starts = with_size([0] * len(sizes), axis, start)
        steps = with_size([1] * len(sizes), axis, step)
        return self.emit(stablehlo.SliceOp(value, starts, with_size(sizes, axis, limit), steps))

    def gather(self, value: SSAValue, axis: int, indices: SSAValue) -> SSAValue:
        """Emit a gather of slices of size 1 along an axis.

        The dimensions of ``indices`` take the axis's place. No index may be negative.
        """
        sizes, rank = shape(value), len(shape(indices))
        offsets = (*range(axis), *range(axis + rank, len(sizes) - 1 + rank))
        numbers = GatherDimensionNumbers(offsets, (axis,), start_index_map=(axis,), index_vector_dim=rank)
        return self.emit(stablehlo.GatherOp(value, indices, numbers, with_size(sizes, axis, 1)))


def common_shape(what: str, *sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that sizes broadcast to, as in numpy; raises ConversionError that names the sizes ``what``."""
    try:
        return np.broadcast_shapes(*map(tuple, sizes))
    except ValueError as error:
        listed = " and ".join(str(list(each)) for each in sizes)
        raise ConversionError(f"{what} {listed} do not broadcast together") from error


def with_size(sizes: Sequence[int], axis: int, size: int) -> list[int]:
    """Return ``sizes`` with another size at ``axis``."""
    return [size if i == axis else old for i, old in enumerate(sizes)]
