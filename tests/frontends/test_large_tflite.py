"""A large .tflite file is read without the data of its constants, which are read when they are needed."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from qconvert import ConversionError, Format, convert, load, save
from qconvert.frontends.tflite import large_buffers
from qconvert.ir import LateArray, module_text
from qconvert.support.content import Content
from tests.support.paths import FIXTURES


@pytest.fixture
def file(tmp_path: Path) -> Path:
    save(convert(load(FIXTURES / "digits_cnn_int8.onnx"), Format.TFLITE), tmp_path / "cnn.tflite")
    return tmp_path / "cnn.tflite"


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file of kilobytes be read as one of gigabytes is."""
    monkeypatch.setattr("qconvert.support.content._HELD_BYTES", 1 << 10)
    monkeypatch.setattr("qconvert.ir.late._LATE_BYTES", 1 << 7)
    monkeypatch.setattr(large_buffers, "_LARGE_BYTES", 1 << 7)
    monkeypatch.setattr(large_buffers, "_WINDOW_BYTES", 1 << 9)


def test_the_module_is_the_same(file: Path, small_is_large: None) -> None:
    late, whole = load(file).module, load(file.read_bytes()).module
    held = [op.held for op in late.walk() if hasattr(op, "held")]
    assert any(isinstance(each, LateArray) for each in held)
    assert module_text(late) == module_text(whole)


def test_the_data_of_constants_are_not_read_with_the_tables(file: Path, small_is_large: None) -> None:
    tables = bytes(large_buffers.table_bytes(Content.at(file)))
    content = file.read_bytes()
    different = sum(one != other for one, other in zip(tables, content, strict=True))
    weights = 32 * 16 * 9 + 128 * 10
    assert different > 0.9 * weights


def test_a_damaged_file_is_refused(file: Path, small_is_large: None) -> None:
    content = bytearray(file.read_bytes())
    [root] = struct.unpack_from("<I", content, 0)
    content[root : root + 4] = b"\xff\xff\xff\x7f"
    file.write_bytes(content)
    with pytest.raises(ConversionError, match="damaged"):
        load(file)
