"""Every operator of TFLite against LiteRT's kernels, integer by integer: the cases of ``tests/cases``."""

from __future__ import annotations

import re

import numpy as np
import pytest

from qconvert import Format
from tests.cases import contraction, recurrent
from tests.support.litert_reference import Judge
from tests.support.paths import ROOT
from tests.support.tflite_cases import Case
from tests.support.tflite_families import WITHOUT_STATE

JUDGES = {family.__name__.rpartition(".")[2]: Judge(family.CASES) for family in (*WITHOUT_STATE, recurrent)}
"""One for each family, so that a single test runs no more than its family."""

pytestmark = pytest.mark.litert
every_case = pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, judge in JUDGES.items() for name in judge.cases]
)
HYBRIDS = Judge(contraction.HYBRIDS)


@every_case
def test_interpreter_equals_litert(family: str, name: str) -> None:
    JUDGES[family].check_interpreter(name)


@every_case
@pytest.mark.tosa
def test_tosa_equals_litert(family: str, name: str) -> None:
    JUDGES[family].check_tosa(name)


@every_case
@pytest.mark.parametrize("to", [Format.STABLEHLO_INT, Format.TOSA_RESCALE])
def test_plain_integers_equal_litert(family: str, name: str, to: Format) -> None:
    JUDGES[family].check_integers(name, to)


@every_case
def test_stablehlo_is_near_litert(family: str, name: str) -> None:
    JUDGES[family].check_stablehlo(name)


def test_distances_of_more_than_a_step_are_documented() -> None:
    page = (ROOT / "docs" / "tflite.md").read_text()
    section = page.partition("## How far StableHLO's quantized types are from LiteRT")[2].partition("\n## ")[0]
    listed = {
        name
        for row in re.findall(r"^\| ([A-Z].*?) \|", section, re.MULTILINE)
        for name in re.findall("[A-Z_0-9]+", row)
    }
    cases = [case for judge in JUDGES.values() for case in judge.cases.values()]
    far = {case.op for case in cases if isinstance(case, Case) and case.apart and case.apart > 1}
    assert far - listed == set()


@pytest.mark.parametrize("name", HYBRIDS.cases)
def test_floats_are_quantized_at_run_time_as_by_litert(name: str) -> None:
    """StableHLO reads such a product as one of floats."""
    HYBRIDS.check_interpreter(name)


@pytest.mark.tosa
@pytest.mark.parametrize("name", HYBRIDS.cases)
def test_floats_are_quantized_at_run_time_in_tosa(name: str) -> None:
    """No integer of these inputs lies beside a tie, where one of 127 steps would be 400 times the limit."""
    found = HYBRIDS.tosa_results[name]
    assert isinstance(found, list), str(found)
    for (ours, *_), (theirs, *_) in zip(found, HYBRIDS.expected(name), strict=True):
        assert np.abs(ours - theirs).max() <= 2e-6 * np.abs(theirs).max()
