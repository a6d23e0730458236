"""Files and folders that a killed process has left are removed by the next one; those in use are not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from qconvert.support import leftovers
from qconvert.support.files import write_text
from tests.support.paths import MLP, ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks end with their process on POSIX")

LEAVE = """
    import os, signal, sys
    from pathlib import Path
    from qconvert.support import leftovers
    {make}
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(make: str, folder: Path) -> None:
    """Let a process make something and be killed."""
    code = textwrap.dedent(LEAVE).format(make=make)
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, str(folder)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_of_a_killed_process(temporary: Path) -> None:
    killed("made = leftovers.Folder(); (made.path / 'task.bin').write_bytes(b'data')", temporary)
    [left] = temporary.iterdir()
    held = leftovers.Folder()
    link = temporary / "qconvert-engine-aaaaaaaa"
    link.symlink_to(temporary)
    other = temporary / "qconvert-engine-more"
    other.mkdir()
    leftovers.sweep_folders()
    assert set(temporary.iterdir()) == {held.path, link, other}
    held.cleanup()
    assert set(temporary.iterdir()) == {link, other}
    assert left.name.startswith("qconvert-engine-")


def test_a_part_of_a_killed_process(tmp_path: Path) -> None:
    killed("leftovers.make_part(Path(sys.argv[1]) / 'out.mlir')[0].write(b'half')", tmp_path)
    [left] = tmp_path.iterdir()
    assert left.name.startswith(".out.mlir.")
    assert left.name.endswith(".part")
    stream, held = leftovers.make_part(tmp_path / "other.mlir")
    assert held.name.startswith(f".other.mlir.{os.getpid()}.")
    assert list(tmp_path.iterdir()) == [held]
    foreign = tmp_path / ".download.part"
    foreign.touch()
    write_text(tmp_path / "out.mlir", "text")
    assert set(tmp_path.iterdir()) == {held, foreign, tmp_path / "out.mlir"}
    stream.close()
    write_text(tmp_path / "out.mlir", "text")
    assert set(tmp_path.iterdir()) == {foreign, tmp_path / "out.mlir"}


def test_one_that_is_taken_for_a_leftover_is_made_again(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process removes the first ones before their maker locks them."""
    original, gone = leftovers._is_held, []

    def is_held(descriptor: int, path: Path) -> bool:
        if len(gone) % 2 == 0:
            gone.append(path)
            leftovers._remove(path)
        else:
            gone.append(path)
        return original(descriptor, path)

    monkeypatch.setattr(leftovers, "_is_held", is_held)
    folder = leftovers.Folder()
    stream, part = leftovers.make_part(temporary / "out.mlir")
    assert set(temporary.iterdir()) == {folder.path, part}
    assert len(gone) == 4
    stream.close()
    folder.cleanup()


def test_long_names(tmp_path: Path) -> None:
    write_text(tmp_path / ("a" * 255), "text")
    assert [path.name for path in tmp_path.iterdir()] == ["a" * 255]


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.slow
def test_a_signal_ends_with_one_line_and_its_status(tmp_path: Path, name: str) -> None:
    """The command waits for a reader of its output, so that the signal comes in the middle."""
    pipe = tmp_path / "out.mlir"
    os.mkfifo(pipe)
    heeded = f"import signal; signal.signal(signal.{name}, signal.SIG_DFL)\n"  # a shell's background jobs ignore SIGINT
    command = [sys.executable, "-c", heeded + WAITING, "convert", str(MLP), "-o", str(pipe)]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "writing\n"
    time.sleep(0.3)  # a signal right before a call that blocks is seen by Python after the call
    running.send_signal(getattr(signal, name))
    out, error = running.communicate(timeout=60)
    assert (out, running.returncode) == ("", 128 + getattr(signal, name))
    assert [line for line in error.splitlines() if not line.startswith("note: ")] == [f"stopped by {name}"]


LOADING = """
    import enum, os, signal, sys, time
    from qconvert.support.signals import ended_by_signals

    plain = enum.EnumType.__call__

    def is_in_an_extension():
        frame = sys._getframe()
        while frame is not None and frame.f_code.co_qualname != "ExtensionFileLoader.exec_module":
            frame = frame.f_back
        return frame is not None

    def call(*arguments, **named):
        if is_in_an_extension():
            enum.EnumType.__call__ = plain
            os.kill(os.getpid(), signal.SIGTERM)
        return plain(*arguments, **named)

    with ended_by_signals():
        enum.EnumType.__call__ = call
        import onnx
        assert enum.EnumType.__call__ is plain
        time.sleep(60)
"""


def test_a_signal_waits_for_an_extension_that_is_being_loaded() -> None:
    """The extension of onnx makes enumerations meanwhile; an exception in there ended the process by SIGABRT."""
    command = [sys.executable, "-c", textwrap.dedent(LOADING)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (128 + signal.SIGTERM, "stopped by SIGTERM\n")


NAMING = """
    import os, signal, time
    from qconvert.support.signals import ended_by_signals

    class Field:
        def __set_name__(self, owner, name):
            os.kill(os.getpid(), signal.SIGTERM)

    with ended_by_signals():
        class Owner:
            field = Field()
        time.sleep(60)
"""


def test_a_signal_waits_for_a_class_that_is_being_created() -> None:
    """Python 3.11 turns an exception in ``__set_name__`` into a RuntimeError: the command ended with a traceback."""
    command = [sys.executable, "-c", textwrap.dedent(NAMING)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (128 + signal.SIGTERM, "stopped by SIGTERM\n")


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    code = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n{WAITING}"
    pipe = tmp_path / "out.mlir"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", code, "convert", str(MLP), "-o", str(pipe)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "writing\n"
        running.send_signal(signal.SIGHUP)
        assert pipe.read_text().startswith("builtin.module")
    assert running.returncode == 0


WAITING = r"""
import os
from qconvert.support import files
original = files._is_special
def is_special(target):
    os.write(1, b"writing\n")
    return original(target)
files._is_special = is_special
from qconvert.__main__ import main
main()
"""
