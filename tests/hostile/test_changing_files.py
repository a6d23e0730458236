"""Models that change while they are read: one error that names the file, and no output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert import Format, convert, load, run, save
from qconvert.engines.base import EngineName
from qconvert.support import content
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import ConversionError, UsageError
from tests.support.commands import refused, refused_file
from tests.support.paths import FIXTURES, MLP, ROOT

TFLITE = FIXTURES / "svdf_int8.tflite"
ROWS = 512


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def grow(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(bytes(10))


def rewrite(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def replace(path: Path) -> None:
    """Rename a copy of the same size and time to the path."""
    other = path.with_suffix(".other")
    shutil.copy2(path, other)
    other.replace(path)


def remove(path: Path) -> None:
    path.unlink()


CHANGES = [truncate, empty, grow, rewrite, replace, remove]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    return saved(tmp_path / "large.onnx")


@pytest.fixture
def external(tmp_path: Path) -> Path:
    return saved(tmp_path / "external.onnx", beside="w.bin")


def saved(path: Path, beside: str = "", rows: int = ROWS) -> Path:
    """Save a model whose two matrices are in the file, or in another beside it."""
    matrices = [np.random.default_rng(i).standard_normal((rows, rows), np.float32) for i in range(2)]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w0"], ["h"]), helper.make_node("MatMul", ["h", "w1"], ["y"])],
        "two",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, rows))],
        [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(array, f"w{i}") for i, array in enumerate(matrices)],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save_model(proto, path, save_as_external_data=bool(beside), location=beside or None)
    return path


def changing(monkeypatch: pytest.MonkeyPatch, path: Path, reads: int, change: Callable[[Path], None]) -> list[int]:
    """Change a file after some reads of it; the list returned gets the number of all reads."""
    original, count = content.SeenFile.read, [0]

    def read(self: content.SeenFile, offset: int, size: int, *pieces: int) -> memoryview:
        found = original(self, offset, size, *pieces)
        if self.path.name == path.name:
            count[0] += 1
            if count[0] == reads:
                change(path)
        return found

    monkeypatch.setattr(content.SeenFile, "read", read)
    return count


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", ["large.onnx", "large.tflite"])
def test_a_large_model_that_changes(
    monkeypatch: pytest.MonkeyPatch, large: Path, name: str, change: Callable[[Path], None]
) -> None:
    model = large.with_name(name)
    if name == "large.tflite":
        save(convert(load(large), Format.TFLITE), model)
    monkeypatch.setattr(content, "_HELD_BYTES", 1)
    assert_each_change_is_refused(monkeypatch, model, model, change)


@pytest.mark.parametrize("change", CHANGES[:-1], ids=lambda change: change.__name__)
def test_external_data_that_changes(
    monkeypatch: pytest.MonkeyPatch, external: Path, change: Callable[[Path], None]
) -> None:
    assert_each_change_is_refused(monkeypatch, external, external.with_name("w.bin"), change)


@pytest.mark.quick(3)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", ["m.onnx", "m.tflite", "m.mlir"])
def test_a_model_that_is_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, change: Callable[[Path], None]
) -> None:
    model = tmp_path / name
    if name == "m.mlir":
        model.write_text(convert(load(MLP)).text)
    else:
        shutil.copy(MLP if name == "m.onnx" else TFLITE, model)
    assert_each_change_is_refused(monkeypatch, model, model, change)


def assert_each_change_is_refused(
    monkeypatch: pytest.MonkeyPatch, model: Path, path: Path, change: Callable[[Path], None]
) -> None:
    """Convert, and change the file after its first read, its second, and so on."""
    kept = path.read_bytes()
    with monkeypatch.context() as patch:
        reads = changing(patch, path, 0, change)
        load(model)
    total = reads[0]
    for number in sorted({1, 2, total - 1, total} & set(range(1, total + 1))):
        path.unlink(missing_ok=True)
        path.write_bytes(kept)
        with monkeypatch.context() as patch:
            changing(patch, path, number, change)
            message = refused("convert", model, "-o", model.with_suffix(".out.mlir"))
        assert message.startswith(f"{path}: ")
        assert message.endswith("the file changed while it was read. Run again when no other program writes the file")
        assert not list(model.parent.glob("*out*"))


def test_external_data_that_is_removed(monkeypatch: pytest.MonkeyPatch, external: Path) -> None:
    changing(monkeypatch, external.with_name("w.bin"), 1, remove)
    assert "external data 'w.bin' is missing" in refused("convert", external, "-o", external.with_suffix(".mlir"))


def test_a_model_that_changes_after_it_was_read(large: Path) -> None:
    """Engines and checksums read a file again."""
    model = load(large)
    grow(large)
    with pytest.raises(ConversionError, match=r"large\.onnx: the file changed while it was read"):
        _ = model.sha256


def test_a_model_from_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(MLP.read_bytes()))
    writer.start()
    model = load(pipe)
    writer.join()
    assert convert(model).text == convert(load(MLP)).text


def test_a_device_is_no_model() -> None:
    with pytest.raises(UsageError, match="/dev/zero: cannot be read: it is neither a file nor a pipe"):
        load("/dev/zero")


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("a" * 100_000, "external data 'a{100}...' is missing"),
        ("/".join(["a"] * 50_000), "external data '(a/){50}...' is missing"),
        ("loop", "external data 'loop' is missing"),
        ("../" * 50_000, r"external data '\.\./.*' is outside the model's folder"),
    ],
    ids=["name", "path", "loop", "up"],
)
def test_external_data_that_no_file_can_hold(external: Path, location: str, message: str) -> None:
    (external.parent / "loop").symlink_to("loop")
    proto = onnx.load_model(external, load_external_data=False)
    for entry in proto.graph.initializer[0].external_data:
        if entry.key == "location":
            entry.value = location
    external.write_bytes(proto.SerializeToString())
    refusal = refused_file(external)
    assert re.search(message, refusal)
    assert len(refusal) < 500


@pytest.mark.slow
@pytest.mark.parametrize("beside", ["", "w.bin"], ids=["large", "external"])
def test_a_model_that_is_cut_at_any_time(tmp_path: Path, beside: str) -> None:
    """A process of its own, which a signal could end: the model is cut sooner or later."""
    model = saved(tmp_path / "m.onnx", beside, rows=2000)
    cut, output = tmp_path / (beside or "m.onnx"), tmp_path / "out.mlir"
    kept, seen = cut.read_bytes(), set()
    command = [sys.executable, "-m", "qconvert", "convert", str(model), "-o", str(output)]
    for delay in np.linspace(0.3, 1.5, 6):
        cut.write_bytes(kept)
        output.unlink(missing_ok=True)
        running = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        time.sleep(delay)
        os.truncate(cut, len(kept) // 3)
        error = running.communicate()[1]
        seen.add(running.returncode)
        if running.returncode:
            assert (running.returncode, error.count("\n")) == (2, 1)
            assert error.startswith("error: ")
        assert sorted(tmp_path.iterdir()) == sorted({model, cut, *([] if running.returncode else [output])})
    assert seen <= {0, 2}


def test_an_archive_that_changes_between_two_arrays(tmp_path: Path) -> None:
    path = tmp_path / "samples.npz"
    np.savez(path, a=np.zeros(3), b=np.zeros(3))
    arrays = read_arrays(path)
    assert arrays["a"].tolist() == [0, 0, 0]
    np.savez(path, a=np.ones(3), b=np.ones(3))
    with pytest.raises(ConversionError, match=r"samples\.npz: the file changed while it was read"):
        _ = arrays["b"]
    again = read_arrays(path)
    truncate(path)
    with pytest.raises(ConversionError, match=r"samples\.npz: the file changed while it was read"):
        _ = again["b"]


def test_a_model_that_changes_before_its_reference_runs(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    shutil.copy(MLP, path)
    model = load(path)
    truncate(path)
    with pytest.raises(ConversionError, match=r"m\.onnx: the file changed while it was read"):
        run(model, {"image": np.zeros((1, 1, 8, 8), np.float32)}, engine=EngineName.ONNXRUNTIME)
