"""Nothing is left of a process that was killed: no process of an engine, no temporary folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pytest

from qconvert.engines import guard
from qconvert.support import leftovers
from tests.support.paths import FIXTURES, ROOT

pytestmark = [
    pytest.mark.slow,  # each test starts processes
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc"),
]

CHILD = """
    import sys
    from qconvert.engines import wire
    from qconvert.engines.base import EngineName
    from qconvert.engines.child import Child
    with Child(EngineName.REFERENCE, handler="misbehaving") as child:
        child.run(wire.Message({"do": sys.argv[1]}))
"""
TOSA_OPT = """
    import sys
    from qconvert.engines import tosa_opt
    tosa_opt.program = lambda: sys.executable
    tosa_opt.serializing = lambda *options: ["-c", "import time; time.sleep(60)"]
    tosa_opt.serialize(b"", "")
"""


@pytest.mark.quick(1)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.row("U10")
@pytest.mark.slow
def test_an_engine_ends_with_its_parent(tmp_path: Path, how: signal.Signals) -> None:
    parent = started(tmp_path, [sys.executable, "-c", textwrap.dedent(CHILD), "sleep"])
    await_count(tmp_path, 4)  # the parent, the watcher, the child and its own child
    parent.send_signal(how)
    parent.wait()
    assert_nothing_left(tmp_path)


def test_a_program_without_a_worker_ends_with_its_parent(tmp_path: Path) -> None:
    parent = started(tmp_path, [sys.executable, "-c", textwrap.dedent(TOSA_OPT)])
    await_count(tmp_path, 3)
    parent.kill()
    parent.wait()
    assert_nothing_left(tmp_path)


def test_a_parent_that_ends_leaves_no_watcher(tmp_path: Path) -> None:
    parent = started(tmp_path, [sys.executable, "-c", textwrap.dedent(CHILD), "echo"])
    assert parent.wait(30) == 0
    assert (processes(tmp_path), list(tmp_path.iterdir())) == ([], [])


VALIDATIONS = [
    pytest.param("onnxruntime", "digits_cnn_int8.onnx", id="onnxruntime"),
    pytest.param("stablehlo", "digits_cnn_int8.onnx", id="stablehlo", marks=pytest.mark.stablehlo),
    pytest.param("tosa", "digits_cnn_int8.onnx", id="tosa", marks=pytest.mark.tosa),
    pytest.param("iree", "digits_cnn_int8.onnx", id="iree", marks=pytest.mark.iree),
    pytest.param("litert", "svdf_int8.tflite", id="litert", marks=pytest.mark.litert),
]


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "model"), VALIDATIONS)
@pytest.mark.row("U10")
def test_a_killed_validation_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, model: str
) -> None:
    """A folder that was made just before, and is not watched yet, goes when the next engine starts."""
    runs = [] if engine == "litert" else ["--engine", engine]  # LiteRT is the reference of TFLite models
    command = [sys.executable, "-m", "qconvert", "validate", str(FIXTURES / model), *runs]
    parent = started(tmp_path, [*command, "--samples", "200"])
    await_worker(tmp_path, engine)
    parent.kill()
    parent.wait()
    await_end(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    leftovers.sweep_folders()
    assert not list(tmp_path.iterdir())


def test_a_watcher_that_was_killed_disturbs_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    watcher = guard._Watcher()
    monkeypatch.setattr(guard, "_WATCHER", watcher)
    with guard.Folder() as folder:
        assert watcher._process is not None
        watcher._process.kill()
        watcher._process.wait()
        guard.protect(1 << 22)
        assert folder.exists()
        guard.release(1 << 22)
    assert not folder.exists()


def started(folder: Path, command: list[str]) -> subprocess.Popen[bytes]:
    """Start a process whose temporary files, and its children's, are in a folder; that tells them from others."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support")])
    return subprocess.Popen(command, env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": path}, cwd=ROOT)


def processes(folder: Path) -> list[str]:
    """Return the command lines of processes with temporary files in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"TMPDIR={folder}".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it has ended
            continue
    return [line for line in found if line]  # a process that waits for its parent has no command line


def await_count(folder: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(processes(folder)) < count:
        assert time.monotonic() < deadline, processes(folder)
        time.sleep(0.02)
    time.sleep(0.1)


def await_worker(folder: Path, engine: str) -> None:
    deadline = time.monotonic() + 120
    while not any(f"qconvert.engines.workers.{engine} " in line for line in processes(folder)):
        assert time.monotonic() < deadline, processes(folder)
        time.sleep(0.02)
    time.sleep(0.5)  # the engine's imports take longer


def assert_nothing_left(folder: Path) -> None:
    await_end(folder)
    assert not list(folder.iterdir())


def await_end(folder: Path) -> None:
    """Wait for the watcher, which ends last."""
    deadline = time.monotonic() + 60
    while processes(folder):
        assert time.monotonic() < deadline, processes(folder)
        time.sleep(0.05)
