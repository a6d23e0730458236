"""Which dimension of each value counts its channels, told by the ops: models differ in their layout."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.interpreter.core import main_function
from qconvert.ir import TENSOR, shape

_LEAST_OF_IMAGES = 4
"""The least number of dimensions of an image: batch, channels, height and width."""


class Channels:
    """The dimensions of channels in ``@main``: of contractions and pools, and of what follows from their results.

    Other images have them where the source's first tensor of their rank has them, other values last.
    """

    def __init__(self, module: ModuleOp) -> None:
        self._known: dict[SSAValue, int] = {}
        self._images: dict[int, int] = {}
        for op in main_function(module).body.block.ops:
            found = _dimension(op, self._known)
            if found is None:
                continue
            self._known[op.results[0]] = found
            if TENSOR in op.attributes:
                self._images.setdefault(len(shape(op.results[0])), found)

    def of(self, value: SSAValue) -> int | None:
        """Return the dimension of a value's channels, None if it is not known."""
        rank = len(shape(value))
        if value in self._known:
            return self._known[value]
        if rank < _LEAST_OF_IMAGES:
            return rank - 1 if rank else None
        return self._images.get(rank)


def _dimension(op: Operation, known: Mapping[SSAValue, int]) -> int | None:
    """Return the dimension of the channels of an op's result, given those of values before it."""
    if not op.results or not isinstance(op.results[0].type, TensorType):
        return None
    if isinstance(op, stablehlo.ConvolutionOp):
        return op.numbers.output_feature
    if isinstance(op, stablehlo.DotGeneralOp):
        return len(shape(op.result)) - 1
    sources = [operand for operand in op.operands if operand in known]
    if not sources:
        return _of_pool(op.window.size) if isinstance(op, stablehlo.ReduceWindowOp) else None
    source, axis = sources[0], known[sources[0]]
    if isinstance(op, stablehlo.TransposeOp):
        return as_tuple(op.permutation).index(axis)
    if isinstance(op, stablehlo.BroadcastInDimOp):
        return as_tuple(op.broadcast_dimensions)[axis]
    if isinstance(op, stablehlo.ReshapeOp):
        return _reshaped(shape(source), shape(op.result), axis)
    return axis if len(shape(source)) == len(shape(op.results[0])) else None


def _of_pool(window: tuple[int, ...]) -> int | None:
    """Return the dimension behind the first one over which a pool does not slide, None if it is not the only one."""
    still = [axis for axis, size in enumerate(window) if axis and size == 1]
    return still[0] if len(still) == 1 else None


def _reshaped(source: tuple[int, ...], result: tuple[int, ...], axis: int) -> int | None:
    """Return the dimension of a reshaped value that counts what a dimension counted, None if there is none."""
    before, size = prod(source[:axis]), source[axis]
    return next((i for i, each in enumerate(result) if each == size and prod(result[:i]) == before), None)
