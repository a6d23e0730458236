"""tosa.rescale in our interpreter, bit by bit against the reference model and against the specification's words."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.dialects.verify import verify_module
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.numerics import Rounding
from tests.support.tosa_rescales import Case, inputs_of, random_case, rescale_module

RUNS, CASES_A_RUN = 4, 300


@pytest.mark.tosa
@pytest.mark.parametrize("seed", range(RUNS))
def test_equal_to_the_reference_model(seed: int) -> None:
    """20 values for each of 1,200 rescales: every type, rounding and flag that TOSA allows together."""
    from qconvert.engines import tosa

    rng = np.random.default_rng(seed)
    cases = [random_case(rng) for _ in range(CASES_A_RUN)]
    module = rescale_module(cases)
    verify_module(module)
    inputs = inputs_of(cases)
    expected = tosa.run_samples(module_text(module), [inputs])[0]
    for case, ours, theirs in zip(cases, evaluate(module, inputs), expected, strict=True):
        assert ours.dtype.itemsize == theirs.dtype.itemsize
        np.testing.assert_array_equal(ours.view(theirs.dtype), theirs, str(case))


def rescaled(case: Case) -> list[int]:
    [result] = evaluate(rescale_module([case]), inputs_of([case]))
    return [int(value) for value in result.flat]


def case(values: list[int], multiplier: int, shift: int, **changes: object) -> Case:
    array = np.resize(np.array(values, np.int32), (5, 4))
    defaults: dict[str, object] = {
        "source": 32,
        "target": 32,
        "multiplier": np.array([multiplier], np.int32),
        "shift": np.array([shift], np.int8),
        "input_zp": 0,
        "output_zp": 0,
        "rounding": Rounding.SINGLE_ROUND,
        "input_unsigned": False,
        "output_unsigned": False,
        "values": array,
    }
    return Case(**{**defaults, **changes})  # type: ignore[arg-type]


def test_ties_go_up_or_away_from_zero_or_to_even() -> None:
    values = [-6, -2, 2, 6]
    assert rescaled(case(values, 1 << 30, 32))[:4] == [-1, 0, 1, 2]
    assert rescaled(case(values, 1 << 30, 32, rounding=Rounding.DOUBLE_ROUND))[:4] == [-2, -1, 1, 2]
    assert rescaled(case(values, 1 << 30, 32, rounding=Rounding.INEXACT_ROUND))[:4] == [-2, 0, 0, 2]


def test_what_the_specification_leaves_open_saturates() -> None:
    assert rescaled(case([1 << 20, -(1 << 20), 3, -3], 1 << 30, 16))[:4] == [2**31 - 1, -(2**31), 3 << 14, -3 << 14]


def test_every_combination_is_among_the_random_cases() -> None:
    rng = np.random.default_rng(0)
    cases = [random_case(rng) for _ in range(CASES_A_RUN)]
    for kind in (
        {(c.source, c.target) for c in cases},
        {(c.rounding, c.multiplier.dtype, c.multiplier.size > 1) for c in cases},
        {(c.source, c.input_unsigned, c.target, c.output_unsigned) for c in cases},
    ):
        assert len(kind) in (12, 10, 20), kind
