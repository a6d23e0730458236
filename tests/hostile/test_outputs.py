"""Every kind of file that is written: whatever fails meanwhile is one clear error, and the files before stay whole."""

from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, TypeAlias

import pytest

from qconvert.engines import tosa_opt
from qconvert.ir import late
from qconvert.support import content, files
from qconvert.support.leftovers import make_part
from tests.hostile.test_changing_files import changing, grow, truncate
from tests.support.commands import qconvert, refused
from tests.support.parameters import few
from tests.support.paths import FIXTURES, MLP, ROOT

Output: TypeAlias = tuple[str, ...]

WEIGHTS = "w.safetensors"
OUTPUTS = [
    pytest.param(("m.mlir",), id="StableHLO"),
    pytest.param(("m.mlir", "--weights", WEIGHTS), id="StableHLO and weights"),
    pytest.param(("m.mlirbc",), id="artifact", marks=pytest.mark.stablehlo),
    pytest.param(("m.mlirbc", "--weights", WEIGHTS), id="artifact and weights", marks=pytest.mark.stablehlo),
    pytest.param(("m.tosa.mlir",), id="TOSA"),
    pytest.param(("m.tosa",), id="TOSA flatbuffer", marks=pytest.mark.tosa),
    pytest.param(("m.tflite",), id="TFLite"),
    pytest.param(("m.onnx",), id="ONNX"),
    pytest.param(("m.onnx", "--external-data"), id="ONNX and data"),
]
"""The files that ``convert`` writes: a name, and the options that they need."""

NAMES = ("m.mlir", "m.mlirbc", "m.tosa.mlir", "m.tosa", "m.tflite", "m.onnx", "m.onnx.data", WEIGHTS)


def command(model: Path, folder: Path, output: Output) -> list[str]:
    """Return the arguments that convert a model to an output in a folder."""
    name, *options = (part if part.startswith("--") else str(folder / part) for part in output)
    return ["convert", str(model), "-o", name, *options]


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(params=[False, True], ids=["new", "replaced"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of the outputs, empty or with files of all their names."""
    made = tmp_path / "made"
    made.mkdir()
    for name in NAMES if request.param else ():
        (made / name).write_bytes(b"before")
    return made


class Disk(io.FileIO):
    """A file on a disk with room for some bytes of all such files."""

    room = 0

    def write(self, data: Any, /) -> int:
        Disk.room -= memoryview(data).nbytes
        if Disk.room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def on_disk(target: Path) -> tuple[IO[bytes], Path]:
    stream, part = make_part(target)
    with stream:
        return io.BufferedWriter(Disk(os.dup(stream.fileno()), "wb"), 64), part


@pytest.mark.quick(2)
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_full_disk(output: Output, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "make_part", on_disk)
    before, Disk.room = state(folder), 1 << 40
    (tmp_path / "whole").mkdir()
    qconvert(*command(MLP, tmp_path / "whole", output))
    size = (1 << 40) - Disk.room
    assert size > 3000
    for room in (0, 10, size // 3, size - 1):
        Disk.room = room
        message = refused(*command(MLP, folder, output))
        assert re.fullmatch(
            rf"{folder}/(m\.\w+(\.mlir)?|{WEIGHTS}): cannot be written: No space left on device", message
        )
        assert state(folder) == before


@pytest.mark.slow
@pytest.mark.parametrize("output", OUTPUTS)
def test_files_that_may_not_grow(output: Output, tmp_path: Path) -> None:
    """A process of its own, whose files have at most 3000 bytes: those that engines get as well."""
    folder, given = tmp_path / "made", tmp_path / "given"
    folder.mkdir()
    given.mkdir()
    limit = "import resource, runpy; resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)); "
    line = [sys.executable, "-c", limit + "runpy.run_module('qconvert', run_name='__main__')"]
    done = subprocess.run(
        [*line, *command(MLP, folder, output)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "TMPDIR": str(given)},
        check=False,
    )
    assert done.returncode == 2
    [error] = (line for line in done.stderr.splitlines() if not line.startswith("note: "))
    assert re.fullmatch(r"error: (\w+ engine: )?\S+ cannot be written: File too large", error)
    assert not [*folder.iterdir(), *given.iterdir()]


def test_an_engine_without_room_for_its_answer() -> None:
    """What tosa-opt prints on a full disk."""
    found = tosa_opt.reason("LLVM ERROR: IO failure on output stream: No space left on device\n", "exit status 1", ROOT)
    assert found == f"the answer cannot be written into {ROOT}: No space left on device"


def with_data(folder: Path) -> tuple[Path, Path]:
    qconvert("convert", MLP, "-o", folder / "in.onnx", "--external-data")
    return folder / "in.onnx", folder / "in.onnx.data"


def with_weights(folder: Path) -> tuple[Path, Path]:
    qconvert("convert", MLP, "-o", folder / "in.mlir", "--weights", folder / "in.safetensors")
    return folder / "in.mlir", folder / "in.safetensors"


def alone(name: str) -> Callable[[Path], tuple[Path, Path]]:
    """Return a function that makes a model in one file."""

    def made(folder: Path) -> tuple[Path, Path]:
        qconvert("convert", MLP, "-o", folder / name)
        return folder / name, folder / name

    made.__name__ = name
    return made


SOURCES = [with_data, with_weights, alone("in.onnx"), alone("in.tflite"), alone("in.mlir")]


@pytest.mark.quick(2)
@pytest.mark.parametrize("change", few([truncate, grow], 1), ids=lambda change: change.__name__)
@pytest.mark.parametrize("output", OUTPUTS)
def test_weights_that_change_while_they_are_written(
    output: Output,
    change: Callable[[Path], None],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert_a_change_is_refused(monkeypatch, with_data(tmp_path), change, folder, output)


@pytest.mark.slow
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_sources_that_change_while_they_are_written(
    source: Callable[[Path], tuple[Path, Path]], output: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made").mkdir()
    assert_a_change_is_refused(monkeypatch, source(tmp_path), truncate, tmp_path / "made", output)


def assert_a_change_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    source: tuple[Path, Path],
    change: Callable[[Path], None],
    folder: Path,
    output: Output,
) -> None:
    """Convert, and change the file after its first read, its second, one in the middle and the last but one."""
    monkeypatch.setattr(content, "_HELD_BYTES", 1)
    monkeypatch.setattr(late, "_LATE_BYTES", 1)
    model, changed = source
    kept, before = changed.read_bytes(), state(folder)
    whole = model.parent / "whole"
    whole.mkdir()
    with monkeypatch.context() as patch:
        reads = changing(patch, changed, 0, change)
        qconvert(*command(model, whole, output))
    total = reads[0]
    assert total > 1
    for number in sorted({1, min(2, total - 1), max(1, total // 2), total - 1}):
        changed.write_bytes(kept)
        with monkeypatch.context() as patch:
            changing(patch, changed, number, change)
            message = refused(*command(model, folder, output))
        assert message.startswith(f"{changed}: ")
        assert message.endswith("the file changed while it was read. Run again when no other program writes the file")
        assert state(folder) == before


@pytest.mark.quick(2)
@pytest.mark.parametrize("output", OUTPUTS)
def test_weights_of_another_program(output: Output, folder: Path, tmp_path: Path) -> None:
    model, weights = with_weights(tmp_path)
    qconvert("convert", FIXTURES / "digits_cnn_int8.onnx", "-o", tmp_path / "o.mlir", "--weights", weights)
    before = state(folder)
    assert refused(*command(model, folder, output)).startswith(f"{weights}: these weights do not belong to the program")
    assert state(folder) == before
