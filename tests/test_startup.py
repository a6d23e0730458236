"""Tests of what is kept from one process's start to the next's."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from qconvert import startup
from qconvert.startup import CompiledMethods

SOURCE = "def made():\n return 7"


def executed(methods: CompiledMethods, source: str = SOURCE) -> dict[str, Any]:
    """What a source defines."""
    names: dict[str, Any] = {}
    methods.execute(source, {}, names)
    return names


def no_compiler(*_: object) -> CodeType:
    raise AssertionError("compiled again")


def test_a_source_is_compiled_by_the_first_process_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "methods"
    first = CompiledMethods(path)
    assert executed(first)["made"]() == 7
    first.save()
    monkeypatch.setattr(startup, "compile", no_compiler, raising=False)
    second = CompiledMethods(path)
    assert executed(second)["made"]() == 7
    path.unlink()
    second.save()
    assert not path.exists()  # it had nothing to add
    with pytest.raises(AssertionError, match="compiled again"):
        executed(second, "x = 1")


def test_processes_add_to_what_others_left(tmp_path: Path) -> None:
    path = tmp_path / "methods"
    for source in ("a = 1", "b = 2"):
        methods = CompiledMethods(path)
        executed(methods, source)
        methods.save()
    both = CompiledMethods(path)
    executed(both, "a = 1")
    executed(both, "b = 2")
    path.unlink()
    both.save()
    assert not path.exists()


@pytest.mark.parametrize(
    "keep", [slice(0), slice(9), slice(-5), slice(1, None)], ids=["empty", "cut", "short", "other"]
)
def test_a_damaged_file_is_written_anew(tmp_path: Path, keep: slice) -> None:
    path = tmp_path / "methods"
    methods = CompiledMethods(path)
    executed(methods)
    methods.save()
    whole = path.read_bytes()
    path.write_bytes(whole[keep])
    methods = CompiledMethods(path)
    assert executed(methods)["made"]() == 7
    methods.save()
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    methods = CompiledMethods(in_the_way / "methods")
    executed(methods)
    methods.save()
    assert list(tmp_path.iterdir()) == [in_the_way]


def test_a_full_file_keeps_what_the_last_process_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "methods"
    old = CompiledMethods(path)
    executed(old, "a = '" + "0" * 10_000 + "'")
    old.save()
    monkeypatch.setattr(startup, "_MOST", 1)
    new = CompiledMethods(path)
    executed(new)
    new.save()
    assert path.stat().st_size < 1_000


def test_the_command_line_keeps_dataclasses_methods(tmp_path: Path) -> None:
    command = [sys.executable, "-X", f"pycache_prefix={tmp_path}", "-m", "qconvert", "engines"]
    for _ in range(2):
        subprocess.run(command, check=True, capture_output=True, env={"PYTHONPATH": str(Path.cwd())})
    (kept,) = tmp_path.rglob("*.marshal")
    methods = CompiledMethods(kept)
    vars(dataclasses)["exec"] = methods.execute
    try:
        made = dataclasses.make_dataclass("Point", ["x", "y"], frozen=True)
    finally:
        del vars(dataclasses)["exec"]
    assert made(1, 2) == made(1, 2) != made(2, 1)
    subprocess.run(
        [*command[:1], "-B", *command[1:]], check=True, capture_output=True, env={"PYTHONPATH": str(Path.cwd())}
    )


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--version"], 0), (["convert", "nothing.onnx", "-o", "x.mlir"], 2)]
)
def test_the_command_ends_at_once_but_for_what_is_registered(arguments: list[str], status: int) -> None:
    script = (
        "import atexit, sys; from qconvert.__main__ import main; atexit.register(print, 'at the exit');"
        f"sys.argv[1:] = {arguments}; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == status
    assert done.stdout.endswith("at the exit\n")
    assert ("cannot be read" in done.stderr) == (status == 2)
