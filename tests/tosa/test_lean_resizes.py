"""Linear enlargements as convolutions, for NPUs without linear RESIZE."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from qconvert.backends.ethos_u.forms.resizes_to_convolutions import ResizesToConvolutions
from qconvert.backends.ethos_u.npu import ETHOS_U55, ETHOS_U85, EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.engines import tosa as engine
from qconvert.expansion.builder import TosaBuilder, i16
from qconvert.interpreter import evaluate
from qconvert.ir import i8, i32
from qconvert.ir.printing import module_text
from qconvert.numerics import Rounding
from qconvert.rewriting import run_passes
from tests.support.tosa_programs import argument, extremes, module_of, random_inputs

UNIT = 1 << 11
CENTERED, PLAIN = True, False
Along = tuple[int, bool]
"""A factor along a dimension, and whether positions are those of half pixels."""


def enlarged(
    *along: Along,
    sizes: tuple[int, ...] = (2, 4, 5, 3),
    unit: int = UNIT,
    rounding: Rounding = Rounding.DOUBLE_ROUND,
    times: float = 1.0,
    shifted: int = 0,
    aligned: bool = False,
) -> ModuleOp:
    """A linear resize, whose sums are rounded; ``aligned`` if the last results are the last elements."""
    block, build = Block(), TosaBuilder()
    rows = []
    for size, (factor, centered) in zip(sizes[1:3], along, strict=True):
        step = unit // factor
        offset = shifted + ((step - unit) // 2 if centered else 0)
        border = 0 if aligned else (factor * size - 1) * step + offset - (size - 1) * unit
        rows.append((unit, step, offset, border))
    scale = build.shape([number for row in rows for number in row[:2]])
    offsets, borders = (build.shape([row[i] for row in rows]) for i in (2, 3))
    image = argument(block, i8, sizes)
    sums = build.add(tosa.ResizeOp(image, scale, offsets, borders, tosa.ResizeMode.BILINEAR))
    return module_of(block, build, [build.rescale(sums, times / unit**2, i8, rounding=rounding)])


FORMS: list[tuple[Along, Along]] = [
    ((2, CENTERED), (2, CENTERED)),
    ((2, PLAIN), (2, PLAIN)),
    ((4, CENTERED), (4, CENTERED)),
    ((4, PLAIN), (4, PLAIN)),
    ((1, PLAIN), (2, CENTERED)),
    ((4, PLAIN), (1, CENTERED)),
    ((2, CENTERED), (4, PLAIN)),
]


@pytest.mark.tosa
@pytest.mark.parametrize(("rows", "columns"), FORMS)
@pytest.mark.parametrize("unit", [8, UNIT])
def test_integers_stay_the_same(rows: Along, columns: Along, unit: int) -> None:
    """Of our interpreter before and after, and of the reference model after; of the smallest units, ties go up."""
    rng, is_small = np.random.default_rng(0), unit < UNIT
    rounding = Rounding.SINGLE_ROUND if is_small else Rounding.DOUBLE_ROUND
    module = enlarged(rows, columns, unit=unit, rounding=rounding, times=1.37 if is_small else 1.0)
    [block] = [op.body.block for op in module.ops]
    samples = [make(rng, block) for make in (random_inputs, extremes) for _ in range(3)]
    expected = [evaluate(module, inputs)[0] for inputs in samples]
    [result] = run_passes(module, [ResizesToConvolutions(ETHOS_U55)])
    assert not result.refusals
    names = Counter(op.name for op in module.walk())
    assert names["tosa.depthwise_conv2d"] == rows[0] * columns[0]
    assert not names["tosa.resize"]
    judged = engine.run_samples(module_text(module), samples)
    for before, inputs, judge in zip(expected, samples, judged, strict=True):
        np.testing.assert_array_equal(evaluate(module, inputs)[0], before)
        np.testing.assert_array_equal(judge[0], before)


@pytest.mark.parametrize(
    ("module", "npu", "reason"),
    [
        (enlarged(*FORMS[0]), ETHOS_U85, "NPUs compute it"),
        (enlarged(*FORMS[0]), EVERY_NPU, "NPUs compute it"),
        (enlarged((1, PLAIN), (1, PLAIN)), ETHOS_U55, "it does not enlarge by 2 or 4"),
        (enlarged((2, PLAIN), (8, PLAIN)), ETHOS_U55, "it does not enlarge by 2 or 4"),
        (enlarged(*FORMS[1], aligned=True), ETHOS_U55, "it does not enlarge by 2 or 4"),
        (
            enlarged(*FORMS[0], unit=12, rounding=Rounding.SINGLE_ROUND),
            ETHOS_U55,
            "its weights need more than 8 bits",
        ),
        (enlarged(*FORMS[0], times=0.5), ETHOS_U55, "its sums are not rounded to 8 bits alone"),
        (enlarged((2, PLAIN), (2, PLAIN), unit=2), ETHOS_U55, "its sums are not rounded to 8 bits alone"),
        (enlarged(*FORMS[0], shifted=2), ETHOS_U55, "its weights need more than 8 bits"),
        (
            enlarged(*FORMS[0], rounding=Rounding.SINGLE_ROUND, times=2.0**36),
            ETHOS_U55,
            "no shift would be left",
        ),
    ],
    ids=["U85", "every", "same", "8", "aligned", "12", "half", "fine", "weights", "shift"],
)
def test_other_resizes_stay(module: ModuleOp, npu: Npu, reason: str) -> None:
    before = str(module)
    [result] = run_passes(module, [ResizesToConvolutions(npu)])
    assert str(module) == before
    assert [refusal.reason for refusal in result.refusals] == [reason]


def test_sums_that_others_read_stay() -> None:
    module = enlarged(*FORMS[0])
    [block] = [op.body.block for op in module.ops]
    [resize] = [op for op in block.ops if isinstance(op, tosa.ResizeOp)]
    terminator = block.last_op
    assert terminator is not None
    terminator.operands = [*terminator.operands, resize.output]
    [result] = run_passes(module, [ResizesToConvolutions(ETHOS_U55)])
    assert [refusal.reason for refusal in result.refusals] == ["its sums are not rounded to 8 bits alone"]


def test_integers_of_16_bits_are_not_visited() -> None:
    block, build = Block(), TosaBuilder()
    parts = (build.shape((4, 2, 4, 2)), build.shape((-1, -1)), build.shape((1, 1)))
    made = build.add(tosa.ResizeOp(argument(block, i16, (1, 4, 4, 2)), *parts, tosa.ResizeMode.BILINEAR))
    module = module_of(block, build, [build.rescale(made, 1.0, i32)])
    [result] = run_passes(module, [ResizesToConvolutions(ETHOS_U55)])
    assert (result.changed, result.refusals) == (False, ())
