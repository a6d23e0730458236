"""Forms for NPUs where proofs end: slopes that 8 bits do not hold, other types and shapes, ops in a row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert.backends.ethos_u.forms.clamps_to_extremes import ClampsToExtremes
from qconvert.backends.ethos_u.forms.maxima_of_halves import MaximaOfHalves
from qconvert.backends.ethos_u.forms.select_to_sum import SelectToSum
from qconvert.backends.ethos_u.npu import ETHOS_U55, ETHOS_U85, Npu
from qconvert.dialects import tosa
from qconvert.expansion.builder import TosaBuilder, i16
from qconvert.interpreter import evaluate
from qconvert.ir import i8, i32
from qconvert.numerics import ZeroPoints
from tests.support.tosa_programs import argument, module_of

CODES = np.arange(-128, 128, dtype=np.int8).reshape(1, 256, 1)


def prelu(
    build: TosaBuilder,
    wide: SSAValue,
    slopes: Sequence[int],
    selected: IntegerType = i32,
    zero_point: int = 0,
    *,
    unsigned: bool = False,
) -> SSAValue:
    """A value, or its product with the slopes of rows, by its sign; ``selected`` is the type of what SELECT takes."""
    slope = build.constant(np.reshape(slopes, (-1, 1, 1)), i32)
    factor = 1 / max(map(abs, slopes))
    above, below = build.rescale(wide, 1.5, selected), build.rescale(build.multiply(wide, slope), factor, selected)
    is_positive = build.add(tosa.GreaterEqualOp(wide, build.filled(0, wide)))
    made = build.add(tosa.SelectOp(is_positive, above, below))
    return build.rescale(made, 1.0, i8, ZeroPoints(0, zero_point), output_unsigned=unsigned)


def prelus(*rows: tuple[Sequence[int], IntegerType, int, bool]) -> ModuleOp:
    """A function of all 8-bit integers with a result for each of ``rows``."""
    build, block = TosaBuilder(), Block()
    wide = build.rescale(argument(block, i8, CODES.shape), 1.0, i32, ZeroPoints(3))
    made = [prelu(build, wide, slopes, *others, unsigned=unsigned) for slopes, *others, unsigned in rows]
    return module_of(block, build, made)


def count(module: ModuleOp, kind: type[Operation]) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


@pytest.mark.parametrize("npu", [ETHOS_U55, ETHOS_U85], ids=lambda npu: npu.name)
@pytest.mark.parametrize(
    ("slopes", "selected", "zero_point", "unsigned", "changes"),
    [
        ([-255], i32, 0, False, True),
        ([255], i32, 0, False, True),
        ([-300], i32, 0, False, False),
        ([300], i32, 0, False, False),
        ([(1 << 31) - 1], i32, 0, False, False),
        ([2], i8, -100, False, False),
        ([2], i32, 100, True, False),
        ([2], i32, 200, True, False),
        ([2, 3], i32, 0, False, False),
    ],
    ids=["least", "largest", "below", "above", "of 32 bits", "narrow", "unsigned", "more unsigned", "broadcast"],
)
def test_slopes_and_types_at_their_limits(
    slopes: list[int], selected: IntegerType, zero_point: int, npu: Npu, *, unsigned: bool, changes: bool
) -> None:
    module = prelus((slopes, selected, zero_point, unsigned))
    expected = evaluate(module, [CODES])
    result = SelectToSum(npu).apply(module)
    assert (result.changed, len(result.refusals)) == (changes, not changes)
    np.testing.assert_array_equal(evaluate(module, [CODES])[0], expected[0])


def test_a_choice_behind_another_one_is_visited() -> None:
    """Constants of the first function serve the second one, so that no op is between its SELECT and its RESCALE."""
    module = prelus(([2], i32, 5, False), ([2], i32, 5, False))
    expected = evaluate(module, [CODES])
    [block] = [op.body.block for op in module.ops]
    for op in [op for op in block.ops if isinstance(op, tosa.ConstOp)]:
        op.detach()
        block.insert_op_before(op, block.first_op)
    assert SelectToSum().apply(module).changed
    assert not count(module, tosa.SelectOp)
    for made, known in zip(evaluate(module, [CODES]), expected, strict=True):
        np.testing.assert_array_equal(made, known)


@pytest.mark.parametrize("element", [i8, i16])
def test_reductions_in_a_row_all_go(element: IntegerType) -> None:
    build, block = TosaBuilder(), Block()
    value = argument(block, element, (2, 3, 4, 5))
    for axis in range(4):
        value = build.add(tosa.ReduceMinOp(value, axis))
    module = module_of(block, build, [value])
    assert MaximaOfHalves().apply(module).changed
    assert not count(module, tosa.ReduceMinOp)


def test_a_clamp_of_a_scalar_behind_a_convolution() -> None:
    build, block = TosaBuilder(), Block()
    weight, bias = build.constant(np.ones((1, 1, 1, 1)), i8), build.constant(np.zeros(1), i32)
    zero_points = [build.zero_point(0, i8)] * 2
    window = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
    image = argument(block, i8, (1, 1, 1, 1))
    made = build.rescale(build.add(tosa.Conv2DOp((image, weight, bias, *zero_points), window, i32)), 1.0, i8)
    module = module_of(block, build, [build.add(tosa.ClampOp(build.reshape(made, ()), -3, 4))])
    assert not ClampsToExtremes(ETHOS_U55).apply(module).changed
