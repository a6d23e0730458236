"""Every pass on text: what it makes of a module, what it must leave alone, and that no number changes."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.observation import ObservedRange
from qconvert.ir.printing import module_text
from qconvert.passes.casts.convert_fake_quant import ConvertFakeQuant
from qconvert.passes.casts.materialize_stats import MaterializeStats
from qconvert.passes.casts.quant_casts_to_stablehlo import QuantCastsToStableHlo
from qconvert.passes.casts.raise_fake_quant import RaiseFakeQuant
from qconvert.passes.casts.stablehlo_to_quant_casts import StableHloToQuantCasts
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.cleanup.fold import Fold
from qconvert.passes.cleanup.fold_scales import FoldScales
from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.composites.outline_composites import OutlineComposites
from qconvert.passes.composites.raise_composites import RaiseComposites
from qconvert.passes.fusion.dehybridize import Dehybridize
from qconvert.passes.fusion.hybridize import Hybridize
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.passes.fusion.legalize_quantized_op_to_qdq import LegalizeQuantizedOpToQdq
from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.passes.reductions.accumulate_reductions import AccumulateReductions
from qconvert.passes.reductions.expand_reduction_conversions import ExpandReductionConversions
from qconvert.passes.reductions.inline_reduction_conversions import InlineReductionConversions
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.rescaling.combine_rescales import CombineRescales
from qconvert.passes.rescaling.exact_rounding import ExactRounding
from qconvert.passes.rescaling.legalize_quant_to_math import LegalizeQuantToMath
from qconvert.passes.rescaling.push_rescales import PushRescales
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import TosaRescaleLegalizeToStablehlo
from qconvert.passes.storage.equalize_storage import EqualizeStorage
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.quantization.fusion import FuseKernels, UnwrapRegions
from qconvert.rewriting.base import Pass, run_passes
from qconvert.support.errors import ConversionError
from tests.passes.sections import FOLDER, Case, inputs_for, normalised, read, update

RANGES = {
    "x": ObservedRange(-1.5, 0.5),
    "y": ObservedRange(-0.25, 3.0),
    "y2": ObservedRange(0.0, 3.0),
    "columns": ObservedRange(-1.0, 4.0, 1, ((-1.0, 1.0), (0.0, 2.0), (0.5, 4.0))),
}
PASSES: tuple[Pass, ...] = (
    AccumulateReductions(),
    CombineRescales(),
    CommonSubexpressionElimination(),
    ConvertFakeQuant(),
    DeadCodeElimination(),
    DecomposeComposites(),
    Dehybridize(),
    EqualizeStorage(),
    ExactRounding(),
    ExpandReductionConversions(),
    Fold(),
    FoldScales(),
    FuseKernels(),
    Hybridize(),
    InlineCalls(),
    InlineReductionConversions(),
    LegalizeQdqToQuantizedOp(),
    LegalizeQuantizedOpToQdq(),
    LegalizeQuantToMath(),
    MaterializeStats(RANGES),
    PushRescales(),
    QuantCastsToStableHlo(),
    QuantLegalizeToTosaRescale(),
    OutlineComposites(),
    QuantizedIO(),
    RaiseComposites(),
    RaiseFakeQuant(),
    SinkTransposes(),
    StableHloToQuantCasts(),
    TosaRescaleLegalizeToStablehlo(),
    UnwrapRegions(),
    WidenReductions(),
)
REWRITES = [(step, case) for step in PASSES for case in read(f"{step.name}.mlir")]
REFUSALS = [
    (step, case)
    for step in PASSES
    if (FOLDER / f"{step.name}.refused.mlir").exists()
    for case in read(f"{step.name}.refused.mlir")
]


def rewritten(step: Pass, case: Case) -> str:
    """What a pass and a sweep of dead ops make of a case."""
    module = parse_module(case.before)
    run_passes(module, [step, DeadCodeElimination()])
    return module_text(module)


@pytest.mark.parametrize(("step", "case"), REWRITES, ids=[str(case) for _, case in REWRITES])
def test_rewrites(step: Pass, case: Case, request: pytest.FixtureRequest) -> None:
    found = rewritten(step, case)
    if request.config.getoption("--update-golden"):
        update(case, found)
    else:
        assert found == normalised(case.after)


@pytest.mark.parametrize(("step", "case"), REWRITES, ids=[str(case) for _, case in REWRITES])
def test_keeps_every_number(step: Pass, case: Case) -> None:
    if "changes the interface" in case.comment:
        pytest.skip("arguments have other types afterwards")
    before, after = parse_module(case.before), parse_module(rewritten(step, case))
    for seed in range(3):
        inputs = inputs_for(before, seed)
        for expected, found in zip(evaluate(before, inputs), evaluate(after, inputs), strict=True):
            assert expected.dtype == found.dtype
            tolerance = 1e-6 if "last bits" in case.comment else 0.0
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=float("within a step" in case.comment))


@pytest.mark.parametrize(("step", "case"), REFUSALS, ids=[str(case) for _, case in REFUSALS])
def test_refuses_with_a_reason(step: Pass, case: Case) -> None:
    """The first line of the comment is the reason, or ``nothing to do``; the module stays as it was."""
    module = parse_module(case.before)
    result = step.apply(module)
    assert not result.changed
    assert module_text(module) == normalised(case.before)
    reason = case.comment.splitlines()[0].removeprefix("// ")
    assert [refusal.reason for refusal in result.refusals] == ([] if reason == "nothing to do" else [reason])


CASES = [case for path in sorted(FOLDER.glob("*.mlir")) for case in read(path.name)]


@pytest.mark.parametrize("number", range(len(PASSES)), ids=[step.name for step in PASSES])
def test_says_whether_it_changed_anything(number: int) -> None:
    """Nothing is verified again after a pass that says no: the text is the same then."""
    told = 0
    for case in CASES:
        module = parse_module(case.before)
        try:
            result = PASSES[number].apply(module)
        except ConversionError:
            continue
        if not result.changed:
            assert module_text(module) == normalised(case.before), case
            told += 1
    assert told
