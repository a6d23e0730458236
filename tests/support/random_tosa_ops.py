"""Random integer ops of TOSA by kind, each on new arguments of a block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, SSAValue

from qconvert.dialects import tosa
from qconvert.dialects.tosa import ConvWindow
from qconvert.expansion.builder import TosaBuilder, i16, i48
from qconvert.ir import element_type, i8, i32
from qconvert.support.errors import ConversionError
from tests.support.tosa_programs import argument

Rng = np.random.Generator
Kind = Callable[[Rng, TosaBuilder, Block], SSAValue]


def random_window(rng: Rng, sizes: list[int], kernel: list[int], *, dilates: bool = True) -> ConvWindow:
    """Any strides, dilations and paddings below the kernel's extent that cover the input exactly."""
    while True:
        stride = [int(step) for step in rng.integers(1, 4, 2)]
        dilation = [int(step) for step in rng.integers(1, 3, 2)] if dilates else [1, 1]
        pad = [int(rng.integers(0, kernel[i // 2])) for i in range(4)]
        rooms = [sizes[i] - 1 + sum(pad[2 * i : 2 * i + 2]) - (kernel[i] - 1) * dilation[i] for i in range(2)]
        if all(room >= 0 and room % step == 0 for room, step in zip(rooms, stride, strict=True)):
            return ConvWindow(tuple(pad), tuple(stride), tuple(dilation))


def zero_points(rng: Rng, build: TosaBuilder, *elements: object) -> list[SSAValue]:
    """Any of 8-bit integers, 0 of others."""
    return [build.zero_point(int(rng.integers(-128, 128)) if e == i8 else 0, e) for e in elements]


def narrowed(build: TosaBuilder, value: SSAValue) -> SSAValue:
    """48 bits in 32, as the tools give results."""
    return build.rescale(value, 2.0**-8, i32) if element_type(value) == i48 else value


def convolution(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """CONV2D or DEPTHWISE_CONV2D of 8-bit or 16-bit activations, with a bias."""
    element, wide = [(i8, i32), (i16, i48)][rng.integers(2)]
    batch, *sizes, inputs, outputs = (int(n) for n in rng.integers([1, 3, 3, 1, 1], [3, 9, 9, 6, 6]))
    kernel = [int(n) for n in rng.integers(1, 4, 2)]
    depthwise = rng.random() < 0.4
    shape = (*kernel, inputs, outputs) if depthwise else (outputs, *kernel, inputs)
    weight = build.constant(rng.integers(-127, 128, shape), i8)
    bias = build.constant(rng.integers(-1000, 1000, inputs * outputs if depthwise else outputs), wide)
    image = argument(block, element, (batch, *sizes, inputs))
    operands = (image, weight, bias, *zero_points(rng, build, element, i8))
    window = random_window(rng, sizes, kernel)
    kind = tosa.DepthwiseConv2DOp if depthwise else tosa.Conv2DOp
    return narrowed(build, build.add(kind(operands, window, wide)))


def transpose_convolution(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """TRANSPOSE_CONV2D of 8-bit activations."""
    batch, *sizes, inputs, outputs = (int(n) for n in rng.integers([1, 1, 1, 1, 1], [3, 6, 6, 5, 5]))
    kernel, stride = ([int(n) for n in rng.integers(1, 4, 2)] for _ in range(2))
    pads = [int(rng.integers(1 - kernel[i // 2], 3)) for i in range(4)]
    if any((sizes[i] - 1) * stride[i] + pads[2 * i] + pads[2 * i + 1] + kernel[i] < 1 for i in range(2)):
        pads = [0, 0, 0, 0]
    weight = build.constant(rng.integers(-127, 128, (outputs, *kernel, inputs)), i8)
    operands = (argument(block, i8, (batch, *sizes, inputs)), weight, build.constant(np.arange(outputs), i32))
    return build.add(tosa.TransposeConv2DOp((*operands, *zero_points(rng, build, i8, i8)), pads, stride, i32))


def pool(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """AVG_POOL2D with zero points, or MAX_POOL2D, of 8 or 16 bits; the whole image now and then."""
    element = [i8, i16][rng.integers(2)]
    batch, *sizes, channels = (int(n) for n in rng.integers([1, 2, 2, 1], [3, 9, 9, 5]))
    kernel = sizes if rng.random() < 0.2 else [int(rng.integers(1, size + 1)) for size in sizes]
    window = random_window(rng, sizes, kernel, dilates=False)
    image = argument(block, element, (batch, *sizes, channels))
    if rng.random() < 0.3:
        return build.add(tosa.MaxPool2DOp(image, tuple(kernel), window))
    operands = (image, *zero_points(rng, build, element, element))
    return build.add(tosa.AvgPool2DOp(operands, tuple(kernel), window, i32))


def table(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """TABLE of 8 bits, or of 16 with interpolation; slopes that TOSA allows."""
    if rng.random() < 0.5:
        return build.add(tosa.TableOp(argument(block, i8, (3, 40)), build.constant(rng.integers(-128, 128, 256), i8)))
    entries = np.cumsum(rng.integers(-200, 201, 513)).clip(-(1 << 15), (1 << 15) - 1)
    return build.add(tosa.TableOp(argument(block, i16, (3, 40)), build.constant(entries, i16)))


def matmul(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """MATMUL of two computed operands of one width."""
    element = [i8, i16][rng.integers(2)]
    batch, rows, depth, columns = (int(n) for n in rng.integers(1, 7, 4))
    operands = (argument(block, element, (batch, rows, depth)), argument(block, element, (batch, depth, columns)))
    return narrowed(build, build.add(tosa.MatMulOp((*operands, *zero_points(rng, build, element, element)))))


_BINARY = (tosa.AddOp, tosa.SubOp, tosa.MaximumOp, tosa.MinimumOp, tosa.BitwiseAndOp, tosa.BitwiseOrOp)
_COMPARE = (tosa.BitwiseXorOp, tosa.EqualOp, tosa.GreaterOp, tosa.GreaterEqualOp)


def elementwise(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """Arithmetic, comparisons, shifts, products and casts of i32, one operand repeated along a dimension."""
    lhs, rhs = argument(block, i32, (2, 3, 5)), argument(block, i32, [(2, 3, 5), (1, 3, 1)][rng.integers(2)])
    places = build.constant(rng.integers(0, 32, (2, 3, 5)), i32)
    choice = int(rng.integers(len(_BINARY) + len(_COMPARE) + 10))
    if choice < len(_BINARY) + len(_COMPARE):
        return build.add((*_BINARY, *_COMPARE)[choice](lhs, rhs))
    made: list[Callable[[], SSAValue]] = [
        lambda: build.add(tosa.ArithmeticRightShiftOp(lhs, places)),
        lambda: build.add(tosa.ArithmeticRightShiftOp(lhs, build.constant([[[7]]], i32), rounds=True)),
        lambda: build.add(tosa.LogicalLeftShiftOp(lhs, build.constant([[[9]]], i32))),
        lambda: build.add(tosa.LogicalRightShiftOp(lhs, places)),
        lambda: build.multiply(lhs, rhs, shift=int(rng.integers(2, 40))),
        lambda: build.add(tosa.ClzOp(lhs)),
        lambda: build.add(tosa.IntdivOp(lhs, build.constant(rng.integers(1, 900, (1, 1, 5)), i32))),
        lambda: build.add(tosa.CastOp(lhs, i16)),
        lambda: build.add(tosa.SelectOp(build.add(tosa.GreaterOp(lhs, rhs)), lhs, rhs)),
        lambda: build.add(tosa.AbsOp(lhs)),
    ]
    return made[choice - len(_BINARY) - len(_COMPARE)]()


def movement(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """PAD, CONCAT, SLICE, TILE, TRANSPOSE, REVERSE, RESHAPE, GATHER, SCATTER and IDENTITY of 8-bit integers."""
    sizes = (2, 3, 4)
    value = argument(block, i8, sizes)
    made: list[Callable[[], SSAValue]] = [
        lambda: build.add(
            tosa.PadOp(value, build.shape([int(n) for n in rng.integers(0, 3, 6)]), build.zero_point(-3, i8))
        ),
        lambda: build.add(tosa.ConcatOp([value, value, value], int(rng.integers(3)))),
        lambda: build.add(tosa.SliceOp(value, build.shape((1, 0, 2)), build.shape((1, 3, 2)))),
        lambda: build.add(tosa.TileOp(value, build.shape([int(n) for n in rng.integers(1, 4, 3)]))),
        lambda: build.transpose(value, [int(n) for n in rng.permutation(3)]),
        lambda: build.add(tosa.ReverseOp(value, int(rng.integers(3)))),
        lambda: build.add(tosa.ReshapeOp(value, build.shape((4, 1, 6)))),
        lambda: build.add(tosa.GatherOp(value, build.constant(rng.integers(0, 3, (2, 7)), i32))),
        lambda: build.add(
            tosa.ScatterOp(
                value, build.constant([rng.permutation(3)[:2] for _ in range(2)], i32), argument(block, i8, (2, 2, 4))
            )
        ),
        lambda: build.add(tosa.IdentityOp(value)),
    ]
    return made[rng.integers(len(made))]()


def convolution_in_space(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """CONV3D of 8-bit or 16-bit activations, with a bias for all outputs or for each."""
    element, wide = [(i8, i32), (i16, i48)][rng.integers(2)]
    sizes, kernel = ([int(n) for n in rng.integers(low, high, 3)] for low, high in ((3, 6), (1, 4)))
    inputs, outputs = (int(n) for n in rng.integers(1, 5, 2))
    weight = build.constant(rng.integers(-127, 128, (outputs, *kernel, inputs)), i8)
    bias = build.constant(rng.integers(-1000, 1000, [1, outputs][rng.integers(2)]), wide)
    operands = (argument(block, element, (2, *sizes, inputs)), weight, bias, *zero_points(rng, build, element, i8))
    plane = random_window(rng, sizes[1:], kernel[1:])
    window = ConvWindow((1, kernel[0] - 1, *plane.pad), (1, *plane.stride), (1, *plane.dilation))
    return narrowed(build, build.add(tosa.Conv3DOp(operands, window, wide)))


def narrow(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """What takes 8 and 16 bits: limits, shifts, bits, products, signs, casts, choices, the place of the largest."""
    element = [i8, i16][rng.integers(2)]
    lhs, rhs = argument(block, element, (2, 3, 5)), argument(block, element, [(2, 3, 5), (2, 1, 5)][rng.integers(2)])
    low, high = sorted(int(limit) for limit in rng.integers(-128, 128, 2))
    places = build.constant(rng.integers(0, 8, (2, 3, 5)), element)
    made: list[Callable[[], SSAValue]] = [
        lambda: build.add(tosa.ClampOp(lhs, low, high)),
        lambda: build.add(tosa.ArithmeticRightShiftOp(lhs, places, rounds=bool(rng.integers(2)))),
        lambda: build.add(tosa.LogicalRightShiftOp(lhs, places)),
        lambda: build.add(tosa.LogicalLeftShiftOp(lhs, places)),
        lambda: build.add(_BITS[rng.integers(len(_BITS))](lhs, rhs)),
        lambda: build.add(tosa.BitwiseNotOp(lhs)),
        lambda: build.multiply(lhs, rhs),
        lambda: build.add(tosa.NegateOp(lhs, *zero_points(rng, build, element, element))),
        lambda: build.add(tosa.CastOp(lhs, [i32, i1][rng.integers(2)])),
        lambda: build.add(tosa.SelectOp(build.add(tosa.CastOp(rhs, i1)), lhs, rhs)),
        lambda: build.add(tosa.ArgMaxOp(build.add(tosa.ClampOp(lhs, -2, 2)), int(rng.integers(3)))),
    ]
    return made[rng.integers(len(made))]()


_BITS = (tosa.BitwiseAndOp, tosa.BitwiseOrOp, tosa.BitwiseXorOp)
_LOGIC = (tosa.LogicalAndOp, tosa.LogicalOrOp, tosa.LogicalXorOp)


def logic(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """Two comparisons, one repeated along a dimension: joined, reversed or folded."""
    lhs, rhs = (argument(block, i32, sizes) for sizes in ((2, 3, 5), (1, 3, 1)))
    first, second = build.add(tosa.GreaterOp(lhs, rhs)), build.add(tosa.EqualOp(rhs, rhs))
    made: list[Callable[[], SSAValue]] = [
        lambda: build.add(_LOGIC[rng.integers(len(_LOGIC))](first, second)),
        lambda: build.add(tosa.LogicalNotOp(first)),
        lambda: build.add(tosa.ReduceAllOp(first, int(rng.integers(3)))),
        lambda: build.add(tosa.ReduceAnyOp(first, int(rng.integers(3)))),
        lambda: build.add(tosa.CastOp(first, [i8, i16, i32][rng.integers(3)])),
    ]
    return made[rng.integers(len(made))]()


def random_sampling(rng: Rng, size: int) -> tosa.Sampling:
    """Any sampling whose result ends on a position, about as often larger as smaller."""
    while True:
        unit, step = (int(value) for value in rng.integers(1, rng.choice([4, 40]), 2))
        offset = int(rng.integers(-unit, 2 * unit))
        last = (size - 1) * unit - offset
        border = int(rng.integers(-unit, unit))
        border -= (last + border) % step
        if last + border >= 0:
            try:
                return tosa.Sampling(unit, step, offset, border)
            except ConversionError:
                continue


def resize(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A resize of a new argument of the block, in any mode and width; 48 bits in 32, as the tools give results."""
    sizes = [int(size) for size in rng.integers(1, 7, 4)]
    value = argument(block, [i8, i16][rng.integers(2)], sizes)
    rows, columns = (random_sampling(rng, size) for size in sizes[1:3])
    scale, offset, border = (
        build.shape(values)
        for values in (
            (rows.unit, rows.step, columns.unit, columns.step),
            (rows.offset, columns.offset),
            (rows.border, columns.border),
        )
    )
    made = build.add(tosa.ResizeOp(value, scale, offset, border, list(tosa.ResizeMode)[rng.integers(2)]))
    return build.rescale(made, 1.0, i32) if element_type(made) == i48 else made


def reduction(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """REDUCE_MAX, REDUCE_MIN and REDUCE_SUM of integers."""
    kinds = ((tosa.ReduceMaxOp, i8), (tosa.ReduceMinOp, i16), (tosa.ReduceMaxOp, i32), (tosa.ReduceSumOp, i32))
    kind, element = kinds[rng.integers(len(kinds))]
    return build.add(kind(argument(block, element, (3, 4, 5)), int(rng.integers(3))))


KINDS = (
    convolution,
    convolution_in_space,
    transpose_convolution,
    pool,
    table,
    matmul,
    elementwise,
    narrow,
    logic,
    movement,
)
"""The kinds that the interpreter's own test compares; resize and reduction have tests of their own."""

EVERY = (*KINDS, resize, reduction)
