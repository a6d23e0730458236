"""Borders that repeat a tensor's own elements, as single slices around a depthwise convolution."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import tosa
from qconvert.expansion.builder import i16
from qconvert.ir import element_type, i8, shape
from qconvert.rewriting import Pass, PassResult, erase_dead, replace, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder

_MOST_SINGLES = 3
"""The most elements that are reversed one by one: a REVERSE and the copy of its result are two kernels."""
_LEAST_PIXELS = 32
"""The fewest pixels for which a convolution is worth reading its parameters, 11 bytes for each feature."""


class BordersToSlices(Pass):
    """Write a border of mirrored elements as SLICEs of one element, and the inside as a depthwise convolution.

    ::

        concat (reverse (slice %x, 1 to 2)), %x

        concat (slice %x, 2), (slice %x, 1), (depthwise_conv2d %x, weights 1 ── rescale by 1)

    NPUs read a SLICE and write its place in CONCAT at once, but copy the result of a REVERSE again. A convolution
    writes its place in CONCAT itself, in half of the time of a copy or less. With weights of 1 and the zero point 0
    each result is the element. Several images become one with more rows, because NPUs copy them one by one.
    """

    name = "borders-to-slices"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CONCAT of a whole tensor and of parts of it."""
        found = [op for op in module.walk() if isinstance(op, tosa.ConcatOp) and _inside(op) is not None]
        return rewrite_or_refuse(found, _obstacle, _rewrite)


def _inside(op: tosa.ConcatOp) -> SSAValue | None:
    """Return the operand of which all others are slices, some of them reversed along the axis; or None."""
    found = [_part(value, op) for value in op.input1]
    parts = [part for part in found if part is not None]
    wholes = [value for value in op.input1 if parts and value is parts[0].input1]
    same = len(wholes) == 1 == len(found) - len(parts) and all(part.input1 is wholes[0] for part in parts)
    return wholes[0] if same else None


def _part(value: SSAValue, op: tosa.ConcatOp) -> tosa.SliceOp | None:
    """Return the SLICE that makes a value, or the operand of a REVERSE along the axis of ``op``."""
    owner = value.owner
    if isinstance(owner, tosa.ReverseOp) and owner.axis.value.data == op.axis.value.data:
        owner = owner.input1.owner
    return owner if isinstance(owner, tosa.SliceOp) else None


def _obstacle(op: tosa.ConcatOp) -> str | None:
    """Return why a border stays, or None."""
    if element_type(op.output) not in (i8, i16):
        return "it does not have integers of 8 or 16 bits"
    if len(shape(op.output)) != 4 or op.axis.value.data == 0:
        return "it is not around images"
    return None


def _rewrite(op: tosa.ConcatOp) -> None:
    inside, axis = _inside(op), op.axis.value.data
    assert inside is not None
    before = [made for value in op.input1 if value is not inside for made in _makers(value)]
    build, sizes = PlacedBuilder(op, *before), shape(inside)
    if sizes[0] > 1:
        sizes, axis = (1, prod(sizes[:axis]), sizes[axis], prod(sizes[axis + 1 :])), 2
    image, pieces = build.reshape(inside, sizes), list[SSAValue]()
    for value in op.input1:
        if value is inside:
            pieces.append(_copied(build, image))
        else:
            pieces += _border(build, image, value, op.axis.value.data, axis)
    replace(op, build.reshape(build.add(tosa.ConcatOp(pieces, axis)), shape(op.output)))
    erase_dead(before)


def _makers(value: SSAValue) -> list[Operation]:
    """Return the SLICE and the REVERSE that make a part of a border, the SLICE first."""
    owner = value.owner
    assert isinstance(owner, tosa.ReverseOp | tosa.SliceOp)
    return [*(_makers(owner.input1) if isinstance(owner, tosa.ReverseOp) else ()), owner]


def _border(build: PlacedBuilder, image: SSAValue, value: SSAValue, axis: int, place: int) -> list[SSAValue]:
    """Return a part of a border, which is along ``axis`` and of the image along ``place``."""
    cut, *turned = _makers(value)
    assert isinstance(cut, tosa.SliceOp)
    first, count = tosa.sizes_of(cut.start)[axis], tosa.sizes_of(cut.size)[axis]
    if turned and count <= _MOST_SINGLES:
        return [_slice(build, image, place, first + i, 1) for i in reversed(range(count))]
    part = _slice(build, image, place, first, count)
    return [build.add(tosa.ReverseOp(part, place)) if turned else part]


def _slice(build: PlacedBuilder, image: SSAValue, axis: int, first: int, count: int) -> SSAValue:
    starts, sizes = [0] * 4, list(shape(image))
    starts[axis], sizes[axis] = first, count
    return build.slice(image, starts, sizes)


def _copied(build: PlacedBuilder, image: SSAValue) -> SSAValue:
    """Return an image of enough pixels as a depthwise convolution by 1."""
    element, features = element_type(image), shape(image)[-1]
    if prod(shape(image)) < _LEAST_PIXELS * features:
        return image
    assert isinstance(element, IntegerType)
    accumulator = tosa.accumulator_element(element)
    weight, bias = np.ones((1, 1, features, 1), np.int8), np.zeros(features, np.int64)
    parameters = (build.constant(weight, i8), build.constant(bias, accumulator))
    operands = (image, *parameters, build.zero_point(0, element), build.zero_point(0, i8))
    window = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
    return build.rescale(build.add(tosa.DepthwiseConv2DOp(operands, window, accumulator)), 1.0, element)
