"""What a process of qconvert leaves on the machine that it runs on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from qconvert.engines.workers import NO_TELEMETRY
from qconvert.support.arrays import read_arrays
from qconvert.support.files import write_text
from tests.support.commands import qconvert
from tests.support.paths import IMAGES, MLP, ROOT


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """The environment of a new user's process: empty folders, and no wish about telemetry."""
    kept = {name: value for name, value in os.environ.items() if name not in NO_TELEMETRY}
    for folder in ("home", "temporary"):
        (tmp_path / folder).mkdir()
    folders = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "temporary")}
    return {name: value for name, value in kept.items() if not name.startswith("XDG_")} | folders


@pytest.mark.slow
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


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o444, 0o4755])
def test_outputs_keep_the_permissions_of_the_file_they_replace(tmp_path: Path, mode: int) -> None:
    out, link = tmp_path / "out.mlir", tmp_path / "link.mlir"
    out.touch()
    out.chmod(mode)
    link.symlink_to(out)
    qconvert("convert", MLP, "-o", link)
    assert out.stat().st_size
    assert out.stat().st_mode & 0o7777 == mode & 0o777


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions")
@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077, 0o000])
def test_new_outputs_follow_the_mask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_text(tmp_path / "out", "text")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o7777 == 0o666 & ~mask


def test_nothing_can_read_code_from_a_file() -> None:
    """No cache of code is kept, and no file is read in a way that runs what it says."""
    loads = r"^\s*(?:import|from) (?:marshal|pickle|shelve|dill|joblib)\b"
    runs = r"(?<![.\w])(?<!def )(?:eval|exec|compile|__import__)\("
    pattern = re.compile(rf"{loads}|{runs}|allow_pickle=True", re.MULTILINE)
    paths = (ROOT / "qconvert").rglob("*.py")
    assert [path.name for path in paths if pattern.search(path.read_text())] == []
