"""What tosa-rescale-legalize-to-stablehlo makes is StableHLO, and equal to tosa.rescale on every integer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qconvert.dialects.verify import verify_stablehlo
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.numerics import Rounding
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import TosaRescaleLegalizeToStablehlo
from qconvert.rewriting.base import run_passes
from tests.support.tosa_rescales import SHAPE, Array, Case, inputs_of, random_case, rescale_module

CASES = 250


def any_value(rng: np.random.Generator, case: Case) -> Array:
    """Integers of the whole range, where TOSA leaves the result open too."""
    limits = np.iinfo(case.values.dtype)
    return rng.integers(limits.min, limits.max, SHAPE, case.values.dtype, endpoint=True)


def rounding_once(case: Case) -> Case:
    """INEXACT_ROUND, which TOSA leaves to the implementation, as the pass has it."""
    inexact = case.rounding is Rounding.INEXACT_ROUND
    return replace(case, rounding=Rounding.SINGLE_ROUND) if inexact else case


@pytest.mark.stablehlo
@pytest.mark.parametrize("seed", range(2))
def test_equal_to_the_op_in_both_interpreters(seed: int) -> None:
    from qconvert.engines import stablehlo

    rng = np.random.default_rng(seed)
    cases = [random_case(rng, (8, 16, 32)) for _ in range(CASES)]
    module = rescale_module(cases)
    samples = [inputs_of(cases), [any_value(rng, case) for case in cases]]
    defined = rescale_module([rounding_once(case) for case in cases])
    expected = [evaluate(defined, sample) for sample in samples]
    run_passes(module, [TosaRescaleLegalizeToStablehlo()])
    verify_stablehlo(module)
    found = stablehlo.run_samples(module_text(module, locations=False), samples)
    for sample, wanted, theirs in zip(samples, expected, found, strict=True):
        for case, a, b, c in zip(cases, wanted, evaluate(module, sample), theirs, strict=True):
            np.testing.assert_array_equal(b, c, str(case))
            np.testing.assert_array_equal(a, b, str(case))
