"""Faults in written files: each gives other integers in the format's own tool, and commands name its layer."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.planted.table import FAULTS, Fault, Written
from tests.planted.verdicts import COMMANDS, Said, outcome

_EXTRAS = {
    Written.TFLITE: pytest.mark.litert,
    Written.STABLEHLO: pytest.mark.stablehlo,
    Written.TOSA: pytest.mark.tosa,
    Written.FLATBUFFER: pytest.mark.tosa,
}

_USUAL = ("scale, conv_3 of digits", "relu, relu_15_node of mobilenet in uint8, tosa flatbuffer")
"""The beginnings of the faults that the usual tests plant."""


def _parameter(fault: Fault) -> Any:
    marks = [_EXTRAS[fault.written]] if fault.written in _EXTRAS else []
    marks.append(pytest.mark.slow if str(fault).startswith(_USUAL) else pytest.mark.long)
    return pytest.param(fault, marks=marks, id=str(fault))


def test_the_faults_are_of_many_kinds_in_each_format() -> None:
    assert len(set(FAULTS)) == len(FAULTS) >= 60
    for written in Written:
        kinds = Counter(fault.kind for fault in FAULTS if fault.written is written)
        assert len(kinds) >= 10
        assert sum(kinds.values()) >= 8


@pytest.mark.parametrize("fault", list(map(_parameter, FAULTS)))
def test_a_fault_is_named(fault: Fault, tmp_path: Path) -> None:
    found = outcome(fault, tmp_path, COMMANDS)
    assert found.counts
    assert not {command: verdict for command, verdict in found.verdicts.items() if verdict.said is not Said.RIGHT}
