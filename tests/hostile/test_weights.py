"""Faults of weights beside a program: files that cannot be replaced, that change, or that belong to another program."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from qconvert import ConversionError, UsageError, convert, load, run, save
from qconvert.ir import late
from qconvert.support import content
from tests.hostile.test_changing_files import CHANGES
from tests.support.commands import process, refused
from tests.support.paths import FIXTURES, MLP

CNN = FIXTURES / "digits_cnn_int8.onnx"
OTHER = "Give the file that was written with the program"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    program, weights = tmp_path / "p.mlir", tmp_path / "w.safetensors"
    save(convert(load(MLP)), program, weights=weights)
    return program, weights


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("there", [False, True])
def test_a_program_that_cannot_be_renamed_takes_its_weights_back(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, weights = tmp_path / "p.mlir", tmp_path / "w.safetensors"
    if there:
        save(convert(load(CNN)), program, weights=weights)
    before, replace = state(tmp_path), Path.replace

    def refusing(self: Path, target: Path) -> Path:
        if target.name == program.name:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refusing)
    with pytest.raises(UsageError, match=r"p.mlir: cannot be written: Operation not permitted"):
        save(convert(load(MLP)), program, weights=weights)
    assert state(tmp_path) == before


def test_a_folder_or_a_device_is_refused_before_anything_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "p.mlir").mkdir()
    with pytest.raises(UsageError, match=r"p.mlir: cannot be written together with another file"):
        save(convert(load(MLP)), tmp_path / "p.mlir", weights=tmp_path / "w.safetensors")
    os.mkfifo(tmp_path / "pipe.safetensors")
    with pytest.raises(UsageError, match=r"pipe.safetensors: cannot be written together with another file"):
        save(convert(load(MLP)), tmp_path / "q.mlir", weights=tmp_path / "pipe.safetensors")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.mlir", "pipe.safetensors"]


def test_permissions_and_links_stay(pair: tuple[Path, Path]) -> None:
    program, weights = pair
    weights.chmod(0o600)
    link = program.with_name("link.safetensors")
    link.symlink_to(weights)
    save(convert(load(CNN)), program, weights=link)
    assert link.is_symlink()
    assert weights.stat().st_mode & 0o777 == 0o600
    assert load(program, weights=weights).weights == "link.safetensors"


@pytest.mark.quick(2)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_weights_that_change_while_they_are_read(
    change: Callable[[Path], None], pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, weights = pair
    monkeypatch.setattr(content, "_HELD_BYTES", 1)
    monkeypatch.setattr(late, "_LATE_BYTES", 1)
    model = load(program)
    change(weights)
    with pytest.raises(ConversionError, match=r"w.safetensors: node .* the file changed while it was read") as caught:
        run(model, {"image": np.zeros((1, 1, 8, 8), np.float32)})
    assert "\n" not in str(caught.value)


def test_weights_of_another_program(pair: tuple[Path, Path], tmp_path: Path) -> None:
    program, weights = pair
    other = tmp_path / "other.safetensors"
    save(convert(load(CNN)), tmp_path / "other.mlir", weights=other)
    start = f"{other}: these weights do not belong to the program"
    found = "tensor 'gemm_1_weight_quantized' is I8 [128, 10], the program takes I8 [64, 32]"
    assert refused("inspect", program, "--weights", other) == f"{start}: {found}. {OTHER}"
    arrays = load_file(weights)
    save_file({name: array.T.copy() for name, array in arrays.items()}, other)
    found = "tensor 'gemm_1_weight_quantized' is I8 [32, 64], the program takes I8 [64, 32]"
    assert refused("inspect", program, "--weights", other) == f"{start}: {found}. {OTHER}"
    save_file({"gemm_1_weight_quantized": arrays["gemm_1_weight_quantized"]}, other)
    found = "it has no tensor 'gemm_2_weight_quantized'"
    assert refused("inspect", program, "--weights", other) == f"{start}: {found}. {OTHER}"
    save_file({name: array + 1 for name, array in arrays.items()}, other)
    assert refused("inspect", program, "--weights", other) == f"{start}: its data have another checksum. {OTHER}"


HEADER = b'{"w":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}}'


def safetensors(header: bytes, data: bytes = b"ab") -> bytes:
    return len(header).to_bytes(8, "little") + header + data


BAD = {
    "empty": b"",
    "text": b"module {}",
    "no end": safetensors(HEADER)[:-1],
    "a longer file": safetensors(HEADER) + b"c",
    "a header of many bytes": (1 << 60).to_bytes(8, "little") + HEADER,
    "a gap": safetensors(HEADER.replace(b"[0,2]", b"[1,3]"), b"abc"),
    "another size": safetensors(HEADER.replace(b"[2]", b"[3]")),
    "a size beyond 64 bits": safetensors(HEADER.replace(b"[2]", b"[4611686018427387904,4611686018427387904,16]")),
    "a negative size": safetensors(HEADER.replace(b"[2]", b"[-2]")),
    "an unknown type": safetensors(HEADER.replace(b"I8", b"I3")),
    "no JSON": safetensors(b"{" * 100),
    "deep JSON": safetensors(b'{"a":' + b"[" * 100_000),
    "no UTF-8": safetensors(b"\xff" * 10),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", BAD)
def test_files_that_are_no_safetensors(name: str, pair: tuple[Path, Path]) -> None:
    program, weights = pair
    weights.write_bytes(BAD[name])
    assert refused("inspect", program).startswith(f"{weights}: this is not a safetensors file: ")


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "named",
    ["../w.safetensors", "/etc/passwd", "", ".", "a\\0Ab", "x" * 300, "missing.safetensors", "sub/w.safetensors"],
)
def test_a_program_names_a_file_beside_it_only(named: str, pair: tuple[Path, Path], tmp_path: Path) -> None:
    program, _ = pair
    inner = tmp_path / "inner" / "p.mlir"
    inner.parent.mkdir()
    inner.write_text(program.read_text().replace("w.safetensors", named))
    message = refused("inspect", inner)
    assert message.startswith(f"{inner}: the program's weights, '")
    assert message.endswith("are not beside it. Give them with --weights FILE")


def test_a_link_out_of_the_folder_is_not_followed(pair: tuple[Path, Path], tmp_path: Path) -> None:
    program, weights = pair
    inner = tmp_path / "inner" / "p.mlir"
    inner.parent.mkdir()
    shutil.copy(program, inner)
    (inner.parent / weights.name).symlink_to(weights)
    assert "are not beside it" in refused("inspect", inner)


def test_attributes_that_are_no_texts(pair: tuple[Path, Path]) -> None:
    program, _ = pair
    text = program.read_text()
    program.write_text(text.replace('weights.file = "w.safetensors"', "weights.file = 3 : i32"))
    assert "are not beside it" in refused("inspect", program)
    sum_of_text = text.partition('weights.checksum = "')[2][:8]
    program.write_text(text.replace(f'"{sum_of_text}"', "unit"))
    assert "another checksum" in refused("inspect", program)
    program.write_text(text.replace("x!quant.uniform<i8:f32:1", "x!quant.uniform<i8:f32:1").replace("i8", "i48", 1))
    assert refused("inspect", program)


@pytest.mark.slow
def test_a_program_without_its_folder(pair: tuple[Path, Path]) -> None:
    program, weights = pair
    done = process("inspect", "-", given=program.read_bytes(), status=2)
    assert "are not beside it. Give them with --weights FILE" in done.stderr
    assert "image" in process("inspect", "-", "--weights", weights, given=program.read_bytes()).stdout


def test_the_header_is_json_with_the_sum(pair: tuple[Path, Path]) -> None:
    _, weights = pair
    raw = weights.read_bytes()
    end = 8 + int.from_bytes(raw[:8], "little")
    assert end % 8 == 0
    assert len(json.loads(raw[8:end])["__metadata__"]["checksum"]) == 8


def test_weights_replace_the_file_that_they_were_read_from(pair: tuple[Path, Path]) -> None:
    program, weights = pair
    before = state(program.parent)
    save(convert(load(program)), program, weights=weights)
    assert load_file(weights).keys()
    assert sorted(state(program.parent)) == sorted(before)
    shutil.copy(weights, program.with_name("copy.safetensors"))
    load(program, weights=program.with_name("copy.safetensors"))
