"""push-rescales on random ops and programs: what it makes is valid, spelled out alike, and near what it was."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.rescaling.push_rescales import PushRescales
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import TosaRescaleLegalizeToStablehlo
from qconvert.rewriting.base import run_passes
from tests.support.parameters import few
from tests.support.random_ops import KINDS, STORAGES, random_case
from tests.support.random_programs import random_inputs, random_program
from tests.support.tosa_rescales import Array

PROGRAMS = 80
UNSTEADY = ("stablehlo.divide", "stablehlo.compare")
"""Ops that make any difference of one step from what they are given."""


def largest_difference(before: ModuleOp, after: ModuleOp, inputs: list[Array]) -> int:
    pairs = zip(evaluate(before, inputs), evaluate(after, inputs), strict=True)
    integers = [(a, b) for a, b in pairs if a.dtype.kind in "iu"]
    return max((int(np.abs(a.astype(np.int64) - b).max(initial=0)) for a, b in integers), default=0)


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", few(range(4), 1))
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_one_op_differs_by_a_step(kind: type, seed: int) -> None:
    """Scales of any ratio: results finer than operands, and operands far finer than each other."""
    rng = np.random.default_rng((len(kind.name), seed))
    for number, storage in enumerate(STORAGES * 2):
        before, inputs = random_case(rng, kind, storage)
        run_passes(before, [QuantLegalizeToTosaRescale(integer_rescales=number % 2 == 0)])
        after = before.clone()
        run_passes(after, [PushRescales()])
        assert largest_difference(before, after, inputs) <= 1, module_text(before)


def lowered(seed: int) -> ModuleOp:
    module = random_program(seed, 10)
    run_passes(module, [DecomposeComposites(), WidenReductions(), QuantLegalizeToTosaRescale(seed % 2 == 0)])
    return module


@pytest.mark.slow
def test_programs_keep_their_meaning() -> None:
    changed = 0
    for seed in range(PROGRAMS):
        before = lowered(seed)
        after = before.clone()
        [result] = run_passes(after, [PushRescales()])
        changed += result.changed
        spelled, inputs = after.clone(), random_inputs(before, seed)
        run_passes(spelled, [TosaRescaleLegalizeToStablehlo()])
        for a, b in zip(evaluate(after, inputs), evaluate(spelled, inputs), strict=True):
            np.testing.assert_array_equal(a, b)
        if not any(op.name in UNSTEADY for op in before.walk()):
            assert largest_difference(before, after, inputs) <= 2
    assert changed > PROGRAMS // 3
