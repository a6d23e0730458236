"""What a process of qconvert leaves on the machine that it runs on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from qconvert.engines.workers import NO_TELEMETRY
from qconvert.support.arrays import read_arrays
from tests.support.paths import IMAGES, MLP, ROOT


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """The environment of a new user's process: empty folders, and no wish about telemetry."""
    kept = {name: value for name, value in os.environ.items() if name not in NO_TELEMETRY}
    for folder in ("home", "temporary"):
        (tmp_path / folder).mkdir()
    folders = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "temporary")}
    return {name: value for name, value in kept.items() if not name.startswith("XDG_")} | folders


def test_onnxruntime_writes_nothing_about_its_user(machine: dict[str, str], tmp_path: Path) -> None:
    """Its telemetry began with the import: it truncated what ``.ses`` pointed to, and kept a database in ``.cache``."""
    victim, link = tmp_path / "victim", tmp_path / "temporary" / ".ses"
    victim.write_text("precious")
    link.symlink_to(victim)
    np.savez(tmp_path / "in.npz", image=read_arrays(IMAGES)["image"][:1])
    options = ("--engine", "onnxruntime", "--inputs", tmp_path / "in.npz", "-o", tmp_path / "out.npz")
    command = [sys.executable, "-m", "qconvert", "run", MLP, *options]
    subprocess.run(command, env=machine, cwd=ROOT, check=True, capture_output=True, timeout=120)
    assert victim.read_text() == "precious"
    assert list((tmp_path / "temporary").iterdir()) == [link]
    assert list((tmp_path / "home").iterdir()) == []
    assert (tmp_path / "out.npz").exists()
