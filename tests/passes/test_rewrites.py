"""Every pass on text: what it makes of a module, what it must leave alone, and that no number changes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.observation import ObservedRange
from qconvert.ir.printing import module_text
from qconvert.passes import PASSES, make_pass
from qconvert.passes.casts.materialize_stats import MaterializeStats
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.rewriting.base import Pass, run_passes
from qconvert.support.errors import ConversionError
from tests.support.text_cases import FOLDER, Case, inputs_for, normalised, parsed, read, shared, update

pytestmark = pytest.mark.xdist_group("rewrites")  # the tests share what was parsed and rewritten

RANGES = {
    "x": ObservedRange(-1.5, 0.5),
    "y": ObservedRange(-0.25, 3.0),
    "y2": ObservedRange(0.0, 3.0),
    "columns": ObservedRange(-1.0, 4.0, 1, ((-1.0, 1.0), (0.0, 2.0), (0.5, 4.0))),
}
TESTED_BY_BACKENDS = {
    "accumulate-normalizations",
    "casts-of-rows",
    "columns-to-features",
    "compute-halves-in-floats",
    "compute-in-floats",
    "copy-images",
    "copy-tables",
    "decompose-for-onnx",
    "decompose-for-tflite",
    "decompose-to-floats",
    "export-codegen",
    "export-fixed",
    "gather-to-tables",
    "keep-bounds",
    "nhwc-io",
    "propagate",
    "resizes-to-convolutions",
    "separate-sums",
    "signed-storage",
    "stablehlo-to-tosa",
    "strip-qconvert-attributes",
    "tabulate",
    "widen-storage",
}
"""Passes without a text of rewrites: parts of a backend, which tests/backends runs with everything that it writes.

``columns-to-features`` and ``copy-images`` do nothing for all NPUs; ``tests/tosa/test_lean_images.py`` names one.
``casts-of-rows`` and ``copy-tables`` do nothing for all NPUs; ``tests/tosa/test_lean.py`` names one.
``resizes-to-convolutions`` does nothing for all NPUs; ``tests/tosa/test_lean_resizes.py`` names one.
``gather-to-tables`` needs texts of 65,536 integers; ``test_lean_functions.py`` makes them.
"""

STEPS: list[Pass] = [
    MaterializeStats(RANGES) if name == MaterializeStats.name else make_pass(name)
    for name in PASSES
    if name not in TESTED_BY_BACKENDS
]
REWRITES = [(step, case) for step in STEPS for case in read(f"{step.name}.mlir")]
REFUSALS = [
    (step, case)
    for step in STEPS
    if (FOLDER / f"{step.name}.refused.mlir").exists()
    for case in read(f"{step.name}.refused.mlir")
]


@cache
def rewritten(step: str, case: Case) -> str:
    """What the pass of this name and a sweep of dead ops make of a case."""
    module = parsed(case.before)
    run_passes(module, [next(each for each in STEPS if each.name == step), DeadCodeElimination()])
    return module_text(module)


@pytest.mark.parametrize(("step", "case"), REWRITES, ids=[str(case) for _, case in REWRITES])
def test_rewrites(step: Pass, case: Case, request: pytest.FixtureRequest) -> None:
    found = rewritten(step.name, case)
    if request.config.getoption("--update-golden"):
        update(case, found)
    else:
        assert found == normalised(case.after)


@pytest.mark.quick(30)
@pytest.mark.parametrize(("step", "case"), REWRITES, ids=[str(case) for _, case in REWRITES])
def test_keeps_every_number(step: Pass, case: Case) -> None:
    if "changes the interface" in case.comment:
        pytest.skip("arguments have other types afterwards")
    before, after = parsed(case.before), parse_module(rewritten(step.name, case))
    for seed in range(3):
        inputs = inputs_for(before, seed)
        for expected, found in zip(evaluate(before, inputs), evaluate(after, inputs), strict=True):
            assert expected.dtype == found.dtype
            tolerance = 1e-6 if "last bits" in case.comment else 0.0
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=float("within 1 LSB" in case.comment))


@pytest.mark.parametrize(("step", "case"), REFUSALS, ids=[str(case) for _, case in REFUSALS])
def test_refuses_with_a_reason(step: Pass, case: Case) -> None:
    """The first line of the comment is the reason, or ``nothing to do``; the module stays as it was."""
    module = parsed(case.before)
    result = step.apply(module)
    assert not result.changed
    assert module_text(module) == normalised(case.before)
    reason = case.comment.splitlines()[0].removeprefix("// ")
    assert [refusal.reason for refusal in result.refusals] == ([] if reason == "nothing to do" else [reason])


CASES = [case for path in sorted(FOLDER.glob("*.mlir")) for case in read(path.name)]
UNCHANGED: dict[str, ModuleOp] = {}
"""Modules by their text that the passes before have left as they were, so that not every pass needs a copy."""


@pytest.mark.quick(4)
@pytest.mark.parametrize("step", STEPS, ids=[step.name for step in STEPS])
@pytest.mark.slow
def test_says_whether_it_changed_anything(step: Pass) -> None:
    """Nothing is verified again after a pass that says no: the module is the same then."""
    told = 0
    for case in CASES:
        module = UNCHANGED.pop(case.before, None) or parsed(case.before)
        try:
            result = step.apply(module)
        except ConversionError:
            continue
        if not result.changed:
            assert module.is_structurally_equivalent(shared(case.before)), case
            UNCHANGED[case.before] = module
            told += 1
    assert told


def test_every_text_belongs_to_a_pass() -> None:
    names = {step.name for step in STEPS}
    assert {path.name.split(".")[0] for path in FOLDER.glob("*.mlir")} == names
    assert names | TESTED_BY_BACKENDS == set(PASSES)
