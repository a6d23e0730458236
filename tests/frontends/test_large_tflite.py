"""A large .tflite file is read without the data of its constants, which are read when they are needed."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import tflite

from qconvert import ConversionError, Format, convert, load, save
from qconvert.frontends.tflite import large_buffers
from qconvert.ir import LateArray, module_text
from qconvert.support.content import Content
from tests.support.commands import qconvert
from tests.support.paths import FIXTURES

WEIGHTS = 32 * 16 * 9 + 128 * 10
"""The bytes of the larger constants of the model."""


@pytest.fixture(params=["in the flatbuffer", "behind it"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file with its constants in the flatbuffer, or behind it as in files of more than 2 GB."""
    with monkeypatch.context() as patch:
        if request.param == "behind it":
            patch.setattr("qconvert.backends.tflite.flatbuffer.LARGEST", 0)
        save(convert(load(FIXTURES / "digits_cnn_int8.onnx"), Format.TFLITE), tmp_path / "cnn.tflite")
    return tmp_path / "cnn.tflite"


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file of kilobytes be read as one of gigabytes is."""
    monkeypatch.setattr("qconvert.support.content._HELD_BYTES", 1 << 10)
    monkeypatch.setattr("qconvert.ir.late._LATE_BYTES", 1 << 7)
    monkeypatch.setattr(large_buffers, "_LARGE_BYTES", 1 << 7)
    monkeypatch.setattr(large_buffers, "_PAGE_BYTES", 13)  # no number begins a page always
    monkeypatch.setattr(large_buffers, "_PIECE_BYTES", 1 << 9)


def test_the_module_is_the_same(file: Path) -> None:
    late, whole = load(file).module, load(file.read_bytes()).module
    held = [op.held for op in late.walk() if hasattr(op, "held")]
    assert any(isinstance(each, LateArray) for each in held)
    assert module_text(late) == module_text(whole)


def test_the_data_of_constants_are_not_read_with_the_tables(file: Path) -> None:
    tables = large_buffers.table_bytes(Content.at(file))
    content = file.read_bytes()
    of_tables = np.frombuffer(tables, np.uint8)
    is_equal = of_tables == np.frombuffer(content, np.uint8)[: of_tables.size]
    assert np.count_nonzero(of_tables[~is_equal]) == 0
    assert len(content) - np.count_nonzero(is_equal) > 0.9 * WEIGHTS


def test_a_file_is_written_over_its_own_source(file: Path) -> None:
    before = file.read_bytes()
    qconvert("convert", file, "-o", file)
    other = file.with_name("other.tflite")
    save(convert(load(before), Format.TFLITE), other)
    assert file.read_bytes() == other.read_bytes()


@pytest.mark.quick(4)
@pytest.mark.parametrize("kept", np.linspace(0, 0.999, 12).tolist())
def test_a_truncated_file_is_refused(file: Path, kept: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: int(kept * len(content))])
    with pytest.raises(ConversionError) as late:
        load(file)
    with pytest.raises(ConversionError) as whole:
        load(file.read_bytes())
    assert late.value.found == whole.value.found


def _patched(file: Path, place: int, form: str, number: int) -> None:
    content = bytearray(file.read_bytes())
    struct.pack_into(form, content, place, number)
    file.write_bytes(content)


def test_a_root_outside_the_file_is_refused(file: Path) -> None:
    _patched(file, 0, "<I", 0x7FFFFFFF)
    with pytest.raises(ConversionError, match="damaged"):
        load(file)


def _field(file: Path, slot: int) -> tuple[int, int]:
    """Return the place of a field of the largest constant's buffer, 0 if it has none, and that of its data."""
    model = tflite.Model.GetRootAs(file.read_bytes())
    buffers = [model.Buffers(i) for i in range(model.BuffersLength())]
    buffer = max(buffers, key=lambda each: max(int(each.DataLength()), int(each.Size())))
    table, data = buffer._tab, buffer._tab.Offset(4)
    offset = table.Offset(4 + 2 * slot)
    start = table.Vector(data) if data else int(buffer.Offset())
    return table.Pos + offset if offset else 0, start


@pytest.mark.parametrize("beyond", [1, 1 << 16, 1 << 40])
def test_a_constant_beyond_the_end_is_refused(file: Path, beyond: int) -> None:
    offset, start = _field(file, 1)
    size = file.stat().st_size
    if offset:
        _patched(file, offset, "<Q", size - 1 + beyond)
    else:
        _patched(file, start - 4, "<I", min(size - start + beyond, (1 << 32) - 1))
    with pytest.raises(ConversionError, match="damaged"):
        load(file)


def test_a_table_inside_a_constant_is_refused(file: Path) -> None:
    """Such a table is not read, because the constant is left in the file."""
    content = file.read_bytes()
    model = tflite.Model.GetRootAs(content)
    _, start = _field(file, 0)
    place = model._tab.Vector(model._tab.Offset(4 + 2 * 2))  # the subgraphs
    _patched(file, place, "<I", start + 64 - place)
    with pytest.raises(ConversionError, match="damaged"):
        load(file)
