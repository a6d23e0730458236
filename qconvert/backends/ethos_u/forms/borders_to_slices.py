"""Borders that repeat a tensor's own elements, as products by 1 of single slices."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import tosa
from qconvert.expansion.builder import i16
from qconvert.ir import element_type, i8, i32, shape
from qconvert.rewriting import Pass, PassResult, erase_dead, replace, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder

_MOST_SINGLES = 64
"""The most elements that are reversed: one by one, each is a kernel."""
_LINE = 16
"""The number of features at which a depthwise convolution of bytes is as fast as it gets."""
_LEAST_PIXELS = 32
"""The fewest pixels for which a convolution is worth reading its parameters, 11 bytes for each feature."""


class BordersToSlices(Pass):
    """Write a border of mirrored elements as SLICEs of one element, and copy all parts by a MUL or a convolution.

    ::

        concat (reverse (slice %x, 1 to 2)), %x

        concat (mul (slice %x, 2), 1), (mul (slice %x, 1), 1), (mul %x, 1)

    A kernel that computes reads its SLICE, and writes its place in CONCAT, at once. The part that nothing computes is
    copied, which takes an NPU two to six times as long as a product by 1. A RESCALE by 1 behind it gives the element.

    The dimensions in front of the border become rows and those behind it part of each row, so that a kernel reads and
    writes whole rows, of all images. Of many features in bytes, the inside is faster as a depthwise convolution, with
    weights of 1 and the zero point 0, and the pixels stay as they are.

    Common subexpressions must not be merged afterwards: of a value that has two places in CONCAT, one is a copy.
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
    if any(isinstance(value.owner, tosa.ReverseOp) and _count(op, value) > _MOST_SINGLES for value in op.input1):
        return "it has too many mirrored elements"
    return None


def _count(op: tosa.ConcatOp, value: SSAValue) -> int:
    return shape(value)[op.axis.value.data]


def _rewrite(op: tosa.ConcatOp) -> None:
    inside = _inside(op)
    assert inside is not None
    before = list(dict.fromkeys(made for value in op.input1 if value is not inside for made in _makers(value)))
    build, image = PlacedBuilder(op, *before), _Image.of(inside, op.axis.value.data)
    pieces, value = list[SSAValue](), build.reshape(inside, image.sizes)
    for part in op.input1:
        if part is inside:
            pieces.append((_convolved if image.is_convolved else _product)(build, value))
        else:
            pieces += [_product(build, image.cut(build, value, *place)) for place in _places(op, part)]
    replace(op, build.reshape(build.add(tosa.ConcatOp(pieces, image.axis)), shape(op.output)))
    erase_dead(before)


class _Image(NamedTuple):
    """The shape in which an image is read, and the dimension of its border; ``width`` is one element's size there."""

    sizes: tuple[int, ...]
    axis: int
    width: int
    is_convolved: bool

    @classmethod
    def of(cls, image: SSAValue, axis: int) -> _Image:
        """Return the shape for a border along ``axis``."""
        sizes = shape(image)
        before, here, behind = prod(sizes[:axis]), sizes[axis], prod(sizes[axis + 1 :])
        if element_type(image) != i8 or sizes[-1] < _LINE or prod(sizes[:-1]) < _LEAST_PIXELS:
            return cls((1, 1, before, here * behind), 3, behind, is_convolved=False)
        if sizes[0] == 1:
            return cls(sizes, axis, 1, is_convolved=True)
        return cls((1, before, here, behind), 2, 1, is_convolved=True)

    def cut(self, build: PlacedBuilder, image: SSAValue, first: int, count: int) -> SSAValue:
        """Return a part of the image."""
        starts, sizes = [0] * 4, list(self.sizes)
        starts[self.axis], sizes[self.axis] = first * self.width, count * self.width
        return build.slice(image, starts, sizes)


def _makers(value: SSAValue) -> list[Operation]:
    """Return the SLICE and the REVERSE that make a part of a border, the SLICE first."""
    owner = value.owner
    assert isinstance(owner, tosa.ReverseOp | tosa.SliceOp)
    return [*(_makers(owner.input1) if isinstance(owner, tosa.ReverseOp) else ()), owner]


def _places(op: tosa.ConcatOp, value: SSAValue) -> Iterator[tuple[int, int]]:
    """Yield first element and size of the SLICEs that make a part of a border."""
    cut, *turned = _makers(value)
    assert isinstance(cut, tosa.SliceOp)
    first, count = tosa.sizes_of(cut.start)[op.axis.value.data], _count(op, value)
    if turned:
        yield from ((first + i, 1) for i in reversed(range(count)))
    else:
        yield first, count


def _product(build: PlacedBuilder, value: SSAValue) -> SSAValue:
    """Return a value times 1."""
    element = element_type(value)
    assert isinstance(element, IntegerType)
    one = build.constant(np.ones((1, 1, 1, 1), np.int64), element)
    return build.rescale(build.multiply(value, one), 1.0, element)


def _convolved(build: PlacedBuilder, image: SSAValue) -> SSAValue:
    """Return an image of bytes as a depthwise convolution by 1."""
    features = shape(image)[-1]
    weight, bias = np.ones((1, 1, features, 1), np.int8), np.zeros(features, np.int64)
    zero_points = build.zero_point(0, i8), build.zero_point(0, i8)
    operands = (image, build.constant(weight, i8), build.constant(bias, i32), *zero_points)
    window = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
    return build.rescale(build.add(tosa.DepthwiseConv2DOp(operands, window, i32)), 1.0, i8)
