"""The lean forms of sums, functions, paddings, transposes and transposed convolutions keep every integer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.ir import Block, SSAValue

from qconvert.backends.ethos_u.forms.borders_to_slices import BordersToSlices
from qconvert.backends.ethos_u.forms.casts_of_rows import CastsOfRows
from qconvert.backends.ethos_u.forms.clamps_to_extremes import ClampsToExtremes
from qconvert.backends.ethos_u.forms.columns_to_features import ColumnsToFeatures
from qconvert.backends.ethos_u.forms.copies_to_maxima import CopiesToMaxima
from qconvert.backends.ethos_u.forms.copy_images import CopyImages
from qconvert.backends.ethos_u.forms.copy_tables import CopyTables
from qconvert.backends.ethos_u.forms.fold_pads import FoldPads
from qconvert.backends.ethos_u.forms.functions_to_tables import FunctionsToTables
from qconvert.backends.ethos_u.forms.maxima_of_halves import MaximaOfHalves
from qconvert.backends.ethos_u.forms.rescales_to_products import RescalesToProducts
from qconvert.backends.ethos_u.forms.select_to_sum import SelectToSum
from qconvert.backends.ethos_u.forms.sums_to_additions import SumsToAdditions
from qconvert.backends.ethos_u.forms.sums_to_convolutions import SumsToConvolutions
from qconvert.backends.ethos_u.forms.swaps_before_products import SwapsBeforeProducts
from qconvert.backends.ethos_u.forms.tables_to_slopes import TablesToSlopes
from qconvert.backends.ethos_u.forms.transposed_to_convolutions import TransposedToConvolutions
from qconvert.backends.ethos_u.forms.transposes_to_convolutions import TransposesToConvolutions
from qconvert.backends.ethos_u.npu import ETHOS_U55, ETHOS_U85, Npu
from qconvert.dialects import tosa
from qconvert.engines import tosa as engine
from qconvert.expansion.builder import TosaBuilder, i16, i48
from qconvert.interpreter import evaluate
from qconvert.ir import i8, i32
from qconvert.ir.printing import module_text
from qconvert.ir.types import shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.rewriting import Pass, run_passes
from tests.support.random_tosa_ops import Rng, narrowed, zero_points
from tests.support.tosa_programs import argument, module_of, random_inputs

CASES = 150


def sum_of_several(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """REDUCE_SUMs along some dimensions of integers of 8 or 16 bits less a zero point."""
    element = [i8, i16][rng.integers(2)]
    sizes = [int(size) for size in rng.choice([1, 2, 3, 7, 70], 4, p=[0.2, 0.3, 0.2, 0.2, 0.1])]
    value = argument(block, element, sizes)
    zero_point = int(rng.integers(-128, 128)) if element == i8 else 0
    value = build.rescale(value, 2.0 ** int(rng.integers(0, 3)), i32, ZeroPoints(zero_point))
    for axis in rng.permutation(4)[: rng.integers(1, 4)]:
        value = build.add(tosa.ReduceSumOp(value, int(axis)))
    return value


def sum_by_additions(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """The same sums."""
    return sum_of_several(rng, build, block)


def extreme_of_several(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """REDUCE_MAXs or REDUCE_MINs along some dimensions; many features of an argument stay on some NPUs."""
    sizes = [int(size) for size in rng.choice([1, 2, 3, 7, 40], 4, p=[0.2, 0.3, 0.2, 0.2, 0.1])]
    value = argument(block, [i8, i16][rng.integers(2)], sizes)
    kind = (tosa.ReduceMaxOp, tosa.ReduceMinOp)[rng.integers(2)]
    for axis in sorted(rng.permutation(4)[: rng.integers(1, 4)]):
        value = build.add(kind(value, int(axis)))
    return value


def rescaled_product(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A product, mostly a square, or a shift of 32-bit integers, rescaled to 8, 16 or 32 bits."""
    sizes = [int(size) for size in rng.integers(1, 5, 3)]
    one, other = (build.rescale(argument(block, i16, sizes), 2.0**-1, i32) for _ in range(2))
    made = build.multiply(one, [one, other][int(rng.random() < 0.3)])
    if rng.random() < 0.3:
        made = build.shift_left(one, int(rng.integers(1, 9)))
    element, rounding = [i8, i16, i32][rng.integers(3)], (Rounding.SINGLE_ROUND, Rounding.DOUBLE_ROUND)[rng.integers(2)]
    made = build.reshape(made, [*sizes, 1])
    point = 0 if element != i8 else int(rng.integers(-128, 128))
    return build.rescale(made, float(2.0 ** rng.uniform(-25, -1)), element, ZeroPoints(0, point), rounding)


def selected_by_sign(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A value or its product with constant or computed slopes, as LiteRT's PRELU; sometimes slopes of 9 bits."""
    *sizes, channels = (int(size) for size in rng.integers(1, 4, 3))
    wide = build.rescale(argument(block, i8, [*sizes, channels]), 1.0, i32, ZeroPoints(int(rng.integers(-128, 128))))
    slope = build.constant(rng.integers(-128, 128, (1, 1, channels)) + int(rng.integers(-127, 128)), i32)
    if rng.random() < 0.1:
        slope = build.constant(rng.choice([-300, 300], (1, 1, channels)), i32)
    elif rng.random() < 0.3:
        slope = build.rescale(argument(block, i8, [1, 1, channels]), 1.0, i32, ZeroPoints(int(rng.integers(-9, 9))))
    modes = (Rounding.SINGLE_ROUND, Rounding.DOUBLE_ROUND)
    below, above = (
        build.rescale(value, float(2.0 ** rng.uniform(low, low + 3)), i32, rounding=modes[rng.integers(2)])
        for value, low in ((build.multiply(wide, slope), -9), (wide, -2))
    )
    is_positive = build.add(tosa.GreaterEqualOp(wide, build.filled(0, wide)))
    result = build.add(tosa.SelectOp(is_positive, above, below))
    return build.rescale(result, 1.0, i8, ZeroPoints(0, int(rng.integers(-128, 128))))


def table_of_slopes(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A TABLE of a magnitude, a negative or what is above a number, or of other entries."""
    values = np.arange(-128, 128) - int(rng.integers(-128, 128))
    kind = [np.abs(values), -values, np.maximum(values, 0), rng.integers(-128, 128, 256)][rng.integers(4)]
    factor = 1.0 if rng.random() < 0.3 else float(2.0 ** rng.uniform(-3, 1))
    entries = np.floor(kind * factor + 0.5).astype(int) + int(rng.integers(-50, 50))
    table = entries.astype(np.int8) if factor == 1 and rng.random() < 0.3 else np.clip(entries, -128, 127)
    sizes = [int(size) for size in rng.integers(1, 6, 3)]
    return build.add(tosa.TableOp(argument(block, i8, sizes), build.constant(table, i8)))


def product_of_transposed(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """MATMUL of a transposed second operand, which may have more dimensions."""
    rank = int(rng.integers(3, 5))
    sizes = [int(size) for size in rng.integers(1, 5, rank)]
    order = [*rng.permutation(rank)] if rng.random() < 0.5 else [*range(rank - 2), rank - 1, rank - 2]
    moved = build.add(tosa.TransposeOp(argument(block, i8, sizes), [int(axis) for axis in order]))
    *outer, rows, columns = shape(moved)
    other = build.reshape(moved, (int(np.prod(outer)), rows, columns))
    first = argument(block, i8, [shape(other)[0], 2, rows])
    return build.add(tosa.MatMulOp((first, other, *zero_points(rng, build, i8, i8))))


def clamped(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A CLAMP of an argument, of a sum of 8-bit or 32-bit integers, or of few or more features of a convolution."""
    sizes = [1, 3, 7, int(rng.choice([3, 9]))]
    element, kind = [i8, i16][rng.integers(2)], int(rng.integers(4))
    value = argument(block, element, sizes)
    if kind == 1:
        weight = build.constant(rng.integers(-127, 128, (sizes[-1], 1, 1, sizes[-1])), i8)
        operands = (argument(block, i8, sizes), weight, build.constant(np.arange(sizes[-1]), i32))
        made = tosa.Conv2DOp(
            (*operands, *zero_points(rng, build, i8, i8)), tosa.ConvWindow((0,) * 4, (1, 1), (1, 1)), i32
        )
        value = build.rescale(build.add(made), 2.0**-7, element)
    elif kind > 1:
        wide = [build.rescale(argument(block, element, sizes), 1.0, i32) for _ in range(2)]
        wide = [build.rescale(part, 0.3, i32) for part in wide] if kind == 3 else wide
        value = build.rescale(build.add(tosa.AddOp(*wide)), 0.7, element)
    limit = 1 << (element.width.data - 1)
    low, high = (int(bound) for bound in rng.integers([-limit, 0], [0, limit]))
    return build.clamp(value, [low, -limit][rng.integers(2)], high)


def gated(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A product, sum or maximum of an 8-bit value and a TABLE of it or, at times, of another one."""
    sizes = [int(size) for size in rng.integers(1, 4, 3)]
    value = argument(block, i8, sizes)
    other = value if rng.random() < 0.8 else argument(block, i8, sizes)
    gate = build.add(tosa.TableOp(other, build.constant(rng.integers(-128, 128, 256), i8)))
    points = [ZeroPoints(int(point)) for point in rng.integers(-128, 128, 2)]
    lhs, rhs = (build.rescale(x, 1.0, i32, point) for x, point in zip((value, gate), points, strict=True))
    kind = (tosa.AddOp, tosa.MaximumOp)[rng.integers(2)]
    is_product = rng.random() < 0.6
    made = build.add(tosa.MulOp(lhs, rhs, build.zero_point(0, i8)) if is_product else kind(lhs, rhs))
    return build.rescale(made, float(2.0 ** rng.uniform(-8, -6 if is_product else 0)), i8, ZeroPoints(0, 3))


def padded_convolution(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A convolution or a maximum behind a PAD, often with a TRANSPOSE and a SLICE between."""
    sizes = [int(size) for size in rng.integers([1, 6, 6, 1], [3, 9, 9, 4])]
    order = (0, 2, 3, 1) if rng.random() < 0.5 else (0, 1, 2, 3)
    given = [0] * 4
    for i, place in enumerate(order):
        given[place] = sizes[i]
    fill = -128 if rng.random() < 0.2 else int(rng.integers(-5, 5))
    pads = [0] * 8
    for place in order[1:3]:
        pads[2 * place : 2 * place + 2] = [int(pad) for pad in rng.integers(0, 2, 2)]
    padded = build.add(tosa.PadOp(argument(block, i8, given), build.shape(pads), build.zero_point(fill, i8)))
    image = build.transpose(padded, order)
    starts = [0, *(int(start) for start in rng.integers(0, 3, 2)), 0] if rng.random() < 0.5 else [0] * 4
    image = build.slice(image, starts, [size - start for size, start in zip(shape(image), starts, strict=True)])
    kernel = tuple(int(size) for size in rng.integers(2, 5, 2))
    own, channels = tuple(int(pad) for pad in rng.integers(0, 2, 4)), shape(image)[-1]
    window = tosa.ConvWindow(own, (1, 1), (1, 1))
    if fill == -128:
        return build.add(tosa.MaxPool2DOp(image, kernel, window))
    weight, bias = (
        build.constant(rng.integers(-127, 128, array), element)
        for array, element in (((2, *kernel, channels), i8), (2, i32))
    )
    zero_point = build.zero_point(fill if rng.random() < 0.9 else fill + 1, i8)
    return build.add(tosa.Conv2DOp((image, weight, bias, zero_point, *zero_points(rng, build, i8)), window, i32))


def transposed_convolution(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """TRANSPOSE_CONV2D of 8 or 16 bits that crops its result or adds to it, often with a RESCALE and a CLAMP."""
    element, wide = [(i8, i32), (i16, i48)][rng.integers(2)]
    *sizes, outputs = (int(size) for size in rng.integers([1, 3, 3, 1, 1], [3, 6, 6, 4, 4]))
    kernel, stride = [int(n) for n in rng.integers(2, 6, 2)], [int(n) for n in rng.integers(1, 4, 2)]
    pads = [int(pad) for pad in rng.integers(-1, 2, 4)]
    weight, bias = build.constant(rng.integers(-127, 128, (outputs, *kernel, sizes[-1])), i8), np.arange(outputs)
    operands = (argument(block, element, sizes), weight, build.constant(bias, wide))
    zeros = zero_points(rng, build, element, i8)
    made = build.add(tosa.TransposeConv2DOp((*operands, *zeros), pads, stride, wide))
    if wide == i48 or rng.random() < 0.3:
        return narrowed(build, made)
    factors = 2.0 ** rng.uniform(-9, -7, outputs)
    return build.clamp(build.rescale(made, factors, i8, ZeroPoints(0, 5)), -100, 90)


def transpose(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """Mostly of few planes that become the last dimension."""
    images, planes, *sizes = (int(size) for size in rng.integers([1, 2, 2, 2], [3, 5, 9, 9]))
    order = (0, 2, 3, 1) if rng.random() < 0.8 else [int(place) for place in rng.permutation(4)]
    return build.transpose(argument(block, [i8, i16][rng.integers(2)], (images, planes, *sizes)), order)


def strided_convolution(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A convolution of a computed image, mostly of few features, that steps over columns."""
    images, height, columns, features, steps = (int(n) for n in rng.integers([1, 5, 2, 1, 2], [3, 9, 5, 4, 4]))
    image = build.rescale(argument(block, i8, (images, height, columns * steps, features)), 1.0, i8)
    kernel = int(rng.integers(2, 5)), int(rng.integers(2, min(6, columns * steps) + 1))
    pads = [int(pad) for pad in rng.integers(0, 3, 4)]
    pads[3] += -(columns * steps + pads[2] + pads[3] - kernel[1]) % steps
    weight = build.constant(rng.integers(-127, 128, (5, *kernel, features)), i8)
    operands = (image, weight, build.constant(rng.integers(-99, 99, 5), i32), *zero_points(rng, build, i8, i8))
    return build.add(tosa.Conv2DOp(operands, tosa.ConvWindow(tuple(pads), (1, steps), (1, 1)), i32))


def convolution_of_an_image(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A convolution of an argument of few features."""
    height, features = int(rng.integers(12, 15)), int(rng.integers(1, 6))
    image = argument(block, i8, (1, height, 48, features))
    weight = build.constant(rng.integers(-127, 128, (2, 3, 3, features)), i8)
    operands = (image, weight, build.constant(np.arange(2), i32), *zero_points(rng, build, i8, i8))
    return build.add(tosa.Conv2DOp(operands, tosa.ConvWindow((1, 1, 1, 1), (1, 1), (1, 1)), i32))


def border(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """An image between parts of it, some of them reversed."""
    sizes = [int(size) for size in rng.integers([1, 4, 4, 1], [3, 9, 9, 25])]
    image, axis = argument(block, [i8, i16][rng.integers(2)], sizes), int(rng.integers(1, 4))
    pieces = [image]
    for place in rng.integers(0, 2, 2):
        count = int(rng.integers(1, sizes[axis] + 1))
        start = [int(rng.integers(0, sizes[i] - count + 1)) if i == axis else 0 for i in range(4)]
        cut = build.slice(image, start, [count if i == axis else size for i, size in enumerate(sizes)])
        pieces.insert(place * len(pieces), build.add(tosa.ReverseOp(cut, axis)) if rng.random() < 0.7 else cut)
    return build.add(tosa.ConcatOp(pieces, axis))


def copied(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A part of an argument, often all of it, mostly in another shape."""
    sizes = [int(size) for size in rng.integers(1, 7, 3)]
    first = [int(rng.integers(0, size)) if rng.random() < 0.3 else 0 for size in sizes]
    value = argument(block, [i8, i16][rng.integers(2)], sizes)
    part = build.slice(value, first, [size - start for start, size in zip(first, sizes, strict=True)])
    return build.reshape(part, shape(part)[:: int(rng.choice([-1, 1]))])


def cast_of_an_argument(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """A widened argument of any rank that two ops read."""
    sizes = rng.integers(1, 5, rng.integers(5)).tolist()
    wide = build.add(tosa.CastOp(argument(block, [i8, i16][rng.integers(2)], sizes), i32))
    return build.add(tosa.SubOp(build.add(tosa.AbsOp(wide)), build.add(tosa.ClzOp(wide))))


def gathered(rng: Rng, build: TosaBuilder, block: Block) -> SSAValue:
    """Elements of a list of bytes."""
    places = build.add(tosa.CastOp(argument(block, i8, (1, int(rng.integers(1, 9)))), i32))
    listed = build.constant(rng.integers(-128, 128, (1, [256, 512, 1024][rng.integers(3)], 1)), i8)
    return build.add(tosa.GatherOp(listed, build.offset(places, 128)))


KINDS: dict[Callable[[Rng, TosaBuilder, Block], SSAValue], Callable[[Npu], Pass]] = {
    sum_of_several: SumsToConvolutions,
    sum_by_additions: lambda npu: SumsToAdditions(npu._replace(adds_sums=True)),
    extreme_of_several: MaximaOfHalves,
    rescaled_product: lambda npu: RescalesToProducts(npu._replace(products_for_rescales=True)),
    selected_by_sign: SelectToSum,
    table_of_slopes: TablesToSlopes,
    product_of_transposed: lambda _: SwapsBeforeProducts(),
    clamped: ClampsToExtremes,
    gated: lambda _: FunctionsToTables(),
    padded_convolution: lambda _: FoldPads(),
    transposed_convolution: lambda _: TransposedToConvolutions(),
    transpose: lambda npu: TransposesToConvolutions(npu._replace(planes_moved_by_convolution=4)),
    strided_convolution: lambda _: ColumnsToFeatures(ETHOS_U85),
    convolution_of_an_image: lambda _: CopyImages(ETHOS_U85),
    border: lambda _: BordersToSlices(),
    copied: lambda _: CopiesToMaxima(),
    cast_of_an_argument: lambda _: CastsOfRows(ETHOS_U85),
    gathered: lambda _: CopyTables(ETHOS_U85),
}


@pytest.mark.tosa
@pytest.mark.parametrize("npu", [ETHOS_U55, ETHOS_U85], ids=lambda npu: npu.name)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_integers_stay_the_same(kind: Callable[[Rng, TosaBuilder, Block], SSAValue], npu: Npu) -> None:
    """Of our interpreter before and after, and of the reference model after. At least a third of the ops change."""
    rng, block, build = np.random.default_rng(0), Block(), TosaBuilder()
    cases = [kind(rng, build, block) for _ in range(CASES)]
    module, inputs = module_of(block, build, cases), random_inputs(rng, block)
    expected = evaluate(module, inputs)
    [result, _] = run_passes(module, [KINDS[kind](npu), DeadCodeElimination()])
    assert len(result.refusals) < CASES * 2 // 3
    for before, after, judge in zip(
        expected, evaluate(module, inputs), engine.run_samples(module_text(module), [inputs])[0], strict=True
    ):
        np.testing.assert_array_equal(after, before)
        np.testing.assert_array_equal(judge, before)
