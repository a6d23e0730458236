"""TOSA's integer ops in our interpreter, bit by bit against the reference model, on random programs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, SSAValue

from qconvert.engines import tosa as engine
from qconvert.expansion.builder import TosaBuilder
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.ir.types import element_type
from tests.support.random_tosa_ops import KINDS, Rng
from tests.support.tosa_programs import module_of, random_inputs

CASES = 300


@pytest.mark.tosa
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_integers_are_those_of_the_reference_model(kind: Callable[[Rng, TosaBuilder, Block], SSAValue]) -> None:
    rng, block, build = np.random.default_rng(0), Block(), TosaBuilder()
    cases = [kind(rng, build, block) for _ in range(CASES)]
    module, inputs = module_of(block, build, cases), random_inputs(rng, block)
    expected = engine.run_samples(module_text(module), [inputs])[0]
    for case, ours, theirs in zip(cases, evaluate(module, inputs), expected, strict=True):
        assert ours.dtype == (bool if element_type(case) == i1 else theirs.dtype)
        np.testing.assert_array_equal(ours, theirs, str(case.owner))
