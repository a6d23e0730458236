"""Compilation of TOSA's integers for Arm's Ethos-U by Vela, which refuses a file if it refuses an op."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert import Format, convert, find_npu, load, save
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.engines import vela

PROCESSORS = ("ethos-u85-256", "ethos-u55-128")


def compile_for(processor: str, model: Path | bytes, folder: Path) -> None:
    """Convert a model to TOSA's integers and compile these; skip the test where Vela is not installed."""
    pytest.importorskip("ethosu")
    save(convert(load(model), Format.TOSA, TosaOptions(Profile.INT, npu=find_npu(processor))), folder / "model.tosa")
    compile_file(processor, folder / "model.tosa")


def compile_file(processor: str, file: Path) -> None:
    """Compile a binary file of TOSA by Vela."""
    with vela.Vela(processor) as compiler:
        found = compiler.compile(file.read_bytes())
    assert isinstance(found, vela.Compiled), found
    assert found.file
