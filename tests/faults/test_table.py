"""The table of faults: each edit fits the source, and ``validate`` notices each that changes a file's integers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.faults.table import FAULTS, Fault, Kind
from tests.faults.verdict import plain_outcome, verdict_of


def test_each_edit_fits_the_source_once() -> None:
    for fault in FAULTS:
        source = Path(*fault.edit.module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
        assert source.count(fault.edit.before) == 1, fault.name


def test_the_faults_are_of_many_kinds_in_each_format() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 40
    assert {fault.kind for fault in FAULTS} == set(Kind)
    assert min(Counter(fault.to.removesuffix("-int") for fault in FAULTS).values()) >= 8


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_validate_notices_each_fault(fault: Fault) -> None:
    verdict = verdict_of(fault)
    assert verdict.counts
    assert verdict.where, verdict.failures


_UNCHANGED = {(fault.network, fault.to): fault for fault in FAULTS}


@pytest.mark.long
@pytest.mark.timeout(3600)  # StableHLO's own interpreter takes minutes for 20 seeds
@pytest.mark.parametrize("fault", _UNCHANGED.values(), ids=lambda fault: f"{fault.network}-{fault.to}")
def test_validate_passes_without_a_fault(fault: Fault) -> None:
    assert plain_outcome(fault, range(20)).failures == ()
