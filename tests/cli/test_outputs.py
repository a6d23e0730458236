"""Outputs that are no ordinary files: links, pipes, devices, a full disk, a reader that has gone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from qconvert import convert, load
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import ClosedOutputError, UsageError
from qconvert.support.files import write_text, write_whole
from tests.support.commands import qconvert
from tests.support.paths import IMAGES, MLP, ROOT

FULL = Path("/dev/full")  # only ever opened for standard output: a path of it could be replaced by a file


@pytest.mark.row("U01")
def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.mlir", tmp_path / "link.mlir"
    link.symlink_to("there/real.mlir")
    for _ in range(2):  # the target is made, then replaced
        qconvert("convert", MLP, "-o", link)
        assert link.is_symlink()
        assert real.read_text() == convert(load(MLP)).text
    assert list(real.parent.iterdir()) == [real]


@pytest.mark.row("U01")
def test_a_pipe_with_a_name_is_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.mlir"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    qconvert("convert", MLP, "-o", pipe)
    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert found == [convert(load(MLP)).text]


def test_arrays_go_through_a_pipe(tmp_path: Path) -> None:
    pipe, sample, kept = tmp_path / "pipe", tmp_path / "one.npz", tmp_path / "kept.npz"
    np.savez(sample, image=read_arrays(IMAGES)["image"][:1])
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: kept.write_bytes(pipe.read_bytes()))
    reader.start()
    qconvert("run", MLP, "--inputs", sample, "-o", pipe)
    reader.join()
    assert list(read_arrays(kept)) == ["logits"]


@pytest.mark.slow
@pytest.mark.row("U08")
def test_arrays_go_to_standard_output(tmp_path: Path) -> None:
    sample, kept = tmp_path / "one.npz", tmp_path / "kept.npz"
    np.savez(sample, image=read_arrays(IMAGES)["image"][:1])
    command = [sys.executable, "-m", "qconvert", "run", MLP, "--inputs", sample, "-o", "-"]
    kept.write_bytes(subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout)
    assert list(read_arrays(kept)) == ["logits"]
    assert not (tmp_path / "-").exists()
    with FULL.open("wb") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith("error: standard output: cannot be written: No space left on device\n")


def test_an_open_file_by_its_number(tmp_path: Path) -> None:
    read, write = os.pipe()
    write_text(Path(f"/dev/fd/{write}"), "text")
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        assert stream.read() == b"text"


def test_a_deleted_file_is_written_through(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w+b") as stream:
        (tmp_path / "file").unlink()
        write_text(Path(f"/dev/fd/{stream.fileno()}"), "text")
        assert stream.read() == b"text"
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_is_written_through() -> None:
    ours, theirs = os.openpty()
    name = Path(os.ttyname(theirs))
    write_whole(name, lambda stream: stream.write(b"text"))
    assert os.read(ours, 10) == b"text"
    assert stat.S_ISCHR(name.stat().st_mode)
    os.close(ours)
    os.close(theirs)


def test_links_in_a_circle_stay(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(UsageError, match="link: cannot be written: Too many levels of symbolic links"):
        write_text(link, "text")
    assert link.is_symlink()


def test_a_pipe_whose_reader_goes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: os.close(os.open(pipe, os.O_RDONLY)))
    reader.start()
    with pytest.raises(ClosedOutputError):
        write_whole(pipe, lambda stream: [reader.join(), stream.write(bytes(1 << 20))])


COMMANDS = (
    ("inspect", MLP),
    ("convert", MLP, "-o", "-"),
    ("convert", MLP, "--to", "onnx", "-o", "-"),
    ("opt", MLP, "-p", "fold"),
    ("validate", MLP, "--samples", "1"),
    ("validate", MLP, "--samples", "1", "--json", "-"),
    ("engines",),
    ("--version",),
    ("--help",),
)


@pytest.mark.slow
@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no full device")
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(map(str, arguments)))
@pytest.mark.row("U08")
def test_a_full_disk_is_one_line(arguments: tuple[object, ...]) -> None:
    with FULL.open("wb") as stream:
        done = run(arguments, stream.fileno())
    assert done.returncode == 2
    *_, line = done.stderr.splitlines()
    assert line == "error: standard output: cannot be written: No space left on device"
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(map(str, arguments)))
@pytest.mark.row("U08")
def test_a_closed_pipe_ends_without_a_word(arguments: tuple[object, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = run(arguments, write)
    os.close(write)
    assert done.returncode == 141
    assert [line for line in done.stderr.splitlines() if not line.startswith("note: ")] == []


def test_no_standard_output() -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m qconvert engines >&-"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "error: standard output: cannot be written: it is closed\n")


@pytest.mark.slow
def test_messages_that_nobody_reads_change_nothing() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "qconvert", "convert", str(MLP), "-o", "-"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=write, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stdout) == (0, convert(load(MLP)).text)


def run(arguments: tuple[object, ...], output: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "qconvert", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
