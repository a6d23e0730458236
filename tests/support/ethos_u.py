"""Compilation of TOSA's integers for Arm's Ethos-U by Vela, which refuses a file if it refuses an op."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qconvert import Format, convert, load, save
from qconvert.backends.tosa import Profile, TosaOptions

PROCESSORS = ("ethos-u85-256", "ethos-u55-128")


def compile_for(processor: str, model: Path | bytes, folder: Path) -> None:
    """Convert a model to TOSA's integers and compile these; skip the test where Vela is not installed."""
    pytest.importorskip("ethosu")
    save(convert(load(model), Format.TOSA, TosaOptions(Profile.INT)), folder / "model.tosa")
    vela = [sys.executable, "-m", "ethosu.vela", folder / "model.tosa", "--accelerator-config", processor]
    subprocess.run([*vela, "--output-dir", folder / "out"], capture_output=True, text=True, check=True)
    assert list((folder / "out").glob("*_vela.*"))
