"""Bad input ends in one paragraph that names the file, the node, what was found and what to do; nothing is written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto

from tests.support.bad_models import EDITS, external, good_model, holding, no_utf8
from tests.support.commands import qconvert, refused_file

EXPECTED = Path(__file__).with_name("bad_input.txt")


Refusal = Callable[[ModelProto | bytes], str]


@pytest.fixture
def refused(tmp_path: Path) -> Refusal:
    """What is said of a model's content."""

    def run(content: ModelProto | bytes) -> str:
        path = tmp_path / "bad.onnx"
        path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
        return refused_file(path)

    return run


def test_the_good_model_converts(tmp_path: Path) -> None:
    (tmp_path / "good.onnx").write_bytes(good_model().SerializeToString())
    qconvert("convert", tmp_path / "good.onnx", "-o", tmp_path / "good.mlir")
    assert "stablehlo.convolution" in (tmp_path / "good.mlir").read_text()


def _expected() -> dict[str, str]:
    lines = EXPECTED.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


@pytest.mark.slow
def test_every_bad_model_is_refused_in_these_words(refused: Refusal, pytestconfig: pytest.Config) -> None:
    found = {}
    for name, edit in EDITS.items():
        model = good_model()
        edit(model)
        found[name] = refused(model)
    if pytestconfig.getoption("--update-golden"):
        EXPECTED.write_text("".join(f"{name}: {text}\n" for name, text in found.items()))
    assert found == _expected()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(
            b"once upon a time there was a network\n",
            "this is text, but not MLIR: it has no module and no function. "
            "Give a .onnx, .tflite, .mlir, .mlirbc or .tosa file",
            id="text",
        ),
        pytest.param(
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde",
            "this is not an ONNX model, or it is cut short. Export or download the file again",
            id="png",
        ),
        pytest.param(
            b"\x08\x0a\x12\x04none",
            "the file holds no ONNX graph. Export or download the file again",
            id="without graph",
        ),
    ],
)
def test_no_model(content: bytes, expected: str, refused: Refusal) -> None:
    assert refused(content) == expected


@pytest.mark.parametrize("share", [0.3, 0.7, 0.999])
def test_a_truncated_file(share: float, refused: Refusal) -> None:
    content = good_model().SerializeToString()
    expected = "this is not an ONNX model, or it is cut short. Export or download the file again"
    assert refused(content[: int(share * len(content))]) == expected


@pytest.mark.parametrize("name", ["quantize", "QuantizeLinear", "w_scale", "strides"])
def test_names_that_are_no_utf8(name: str, refused: Refusal) -> None:
    content = no_utf8(name)(good_model().SerializeToString())
    shown = repr(b"\xff" * len(name))
    assert refused(content).startswith(f"the name {shown[:-1]}")


def test_a_directory_and_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "folder.onnx").mkdir()
    assert refused_file(tmp_path / "folder.onnx") == "cannot be read: Is a directory"
    assert refused_file(tmp_path / "none.onnx") == "cannot be read: No such file or directory"


OUTSIDE = "is outside the model's folder. Only files beside the model are read; move the data there"
DAMAGED = "The file is damaged; export or download it again"
TOO_SHORT = "Export the model and its data again, and keep them together"


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ({"location": "none.bin"}, "external data 'none.bin' is missing. Put the file beside the model"),
        ({"location": "w" * 300}, f"external data '{'w' * 100}...' is missing. Put the file beside the model"),
        ({"location": "."}, "external data '.' is missing. Put the file beside the model"),
        ({}, f"external data '' {OUTSIDE}"),
        ({"location": "../secret"}, f"external data '../secret' {OUTSIDE}"),
        ({"location": "inner/../../secret"}, f"external data 'inner/../../secret' {OUTSIDE}"),
        ({"location": "/etc/passwd"}, f"external data '/etc/passwd' {OUTSIDE}"),
        ({"location": "link.bin"}, f"external data 'link.bin' {OUTSIDE}"),
        ({"location": "inner/secret"}, f"external data 'inner/secret' {OUTSIDE}"),
        ({"location": "w\0.bin"}, f"external data 'w\\x00.bin' {OUTSIDE}"),
        (
            {"location": "w.bin", "offset": "11"},
            f"external data 'w.bin' has 64 bytes; 54 are needed, 54 given from 11 on. {TOO_SHORT}",
        ),
        (
            {"location": "w.bin", "length": "53"},
            f"external data 'w.bin' has 64 bytes; 54 are needed, 53 given from 0 on. {TOO_SHORT}",
        ),
        (
            {"location": "w.bin", "offset": str(2**60)},
            f"external data 'w.bin' has 64 bytes; 54 are needed, 54 given from {2**60} on. {TOO_SHORT}",
        ),
        ({"location": "w.bin", "offset": "-1"}, f"external data has offset '-1'. {DAMAGED}"),
        ({"location": "w.bin", "length": "many"}, f"external data has length 'many'. {DAMAGED}"),
        ({"location": "w.bin", "offset": "9" * 30}, f"external data has offset '{'9' * 30}'. {DAMAGED}"),
    ],
)
def test_external_data(entries: dict[str, str], expected: str, tmp_path: Path, refused: Refusal) -> None:
    (tmp_path.parent / "secret").write_bytes(bytes(64))
    (tmp_path / "w.bin").write_bytes(bytes(64))
    (tmp_path / "link.bin").symlink_to(tmp_path.parent / "secret")
    (tmp_path / "inner").symlink_to(tmp_path.parent)
    model = good_model()
    external(**entries)(model)
    assert refused(model) == f"node 'weights' (DequantizeLinear): tensor 'w': {expected}"


@pytest.mark.parametrize("element", ["f80", "f128"])
def test_floats_that_are_too_wide(tmp_path: Path, element: str) -> None:
    (tmp_path / "f.mlir").write_text(f"module attributes {{x = 1.0 : {element}}} {{}}")
    assert f"{element} is not supported: floats have at most 64 bits" in refused_file(tmp_path / "f.mlir")


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ('input_names = ["a", "b"]', "the attribute input_names of @main must hold 1 strings"),
        ("output_names = [1 : i32]", "the attribute output_names of @main must hold 1 strings"),
        (None, "the function @main has no body"),
    ],
)
def test_a_function_that_cannot_be_converted(tmp_path: Path, attribute: str | None, message: str) -> None:
    model = tmp_path / "f.mlir"
    body = f"-> tensor<2xf32> attributes {{{attribute}}} {{ return %a : tensor<2xf32> }}"
    model.write_text(f"func.func private @main(%a: tensor<2xf32>) {'' if attribute is None else body}")
    for command in ("inspect", "convert"):
        more = ("--to", "tosa", "-o", tmp_path / "o.mlir") if command == "convert" else ()
        assert qconvert(command, model, *more, status=2).stderr.removesuffix("\n").endswith(message)


@pytest.mark.slow
def test_a_process_shows_one_paragraph_and_no_traceback(tmp_path: Path) -> None:
    model = good_model()
    holding("scale", 0, np.float32)(model)
    (tmp_path / "bad.onnx").write_bytes(model.SerializeToString())
    command = [sys.executable, "-m", "qconvert", "convert", "bad.onnx", "-o", "bad.mlir"]
    root = str(Path(__file__).parents[2])
    process = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": root}, capture_output=True, check=False)
    assert process.returncode == 2
    assert process.stdout == b""
    assert process.stderr.decode() == (
        "error: bad.onnx: node 'quantize' (QuantizeLinear): the scale is 0. "
        "A scale must be finite and above 0; calibrate the model again\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["bad.onnx"]
