"""Transposes of images of few planes as convolutions."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.expansion.builder import i16
from qconvert.ir import element_type, i8, shape
from qconvert.rewriting import Pass, PassResult, replace, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder

_MOST_NEIGHBOURS = 16
"""The largest number of a plane's elements that a window covers: Ethos-U reads features in groups of 16."""


@dataclass(frozen=True)
class TransposesToConvolutions(Pass):
    """Move few planes of 8 or 16 bits to the last dimension by CONV2D, which reads and writes whole lines of memory.

    ::

        %1 = transpose %x (1, C, H, W) to (1, H, W, C)

        %1 = reshape %x to (1, C, H * W / k, k)
        %2 = conv2d %1, weights (k * C, C, 1, k) ── rescale by 1
        %3 = reshape %2 to (1, H, W, C)

    A window covers ``k`` neighbours in all planes. Output feature ``j * C + c`` has the weight 1 for neighbour ``j`` of
    plane ``c`` and 0 elsewhere; so it is that integer. Neighbours and planes are then in the order of the result.
    """

    name = "transposes-to-convolutions"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every TRANSPOSE."""
        found = [op for op in module.walk() if isinstance(op, tosa.TransposeOp)]
        return rewrite_or_refuse(found, self._obstacle, _rewrite)

    def _obstacle(self, op: tosa.TransposeOp) -> str | None:
        """Return why a TRANSPOSE stays, or None."""
        if element_type(op.input1) not in (i8, i16):
            return "it does not move integers of 8 or 16 bits"
        sizes = _images_and_planes(op)
        if sizes is None:
            return "it does more than to move the first dimension of images behind their others"
        if sizes[1] > self.npu.planes_moved_by_convolution:
            return f"NPUs move {sizes[1]} planes faster by a TRANSPOSE"
        return None


def _images_and_planes(op: tosa.TransposeOp) -> tuple[int, int] | None:
    """Return the number of images, and of their planes that a TRANSPOSE moves behind the planes' elements."""
    given = shape(op.input1)
    order = [i for i in op.permutation if given[i] != 1]
    images = 1
    while order and order[0] == min(order):
        images *= given[order.pop(0)]
    return (images, given[order[-1]]) if order and order == [*sorted(order)[1:], min(order)] else None


def _rewrite(op: tosa.TransposeOp) -> None:
    sizes, build, element = _images_and_planes(op), PlacedBuilder(op), element_type(op.input1)
    assert sizes is not None
    assert element in (i8, i16)
    images, planes = sizes
    count = prod(shape(op.output)) // (images * planes)
    neighbours = max(size for size in range(1, _MOST_NEIGHBOURS + 1) if count % size == 0)
    accumulator = tosa.accumulator_element(element)
    operands = (
        build.reshape(op.input1, (images, planes, count // neighbours, neighbours)),
        build.constant(_selection(planes, neighbours), i8),
        build.constant(np.zeros(planes * neighbours, np.int64), accumulator),
        build.zero_point(0, element),
        build.zero_point(0, i8),
    )
    made = build.add(tosa.Conv2DOp(operands, tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1)), accumulator))
    replace(op, build.reshape(build.rescale(made, 1.0, element), shape(op.output)))


def _selection(planes: int, neighbours: int) -> NDArray[np.int8]:
    """Return weights of shape (neighbours * planes, planes, 1, neighbours) with one 1 for each output."""
    each = np.eye(neighbours * planes, dtype=np.int8).reshape(neighbours, planes, neighbours, planes)
    return np.asarray(each.transpose(0, 1, 3, 2), order="C").reshape(neighbours * planes, planes, 1, neighbours)
