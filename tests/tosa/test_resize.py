"""tosa.resize and integer reductions in our interpreter, bit by bit against the reference model."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block

from qconvert.dialects.tosa import ReduceMaxOp, ReduceMinOp, ReduceSumOp
from qconvert.engines import tosa
from qconvert.expansion.builder import TosaBuilder, i16
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.ir.types import i8, i32
from tests.support.random_tosa_ops import resize
from tests.support.tosa_programs import module_of, random_inputs

RUNS, CASES_A_RUN = 3, 80


@pytest.mark.tosa
@pytest.mark.parametrize("seed", range(RUNS))
def test_resize_is_equal_to_the_reference_model(seed: int) -> None:
    rng, block, build = np.random.default_rng(seed), Block(), TosaBuilder()
    cases = [resize(rng, build, block) for _ in range(CASES_A_RUN)]
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
