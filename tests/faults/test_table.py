"""The table of faults: each edit fits the source, and ``validate`` notices each that changes a file's integers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.faults.table import FAULTS, Kind


def test_each_edit_fits_the_source_once() -> None:
    for fault in FAULTS:
        source = Path(*fault.edit.module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
        assert source.count(fault.edit.before) == 1, fault.name


def test_the_faults_are_of_many_kinds_in_each_format() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 40
    assert {fault.kind for fault in FAULTS} == set(Kind)
    assert min(Counter(fault.to for fault in FAULTS).values()) >= 8
