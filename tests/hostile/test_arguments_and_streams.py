"""Arguments that are no numbers or no UTF-8, and standard streams that are closed or full."""

from __future__ import annotations

import errno
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from qconvert import load
from qconvert.engines import tosa_opt
from qconvert.interpreter.schedule import Schedule
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import ConversionError, EngineError, UsageError
from qconvert.support.limits import allowing
from qconvert.support.numbers import whole_number
from tests.support.commands import qconvert, refused
from tests.support.paths import IMAGES, MLP, ROOT

NO_UTF8 = os.fsdecode(b"\xff")
FULL = Path("/dev/full")


@pytest.mark.parametrize("text", ["²", "٣", "9" * 5000, "", "-1", "1_0", " 1", "0x1"])
def test_texts_that_are_no_numbers(text: str) -> None:
    assert whole_number(text) is None
    assert refused("convert", MLP, "-o", "out.mlir", "--dim", f"N={text}").endswith("with a size of at least 1")
    with pytest.raises(UsageError, match="expected left, balanced or random:SEED"):
        Schedule.parse(f"random:{text}")


def test_numbers() -> None:
    assert [whole_number(text) for text in ("0", "007", "9" * 19)] == [0, 7, 10**19 - 1]


@pytest.mark.parametrize("width", ["9" * 5000, "²"])
def test_a_storage_type_of_many_digits(tmp_path: Path, width: str) -> None:
    path = tmp_path / "wide.mlir"
    path.write_text(f"func.func @main(%x: tensor<!quant.uniform<i{width}:f32, 1.0>>) {{ return }}\n")
    assert "storage type" in refused("convert", path, "-o", tmp_path / "out.tosa.mlir") or not width.isascii()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a name that is no UTF-8, with a model, a module and samples of such names."""
    found = tmp_path / NO_UTF8
    found.mkdir()
    shutil.copy(MLP, found / f"{NO_UTF8}.onnx")
    qconvert("convert", MLP, "-o", found / f"{NO_UTF8}.mlir")
    np.savez(found / f"{NO_UTF8}.npz", image=read_arrays(IMAGES)["image"][:1])
    return found


@pytest.mark.slow
def test_paths_that_are_no_utf8(folder: Path) -> None:
    model, text, samples = (folder / f"{NO_UTF8}{suffix}" for suffix in (".onnx", ".mlir", ".npz"))
    for command in (
        ("inspect", model, "--why"),
        ("inspect", model, "--json"),
        ("inspect", model, "--target", "tosa"),
        ("verify", text),
        ("verify", text, "--json"),
        ("convert", model, "-o", folder / f"2{NO_UTF8}.mlir"),
        ("convert", model, MLP, "--to", "tosa", "-o", f"{folder}/"),
        ("opt", text, "-p", "cse", "-o", folder / f"3{NO_UTF8}.mlir"),
        ("run", model, "--inputs", samples, "-o", folder / f"4{NO_UTF8}.npz"),
    ):
        done = qconvert(*command)
        assert done.stdout.isascii()
        assert "\\udcff" in done.stdout + done.stderr or command[0] in {"opt", "run"}
    assert (folder / f"2{NO_UTF8}.mlir").read_text() == text.read_text()
    assert refused("inspect", f"{model}x").endswith("\\udcff.onnxx: cannot be read: No such file or directory")


@pytest.mark.slow
def test_reports_on_paths_that_are_no_utf8(folder: Path) -> None:
    model, page, suite = (folder / f"{NO_UTF8}{suffix}" for suffix in (".onnx", ".html", ".xml"))
    qconvert("validate", model, "--junit", suite, "--html", page, "--json", folder / "report.json")
    for file in (page, suite, folder / "report.json"):
        assert "\\udcff.onnx" in file.read_text()


@pytest.mark.slow
def test_names_that_the_output_cannot_encode(tmp_path: Path) -> None:
    model = tmp_path / "Größe.mlir"
    qconvert("convert", MLP, "-o", model)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "qconvert", "verify", model]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, timeout=60)
    assert done.stdout.endswith(b"e.mlir: valid StableHLO\n")


def test_standard_input_that_is_closed_or_unreadable() -> None:
    with mock.patch.object(sys, "stdin", None), pytest.raises(UsageError, match=r"^standard input: .* it is closed$"):
        load("-")
    broken = mock.Mock()
    broken.buffer.read.side_effect = OSError(5, "Input/output error")
    with mock.patch.object(sys, "stdin", broken), pytest.raises(UsageError, match=r"Input/output error$"):
        load("-")


def test_a_pipe_that_never_ends_is_refused() -> None:
    endless = mock.Mock()
    endless.buffer.read = lambda count: bytes(min(count, 1 << 20))
    with (
        allowing(piped_bytes=3_000_000),
        mock.patch.object(sys, "stdin", endless),
        pytest.raises(ConversionError, match=r"^<stdin>: 3,145,728 bytes came through a pipe, the limit is 3,000,000"),
    ):
        load("-")


def test_a_model_comes_through_a_pipe() -> None:
    stream = mock.Mock(buffer=io.BytesIO(MLP.read_bytes()))
    with mock.patch.object(sys, "stdin", stream):
        assert load("-").input_names == load(MLP).input_names


def _shell(redirection: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    line = f'exec "$@" {redirection}'
    command = ["/bin/sh", "-c", line, "sh", sys.executable, "-m", "qconvert", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, timeout=120)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize(
    ("redirection", "message"),
    [
        (">&-", b"error: standard output: cannot be written: it is closed\n"),
        (">/dev/full", b"error: standard output: cannot be written: No space left on device\n"),
        (">&- 2>&-", b""),
        ("2>/dev/full >/dev/full", b""),
    ],
)
def test_standard_output_that_is_closed_or_full(redirection: str, message: bytes) -> None:
    if "full" in redirection and not FULL.exists():
        pytest.skip("there is no device that is full")
    done = _shell(redirection, "verify", "tests/dialects/call.mlir", "--json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.endswith(message)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the streams")
def test_files_do_not_get_the_numbers_of_closed_streams(tmp_path: Path) -> None:
    """An engine's pipes had them, so that the engine could not start; a file could have got its messages."""
    report = tmp_path / "report.json"
    done = _shell("<&- >&- 2>&-", "validate", MLP, "--json", report)
    assert done.returncode == 2  # the table cannot be printed
    out = tmp_path / "out.mlir"
    assert _shell("<&- >&- 2>&-", "convert", MLP, "-o", out).returncode == 0
    assert load(out).input_names == ("image",)


@pytest.mark.parametrize("command", ["run", pytest.param("convert", marks=pytest.mark.stablehlo)])
def test_a_temporary_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    found = refused(command, MLP, *_needing_an_engine(tmp_path, command))
    assert found.startswith("a temporary folder cannot be made: No such file or directory. The environment variable TM")


@pytest.mark.parametrize("method", ["mkdtemp", "gettempdir"])
def test_a_full_disk_of_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    options = _needing_an_engine(tmp_path, "run")
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(tempfile, method, mock.Mock(side_effect=full))
    assert refused("run", MLP, *options).startswith("a temporary folder cannot be made: No space left on device.")


def _needing_an_engine(folder: Path, command: str) -> tuple[object, ...]:
    """Return options of a command that then starts an engine."""
    if command == "convert":
        return ("-o", folder / "out.mlirbc")
    np.savez(folder / "in.npz", image=read_arrays(IMAGES)["image"][:1])
    return ("--engine", "onnxruntime", "--inputs", folder / "in.npz", "-o", folder / "out.npz")


@pytest.mark.tosa
@pytest.mark.parametrize("work", [tosa_opt.serialize, tosa_opt.deserialize])
def test_a_disk_that_fills_up_before_tosa_opt_starts(
    monkeypatch: pytest.MonkeyPatch, work: Callable[..., bytes]
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(Path, "write_bytes", mock.Mock(side_effect=full))
    with pytest.raises(EngineError, match=r"(given\.mlir|module\.tosa) cannot be written: No space left on device$"):
        work(b"module {}", *([""] if work is tosa_opt.serialize else []))
