"""Programs of one op between transposes: every order of dimensions in front of the op, a random one behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import ComparisonDirection, Window
from qconvert.dialects.stablehlo.movement import TransposeOp
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import element_type, f32, i32, numpy_dtype, shape

SIZES = (2, 3, 4, 1, 2)
Q8 = UniformQuantizedType.per_tensor(Storage.full(8, signed=True), 0.5, 3)


class Grown(NamedTuple):
    """A program under construction: its ops, and random numbers for it."""

    build: OpBuilder
    random: np.random.Generator

    def constant(self, sizes: Iterable[int], element: Attribute = f32) -> SSAValue:
        return self.build.constant(self.random.integers(-3, 4, tuple(sizes)).astype(numpy_dtype(element)), element)

    def number(self, value: float, like: SSAValue) -> SSAValue:
        """Return a scalar of the type of ``like``; an infinite one is the least integer of a quantized type."""
        element = element_type(like)
        least = element.storage.minimum if isinstance(element, UniformQuantizedType) else value
        return self.build.filled(least if np.isinf(value) else value, element)

    def axis(self, value: SSAValue) -> int:
        return int(self.random.integers(len(shape(value))))

    def axes(self, value: SSAValue) -> list[int]:
        chosen = [axis for axis in range(len(shape(value))) if self.random.integers(2)]
        return chosen or [self.axis(value)]


Grow = Callable[[Grown, SSAValue], SSAValue]


def spread(grown: Grown, value: SSAValue) -> SSAValue:
    """Add dimensions anywhere, and put the value's own in any order."""
    rank = len(shape(value))
    places = [int(i) for i in grown.random.permutation(min(rank + 2, 6))[:rank]]
    sizes = [2] * min(rank + 2, 6)
    for place, size in zip(places, shape(value), strict=True):
        sizes[place] = size
    return grown.build.add(stablehlo.BroadcastInDimOp(value, sizes, places))


def spread_beside(grown: Grown, value: SSAValue) -> SSAValue:
    """Combine the value with a smaller one that is broadcast to it, its dimensions in any order."""
    sizes = shape(value)
    places = [int(i) for i in grown.random.permutation(len(sizes))[: max(1, len(sizes) - 1)]]
    narrow = grown.constant([sizes[i] if grown.random.integers(4) else 1 for i in places])
    other = narrow if grown.random.integers(2) else grown.build.add(stablehlo.NegateOp(narrow))
    return grown.build.add(
        stablehlo.SubtractOp(grown.build.add(stablehlo.BroadcastInDimOp(other, sizes, places)), value)
    )


def repeated_and_joined(grown: Grown, value: SSAValue, *, behind: bool) -> SSAValue:
    """Repeat elements (a nearest resize) or whole dimensions (Tile), and join the dimensions again."""
    sizes, axis = shape(value), grown.axis(value)
    place = axis + 1 if behind else axis
    wide = [*sizes[:place], 2, *sizes[place:]]
    dimensions = [i for i in range(len(wide)) if i != place]
    made = grown.build.add(stablehlo.BroadcastInDimOp(value, wide, dimensions))
    return grown.build.add(stablehlo.ReshapeOp(made, [size * (2 if i == axis else 1) for i, size in enumerate(sizes)]))


def reduced(grown: Grown, value: SSAValue, kind: type[stablehlo.BinaryOp], initial: float) -> SSAValue:
    body = stablehlo.binary_body(kind, element_type(value))
    return grown.build.add(stablehlo.ReduceOp(value, grown.number(initial, value), grown.axes(value), [body]))


def pooled(grown: Grown, value: SSAValue, kind: type[stablehlo.BinaryOp], initial: float) -> SSAValue:
    sizes, axes = shape(value), grown.axes(value)[:2]
    window = Window.of(
        [min(2, size) if i in axes else 1 for i, size in enumerate(sizes)],
        padding=[(1, 0) if i in axes and size > 1 else (0, 0) for i, size in enumerate(sizes)],
        strides=[2 if i in axes and size > 3 else 1 for i, size in enumerate(sizes)],
    )
    body = stablehlo.binary_body(kind, element_type(value))
    return grown.build.add(stablehlo.ReduceWindowOp(value, grown.number(initial, value), window, [body]))


def padded(grown: Grown, value: SSAValue) -> SSAValue:
    rank = len(shape(value))
    low, high = (grown.random.integers(0, 3, rank).tolist() for _ in range(2))
    return grown.build.add(stablehlo.PadOp(value, grown.number(2, value), low, high))


def sliced(grown: Grown, value: SSAValue) -> SSAValue:
    sizes = shape(value)
    starts = [int(grown.random.integers(size)) for size in sizes]
    strides = [int(grown.random.integers(1, 3)) for _ in sizes]
    return grown.build.add(stablehlo.SliceOp(value, starts, sizes, strides))


def reversed_(grown: Grown, value: SSAValue) -> SSAValue:
    return grown.build.add(stablehlo.ReverseOp(value, grown.axes(value)))


def joined(grown: Grown, value: SSAValue, *, twice: bool) -> SSAValue:
    other = value if twice else grown.constant(shape(value), element_type(value))
    return grown.build.add(stablehlo.ConcatenateOp([value, other, value], grown.axis(value)))


def gathered(grown: Grown, value: SSAValue) -> SSAValue:
    axis, sizes = grown.axis(value), shape(value)
    indices = grown.random.integers(0, sizes[axis], 3).astype(np.int32)
    offsets = tuple(i for i in range(len(sizes)) if i != axis)
    numbers = stablehlo.GatherDimensionNumbers(offsets, (axis,), start_index_map=(axis,), index_vector_dim=1)
    slices = [1 if i == axis else size for i, size in enumerate(sizes)]
    return grown.build.add(stablehlo.GatherOp(value, grown.build.constant(indices, i32), numbers, slices))


def gathered_in_front(grown: Grown, value: SSAValue) -> SSAValue:
    """Gather along a dimension; the dimensions of the indices come first in the result."""
    axis, sizes = grown.axis(value), shape(value)
    indices = grown.random.integers(0, sizes[axis], (2, 2)).astype(np.int32)
    offsets = tuple(range(2, len(sizes) + 1))
    numbers = stablehlo.GatherDimensionNumbers(offsets, (axis,), start_index_map=(axis,), index_vector_dim=2)
    slices = [1 if i == axis else size for i, size in enumerate(sizes)]
    return grown.build.add(stablehlo.GatherOp(value, grown.build.constant(indices, i32), numbers, slices))


def merged(grown: Grown, value: SSAValue) -> SSAValue:
    sizes = list(shape(value))
    at = int(grown.random.integers(len(sizes) - 1))
    sizes[at : at + 2] = [sizes[at] * sizes[at + 1]]
    return grown.build.add(stablehlo.ReshapeOp(value, sizes))


def split(grown: Grown, value: SSAValue) -> SSAValue:
    sizes = list(shape(value))
    at = int(np.argmax(sizes))
    sizes[at : at + 1] = [2, sizes[at] // 2] if sizes[at] % 2 == 0 else [sizes[at], 1]
    return grown.build.add(stablehlo.ReshapeOp(value, sizes))


def flattened(grown: Grown, value: SSAValue) -> SSAValue:
    flat = grown.build.add(stablehlo.ReshapeOp(value, [1, prod(shape(value))]))
    numbers = stablehlo.DotDimensionNumbers(lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(0,))
    return grown.build.add(stablehlo.DotGeneralOp(flat, grown.constant([prod(shape(value)), 2]), numbers))


def product(grown: Grown, value: SSAValue) -> SSAValue:
    """Contract one dimension, and take another one as the batch if there is one."""
    sizes = shape(value)
    order = [int(i) for i in grown.random.permutation(len(sizes))]
    contracted, batches = order[0], order[1:2] if len(sizes) > 2 else []
    weights = [sizes[contracted], *(sizes[i] for i in batches), 2]
    turned = [int(i) for i in grown.random.permutation(len(weights))]
    other = grown.build.transpose(grown.constant(weights), turned)
    numbers = stablehlo.DotDimensionNumbers(
        tuple(batches), (turned.index(1),) if batches else (), (contracted,), (turned.index(0),)
    )
    return grown.build.add(stablehlo.DotGeneralOp(value, other, numbers))


def product_of_two(grown: Grown, value: SSAValue) -> SSAValue:
    """Multiply the value by another transpose of itself."""
    turned = [int(i) for i in grown.random.permutation(len(shape(value)))]
    other = grown.build.transpose(value, turned)
    axis = grown.axis(value)
    numbers = stablehlo.DotDimensionNumbers((), (), (axis,), (turned.index(axis),))
    flat = [[shape(v)[a], prod(shape(v)) // shape(v)[a]] for v, a in ((value, axis), (other, turned.index(axis)))]
    moved = [
        grown.build.transpose(v, [a, *(i for i in range(len(shape(v))) if i != a)])
        for v, a in ((value, axis), (other, turned.index(axis)))
    ]
    sides = [grown.build.add(stablehlo.ReshapeOp(v, sizes)) for v, sizes in zip(moved, flat, strict=True)]
    numbers = stablehlo.DotDimensionNumbers((), (), (0,), (0,))
    return grown.build.add(stablehlo.DotGeneralOp(*sides, numbers))


def convolved(grown: Grown, value: SSAValue) -> SSAValue:
    """Convolve with dimension numbers in any order."""
    places = [[int(i) for i in grown.random.permutation(4)] for _ in range(3)]
    (b, f, *inner), (i, o, *kernel), (rb, rf, *outer) = places
    numbers = stablehlo.ConvDimensionNumbers(b, f, tuple(inner), i, o, tuple(kernel), rb, rf, tuple(outer))
    sizes = {i: shape(value)[f], o: 3, kernel[0]: min(2, shape(value)[inner[0]]), kernel[1]: 1}
    weights = grown.constant(sizes[k] for k in range(4))
    window = stablehlo.ConvolutionWindow((1, 1), ((1, 0), (0, 1)), (1, 1), (1, 1))
    return grown.build.add(stablehlo.ConvolutionOp(value, weights, numbers, window))


def added_to_itself(grown: Grown, value: SSAValue) -> SSAValue:
    """Add the value to another layout of itself, of the same shape, and use one of them twice."""
    sizes = shape(value)
    long = [axis for axis, size in enumerate(sizes) if sizes.count(size) > 1]
    turned = list(range(len(sizes)))
    if len(long) > 1:
        turned[long[0]], turned[long[1]] = (
            (long[1], long[0]) if sizes[long[0]] == sizes[long[1]] else (long[0], long[1])
        )
    other = grown.build.transpose(value, turned)
    return grown.build.add(stablehlo.SubtractOp(grown.build.add(stablehlo.AddOp(value, other)), other))


def selected(grown: Grown, value: SSAValue) -> SSAValue:
    other = grown.constant(shape(value))
    truth = grown.build.add(stablehlo.CompareOp(value, other, ComparisonDirection.GT))
    return grown.build.add(stablehlo.SelectOp(truth, value, other))


def clamped(grown: Grown, value: SSAValue) -> SSAValue:
    low, high = grown.number(-2, value), grown.number(1, value)
    return grown.build.add(stablehlo.ClampOp(low, value, high))


def counted(grown: Grown, value: SSAValue) -> SSAValue:
    iota = grown.build.add(stablehlo.IotaOp(TensorType(f32, shape(value)), grown.axis(value)))
    return grown.build.add(stablehlo.SubtractOp(value, iota))


def enlarged(grown: Grown, value: SSAValue) -> SSAValue:
    axes = [1, 2] if len(shape(value)) == 4 else [grown.axis(value)]
    sizes = [size * (2 if i in axes else 1) for i, size in enumerate(shape(value))]
    resize = composite.ResizeOp(value, sizes, axes, [2.0] * len(axes), composite.Coordinates.HALF_PIXEL)
    return grown.build.add(resize)


def channels(grown: Grown, value: SSAValue) -> SSAValue:
    """Multiply by a constant with scales along one dimension, transposed behind its dequantize."""
    sizes, rank = shape(value), len(shape(value))
    turned = [int(i) for i in grown.random.permutation(rank)]
    before = [0] * rank
    for i, p in enumerate(turned):
        before[p] = sizes[i]
    axis = int(grown.random.integers(rank))
    scales = [0.5 * 2.0 ** (i % 3) for i in range(before[axis])]
    element = UniformQuantizedType.per_axis(Storage.full(8, signed=True), scales, [0] * before[axis], axis)
    real = grown.build.add(stablehlo.UniformDequantizeOp(grown.constant(before, element), f32))
    return grown.build.add(stablehlo.MultiplyOp(value, grown.build.transpose(real, turned)))


FLOATS: dict[str, Grow] = {
    "broadcast": spread,
    "broadcast beside": spread_beside,
    "nearest": partial(repeated_and_joined, behind=True),
    "tile": partial(repeated_and_joined, behind=False),
    "maximum": partial(reduced, kind=stablehlo.MaximumOp, initial=-9),
    "maximum from 1": partial(reduced, kind=stablehlo.MaximumOp, initial=1),
    "sum": partial(reduced, kind=stablehlo.AddOp, initial=0),
    "sum from 2": partial(reduced, kind=stablehlo.AddOp, initial=2),
    "pool": partial(pooled, kind=stablehlo.MaximumOp, initial=-np.inf),
    "pool from 1": partial(pooled, kind=stablehlo.MaximumOp, initial=1),
    "windowed sum": partial(pooled, kind=stablehlo.AddOp, initial=0),
    "windowed sum from 2": partial(pooled, kind=stablehlo.AddOp, initial=2),
    "pad": padded,
    "slice": sliced,
    "reverse": reversed_,
    "concatenate": partial(joined, twice=False),
    "concatenate twice": partial(joined, twice=True),
    "gather": gathered,
    "gather in front": gathered_in_front,
    "merge": merged,
    "split": split,
    "flatten": flattened,
    "product": product,
    "product of two": product_of_two,
    "add to itself": added_to_itself,
    "select": selected,
    "clamp": clamped,
    "iota": counted,
    "resize": enlarged,
    "scales of channels": channels,
    "convolution": convolved,
}
"""The ops by name; their numbers are exact in floats."""

MOVEMENTS = (
    "broadcast", "nearest", "tile", "maximum", "pool", "pad", "slice", "reverse", "concatenate", "concatenate twice",
    "gather", "gather in front", "merge", "split", "clamp",
)  # fmt: skip
"""The ops that take quantized values as well."""


def program(
    grow: Grow, orders: Iterable[tuple[int, ...]], element: Attribute = f32, seed: int = 0
) -> tuple[ModuleOp, NDArray[Any]]:
    """Return a function with one result for each order of dimensions in front of the op, and an argument for it."""
    orders, random = list(orders), np.random.default_rng(seed)
    sizes = SIZES[: len(orders[0])]
    block, build = Block(arg_types=[TensorType(element, sizes)]), OpBuilder()
    grown, results = Grown(build, random), []
    inner = build.add(stablehlo.NegateOp(block.args[0])) if element == f32 else block.args[0]
    for order in orders:
        value = grow(grown, build.add(TransposeOp(inner, order)))
        behind = [int(i) for i in random.permutation(len(shape(value)))]
        results.append(build.transpose(value, behind))
    block.add_ops([*build.ops, ReturnOp(*results)])
    type = FunctionType.from_lists(block.arg_types, [value.type for value in results])
    argument = random.integers(-4, 5, sizes).astype(numpy_dtype(element))
    return ModuleOp([FuncOp("main", type, Region(block))]), argument
