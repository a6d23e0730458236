"""tosa.resize and integer reductions in our interpreter, bit by bit against the reference model."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from qconvert.dialects.tosa import ReduceMaxOp, ReduceMinOp, ReduceSumOp, ResizeMode, ResizeOp, Sampling
from qconvert.engines import tosa
from qconvert.expansion.builder import TosaBuilder, i16, i48
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.ir.types import element_type, i8, i32
from qconvert.support.errors import ConversionError
from tests.support.tosa_programs import module_of, random_inputs

RUNS, CASES_A_RUN = 3, 80


def random_sampling(rng: np.random.Generator, size: int) -> Sampling:
    """Any sampling whose result ends on a position, about as often larger as smaller."""
    while True:
        unit, step = (int(value) for value in rng.integers(1, rng.choice([4, 40]), 2))
        offset = int(rng.integers(-unit, 2 * unit))
        last = (size - 1) * unit - offset
        border = int(rng.integers(-unit, unit))
        border -= (last + border) % step
        if last + border >= 0:
            try:
                return Sampling(unit, step, offset, border)
            except ConversionError:
                continue


def random_resize(rng: np.random.Generator, build: TosaBuilder, block: Block) -> SSAValue:
    """A resize of a new argument of the block, in any mode and width; 48 bits in 32, as the tools give results."""
    sizes = [int(size) for size in rng.integers(1, 7, 4)]
    argument = block.insert_arg(TensorType([i8, i16][rng.integers(2)], sizes), len(block.args))
    rows, columns = (random_sampling(rng, size) for size in sizes[1:3])
    scale, offset, border = (
        build.shape(values)
        for values in (
            (rows.unit, rows.step, columns.unit, columns.step),
            (rows.offset, columns.offset),
            (rows.border, columns.border),
        )
    )
    made = build.add(ResizeOp(argument, scale, offset, border, list(ResizeMode)[rng.integers(2)]))
    return build.rescale(made, 1.0, i32) if element_type(made) == i48 else made


@pytest.mark.tosa
@pytest.mark.parametrize("seed", range(RUNS))
def test_resize_is_equal_to_the_reference_model(seed: int) -> None:
    rng, block, build = np.random.default_rng(seed), Block(), TosaBuilder()
    cases = [random_resize(rng, build, block) for _ in range(CASES_A_RUN)]
    module, inputs = module_of(block, build, cases), random_inputs(rng, block)
    for case, ours, theirs in zip(
        cases, evaluate(module, inputs), tosa.run_samples(module_text(module), [inputs])[0], strict=True
    ):
        np.testing.assert_array_equal(ours, theirs, str(case.owner))


@pytest.mark.tosa
def test_reductions_are_equal_to_the_reference_model() -> None:
    rng, block, build = np.random.default_rng(0), Block(), TosaBuilder()
    results = []
    for kind, element in ((ReduceMaxOp, i8), (ReduceMinOp, i8), (ReduceMaxOp, i16), (ReduceSumOp, i32)):
        for axis in range(3):
            argument = block.insert_arg(TensorType(element, (3, 4, 5)), len(block.args))
            results.append(build.add(kind(argument, axis)))
    module, inputs = module_of(block, build, results), random_inputs(rng, block)
    for ours, theirs in zip(evaluate(module, inputs), tosa.run_samples(module_text(module), [inputs])[0], strict=True):
        np.testing.assert_array_equal(ours, theirs)
