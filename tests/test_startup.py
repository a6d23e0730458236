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


def no_compiler(*_: object, **__: object) -> CodeType:
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


def test_kept_methods_are_those_that_python_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = dataclasses.make_dataclass("Point", [("x", int), ("y", float, 2.0)], frozen=True)
    for execute in (CompiledMethods(tmp_path / "methods").execute,) * 2:
        monkeypatch.setitem(vars(dataclasses), "exec", execute)
        made = dataclasses.make_dataclass("Point", [("x", int), ("y", float, 2.0)], frozen=True)
        assert made(1) == made(1) != made(2)
        assert made.__doc__ == expected.__doc__
        assert made.__init__.__annotations__ == expected.__init__.__annotations__


def test_damage_within_the_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "methods"
    methods = CompiledMethods(path)
    executed(methods)
    methods.save()
    whole = path.read_bytes()
    for i in range(len(whole)):
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 0xFF]) + whole[i + 1 :])
        assert executed(CompiledMethods(path))["made"]() == 7


def run_python(prefix: Path, *arguments: str) -> list[Path]:
    """What Python leaves of compiled methods below a prefix for bytecode."""
    command = [sys.executable, "-X", f"pycache_prefix={prefix}", *arguments]
    subprocess.run(command, check=True, capture_output=True, env={"PYTHONPATH": str(Path.cwd())})
    return list(prefix.rglob("*.marshal"))


def test_the_command_line_keeps_dataclasses_methods(tmp_path: Path) -> None:
    command = ("-m", "qconvert", "engines")
    assert run_python(tmp_path, "-B", *command) == []
    (kept,) = run_python(tmp_path, *command)
    written = kept.stat().st_mtime_ns
    uncompiled = "startup.compile = None; startup.keep_compiled_methods(); import qconvert.engines.base"
    assert run_python(tmp_path, "-c", f"from qconvert import startup; {uncompiled}") == [kept]
    assert kept.stat().st_mtime_ns == written


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--version"], 0), (["convert", "nothing.onnx", "-o", "x.mlir"], 2)]
)
def test_the_command_ends_at_once_but_for_what_is_registered(arguments: list[str], status: int) -> None:
    script = f"""
import atexit, sys
from qconvert.__main__ import main
class Freed:
    def __del__(self):
        print("taken apart")
kept = Freed()
atexit.register(print, "at the exit")
sys.argv[1:] = {arguments}
main()
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == status
    assert done.stdout.endswith("at the exit\n")
    assert ("cannot be read" in done.stderr) == (status == 2)
