"""Archives and documents of a few kilobytes that would take much memory or time."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from qconvert.quantization.annotations import read_annotations
from qconvert.quantization.calibration.statistics import read_statistics
from qconvert.quantization.targets.toml_file import read_target
from qconvert.support import documents
from qconvert.support.arrays import EXPANDED_BYTES, MEMBER_LIMIT, read_array, read_arrays
from qconvert.support.documents import DEPTH_LIMIT, DIGIT_LIMIT, read_document
from qconvert.support.errors import UsageError
from tests.support.commands import refused
from tests.support.paths import FIXTURES, MLP

FLOATS = FIXTURES / "float" / "digits_cnn.onnx"
PLAIN = "this is not an .npz file of plain arrays"


def npy(header: str, data: bytes = b"", version: int = 1) -> bytes:
    """An array's file with any header."""
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode("latin-1") + data


def header(shape: str, kind: str = "'<f4'", order: str = "False") -> str:
    return f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def archive(path: Path, members: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as written:
        for name, content in members.items():
            written.writestr(f"{name}.npy", content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        npy("{'a':\n"),  # numpy's tokenizer raises an error of its own
        npy(header("(4,)", "'|O'"), b"\x80\x04N."),
        npy(header("(4,)", "[('a', '<f4')]"), bytes(16)),
        npy(header("(4,)", "'f4,f4'"), bytes(32)),
        npy(header("(4,)", "'(1000000,1000000)f4'"), bytes(16)),
        npy(header("(4,)", "'<U0'")),
        npy(header("(1000000000000,)", "'|S0'")),
        npy(header("(4,)", "'<f3'"), bytes(12)),
        npy(header("(-4, -1)"), bytes(16)),
        npy(header("(4.0,)"), bytes(16)),
        npy(header("[4]"), bytes(16)),
        npy(header("(True,)"), bytes(4)),
        npy(header(f"({'1,' * 33})"), bytes(4)),
        npy(header(f"({'9' * 5000},)")),
        npy(header("(4,)", order="1"), bytes(16)),
        npy("(" * 5000),
        npy("-" * 9000),
        npy("{**{}}"),
        npy("\xff"),
        npy(header("(4,)") + " " * 10_000, bytes(16)),
        npy("", version=2)[:-4] + b"\xff\xff\xff\xff",
        npy(header("(4,)"), bytes(16), version=4),
        b"",
        b"no array",
    ],
)
def test_arrays_that_are_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "one.npy").write_bytes(content)
    with pytest.raises(UsageError, match=r"one\.npy: this is not an \.npy file of a plain array"):
        read_array(tmp_path / "one.npy")
    file = archive(tmp_path / "in.npz", {"x": content})
    with pytest.raises(UsageError, match=rf"in\.npz: {PLAIN}"):
        read_arrays(file)["x"]
    with pytest.raises(UsageError, match=rf"in\.npz: {PLAIN}"):
        read_arrays(file).shapes()


def test_no_elements_in_a_shape_that_numpy_cannot_have(tmp_path: Path) -> None:
    file = archive(tmp_path / "in.npz", {"x": npy(header("(0, 4611686018427387904)"))})
    with pytest.raises(UsageError, match=PLAIN):
        read_arrays(file)["x"]


def test_arrays_as_numpy_writes_them(tmp_path: Path) -> None:
    values = {
        "float": np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6, dtype=np.int8).reshape(2, 3)),
        "big": np.arange(3, dtype=">i4"),
        "bool": np.array([True, False]),
        "scalar": np.array(7, np.uint64),
        "none": np.zeros((0, 4), np.float16),
        "names": np.array(["x", "längst"]),
        "complex": np.array([1j]),
        "bytes": np.array([b"a", b"bc"]),
        "raw": np.zeros(2, "V2"),
    }
    for write in (np.savez, np.savez_compressed):
        write(tmp_path / "all.npz", **values)
        read = read_arrays(tmp_path / "all.npz")
        assert read.shapes() == {name: array.shape for name, array in values.items()}
        for name, array in values.items():
            np.testing.assert_array_equal(read[name], array, strict=True)
            assert read[name].flags.f_contiguous == array.flags.f_contiguous
            np.save(tmp_path / "one.npy", array)
            np.testing.assert_array_equal(read_array(tmp_path / "one.npy"), array, strict=True)


def test_only_the_arrays_asked_for_are_read(tmp_path: Path) -> None:
    good = io.BytesIO()
    np.save(good, np.arange(3))
    read = read_arrays(archive(tmp_path / "in.npz", {"x": good.getvalue(), "labels": npy("{'a':\n")}))
    assert list(read) == ["x", "labels"]
    assert read["x"] is read["x"]
    with pytest.raises(UsageError, match=PLAIN):
        read["labels"]


@pytest.mark.slow
def test_an_archive_that_expands(tmp_path: Path) -> None:
    """A thousandth of the arrays' size is enough for zeros: the arrays asked for have a limit together."""
    part = npy(header(f"({EXPANDED_BYTES // 8},)"), bytes(EXPANDED_BYTES // 2))
    read = read_arrays(archive(tmp_path / "in.npz", dict.fromkeys("abc", part), zipfile.ZIP_DEFLATED))
    assert read["a"].nbytes + read["b"].nbytes == EXPANDED_BYTES
    with pytest.raises(UsageError, match=r"in\.npz: the arrays have 100,663,296 bytes, the limit for this file is 67"):
        read["c"]
    assert read["a"].shape == (EXPANDED_BYTES // 8,)


def test_an_archive_without_compression_has_no_limit(tmp_path: Path) -> None:
    large = np.zeros(EXPANDED_BYTES + 1, np.uint8)
    np.savez(tmp_path / "in.npz", x=large)
    assert read_arrays(tmp_path / "in.npz")["x"].size == large.size


def test_sizes_that_the_archive_does_not_have(tmp_path: Path) -> None:
    file = archive(tmp_path / "in.npz", {"x": npy(header("(4611686018427387904,)"), bytes(16))})
    with pytest.raises(UsageError, match="needs 18,446,744,073,709,551,616 bytes, the archive declares 16"):
        read_arrays(file)["x"]
    good = npy(header("(4,)"), bytes(16))
    content = archive(file, {"x": good}).read_bytes()
    size = struct.pack("<I", len(good))
    assert content.count(size) == 4  # compressed or not, in the file's own header and in the directory
    for wrong in (len(good) + 1, 0xFFFFFFF0):
        file.write_bytes(content.replace(size, struct.pack("<I", wrong)))
        with pytest.raises(UsageError, match=r"in\.npz: "):
            read_arrays(file)["x"]


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions(tmp_path: Path, compression: int) -> None:
    file = archive(tmp_path / "in.npz", {"x": npy(header("(4,)"), bytes(16))}, compression)
    with pytest.raises(UsageError, match=r"compressed in a way that np\.savez does not use"):
        read_arrays(file)["x"]


def test_two_arrays_of_one_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "in.npz", "w") as written:
        written.writestr("x.npy", b"")
        with pytest.warns(UserWarning, match="Duplicate"):
            written.writestr("x.npy", b"")
    with pytest.raises(UsageError, match="the archive has two arrays 'x'"):
        read_arrays(tmp_path / "in.npz")


def _with_entries(path: Path, count: int) -> Path:
    """Write an archive of nothing but a directory of empty files."""
    entries = b"".join(
        struct.pack("<4s6H3I5H2I", b"PK\1\2", *(0,) * 9, 8, *(0,) * 6) + b"%08d" % i for i in range(count)
    )
    path.write_bytes(entries + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0, 0, len(entries), 0, 0))
    return path


def test_many_files(tmp_path: Path) -> None:
    assert len(read_arrays(_with_entries(tmp_path / "in.npz", MEMBER_LIMIT))) == 0
    with pytest.raises(UsageError, match="the archive has 10,001 files, the limit is 10,000"):
        read_arrays(_with_entries(tmp_path / "in.npz", MEMBER_LIMIT + 1))
    with pytest.raises(UsageError, match=PLAIN):  # the directory is not even read
        read_arrays(_with_entries(tmp_path / "in.npz", 100_000))


def test_commands_name_the_archive(tmp_path: Path) -> None:
    file = archive(tmp_path / "in.npz", {"image": npy("{'a':\n")})
    out = tmp_path / "out.npz"
    for arguments in (
        ("run", MLP, "--inputs", file, "-o", out),
        ("quantize", FLOATS, "--target", "tosa-int8", "--calibration", file, "-o", tmp_path / "out.mlir"),
        ("opt", MLP, "-p", "materialize-stats", "--samples", file),
    ):
        assert refused(*arguments) == f"{file}: {PLAIN}"
    assert not out.exists()


DEEP, LONG = "tables and lists are nested deeper than 32 levels", "a number has more than 1,000 digits"
PARTS = "a key has more than 32 parts"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a." * 100_000 + "a = 1", PARTS),  # the parser takes time with the square of the length
        ("[" + "a . " * 100_000 + "a]", PARTS),
        ("'a'.\"a\"." * 10_000 + "a = 1", PARTS),
        ("a = " + "[" * 100_000, DEEP),
        ("a = " + "{a=" * 100_000, DEEP),
        ("a = " + "9" * 5000, LONG),
        ("a = 0x" + "f" * 5000, LONG),
        ("a = " + "1_" * 600, LONG),
        ("a = '" + "[" * (1 << 20), "the file is too large: more than 1,048,576 bytes of TOML"),
        ("a = '", "this is not valid TOML: "),
        ("a = 1\na = 2", "this is not valid TOML: "),
        ("\udcff", "this is not valid TOML: 'utf-8' codec"),
    ],
)
def test_toml_that_is_refused(tmp_path: Path, text: str, found: str) -> None:
    path = tmp_path / "in.toml"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(UsageError) as refusal:
        read_document(path, is_json=False)
    assert str(refusal.value).startswith(f"{path}: {found}")
    for read in (read_annotations, partial(read_target, known={})):
        with pytest.raises(UsageError) as again:
            read(path)
        assert str(again.value) == str(refusal.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[" * 100_000, DEEP),
        ('{"a":' * 100_000, DEEP),
        ("9" * 5000, LONG),
        ('{"a": 1, "b": 2, "a": 3}', "this is not valid JSON: the key 'a' occurs twice"),
        ('"\\', "this is not valid JSON: "),
    ],
)
def test_json_that_is_refused(tmp_path: Path, text: str, found: str) -> None:
    path = tmp_path / "in.json"
    path.write_text(text)
    with pytest.raises(UsageError) as refusal:
        read_document(path, is_json=True)
    assert str(refusal.value).startswith(f"{path}: {found}")
    for read in (read_annotations, read_statistics):
        with pytest.raises(UsageError) as again:
            read(path)
        assert str(again.value) == str(refusal.value)


def test_documents_at_the_limits(tmp_path: Path) -> None:
    path = tmp_path / "in"
    nested: object = int("9" * DIGIT_LIMIT)
    for _ in range(DEPTH_LIMIT):
        nested = [nested]
    path.write_text(json.dumps(nested))
    assert read_document(path, is_json=True) == nested
    key, brackets, parts = ".".join("a" * DEPTH_LIMIT), "[" * 99, "a." * 99
    path.write_text(f'{key} = 1 # {brackets} {parts}\n\'{parts}\' = "{brackets} \\" {"9" * 999}"\n')
    found = read_document(path, is_json=False)
    assert isinstance(found, dict)
    assert found[parts] == f'{brackets} " {"9" * 999}'


@pytest.mark.parametrize("suffix", [".json", ".toml"])
def test_digits_of_a_storage_type(tmp_path: Path, suffix: str) -> None:
    path, storage = tmp_path / f"in{suffix}", f"i{'8' * 5000}"
    known = {"values": {"x": {"uniform": {"scale": 0.1, "storage": storage}}}}
    path.write_text(json.dumps(known) if suffix == ".json" else f'values.x.any = "{storage}"')
    options = ("--target", "tosa-int8", "--annotations", path, "-o", tmp_path / "out.mlir")
    assert "storage is 2, 4, 8 or 16 bits" in refused("quantize", FLOATS, *options)


@pytest.mark.parametrize("text", ["[" + "[]," * 100 + "[]]", '{"a": 1, "b": {' + '"c": 0,' * 100 + '"d": 0}}'])
def test_many_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(documents, "VALUE_LIMIT", 100)
    (tmp_path / "in.json").write_text(text)
    with pytest.raises(UsageError, match=r"in\.json: there are more than 100 keys and values$"):
        read_document(tmp_path / "in.json", is_json=True)
