"""Mutated files of each kind convert, or end in an error of one paragraph; outputs can be read back."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

CASES = {
    "onnx": 200,
    "tflite": 150,
    "stablehlo": 200,
    "tosa": 150,
    "npz": 400,
    "toml": 400,
    "json": 400,
}
"""Always the same: ``make fuzz`` tries others."""


def check(name: str, cases: int, folder: Path) -> None:
    """Run a fuzzer on cases of a fixed seed and look at its table."""
    process = subprocess.run(
        [sys.executable, "-m", "fuzz", name, "--cases", str(cases), "--seed", "0", "--folder", str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "QCONVERT_FUZZ_SEEDS": "25"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr[-2000:]
    row = re.search(rf"^{name} +(\d+) +(\d+) +(\d+)", process.stdout, re.MULTILINE)
    assert row is not None, process.stdout
    assert int(row[2]) == cases
    assert int(row[3]) > cases // 40, "mutations are so strong that nothing behind the door is reached"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_mutated_files_convert_or_end_in_an_error(name: str, tmp_path: Path) -> None:
    check(name, CASES[name], tmp_path)


@pytest.mark.slow
@pytest.mark.tosa
def test_mutated_flatbuffers_convert_or_end_in_an_error(tmp_path: Path) -> None:
    check("tosa-flatbuffer", 120, tmp_path)


@pytest.mark.slow
@pytest.mark.litert
@pytest.mark.parametrize("name", ["onnx-litert", "tflite-litert", "stablehlo-litert"])
def test_litert_runs_what_mutated_files_become(name: str, tmp_path: Path) -> None:
    check(name, 80, tmp_path)


@pytest.mark.slow
def test_guided_fuzzers_run(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="the guided fuzzers need the extra 'fuzz'")
    command = [
        sys.executable,
        "-m",
        "fuzz",
        "json",
        "--guided",
        "--cases",
        "60",
        "--seed",
        "1",
        "--folder",
        str(tmp_path),
    ]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    assert list((tmp_path / "corpus" / "json").iterdir()), "no file reached code that the seeds do not"
