"""``qconvert quantize`` as a user meets it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

from qconvert import convert, load, quantize
from qconvert.cli import progress
from qconvert.engines import onnxruntime
from qconvert.formats import Format
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES

pytestmark = pytest.mark.slow  # each test starts processes

FLOAT = FIXTURES / "float" / "digits_cnn.onnx"
SAMPLES = FIXTURES / "digits_calibration.npz"
USUAL = ("--calibration", SAMPLES, "--target", "tosa-int8")
ASSUMED = f"note: {FLOAT}: dimension 'N' is set to 1. --dim N=SIZE changes it.\n"


def test_one_command_from_floats_to_a_format(tmp_path: Path) -> None:
    out = tmp_path / "digits.onnx"
    done = qconvert("quantize", FLOAT, *USUAL, "-o", out)
    assert done.stdout == ""
    assert done.stderr == f"{ASSUMED}9 kernels for tosa-int8: fully quantized, 0 rescales at ports\n"
    assert out.read_bytes() == convert(quantize(load(FLOAT), "tosa-int8", SAMPLES).model, Format.ONNX).content
    test = np.load(FIXTURES / "digits_test.npz")
    runs = onnxruntime.run_samples(out, [{"image": image[None]} for image in test["image"][:100]])
    assert np.mean([run["logits"].argmax() == label for run, label in zip(runs, test["label"], strict=False)]) >= 0.96


@pytest.mark.tosa
def test_a_flatbuffer_of_a_batch(tmp_path: Path) -> None:
    out = tmp_path / "digits.tosa"
    qconvert("quantize", FLOAT, *USUAL, "-o", out, "--dim", "N=16", "--quantized-io")
    assert out.read_bytes()[4:8] == b"TOSA"


def test_to_standard_output() -> None:
    text = qconvert("quantize", FLOAT, *USUAL, "-o", "-", "--to", "stablehlo").stdout
    assert "stablehlo.convolution" in text
    assert "!quant.uniform<i8:f32" in text


@pytest.mark.slow
def test_statistics_are_kept_and_used_again(tmp_path: Path) -> None:
    stats, first, second = tmp_path / "stats.json", tmp_path / "first.mlir", tmp_path / "second.mlir"
    qconvert("quantize", FLOAT, *USUAL, "--method", "percentile=99.9", "--stats-out", stats, "-o", first)
    assert json.loads(stats.read_text())["method"] == "percentile=99.9"
    qconvert("quantize", FLOAT, "--stats-in", stats, "--target", "tosa-int8", "-o", second)
    assert first.read_text() == second.read_text()


@pytest.mark.slow
def test_a_report(tmp_path: Path) -> None:
    out, report = tmp_path / "out.mlir", tmp_path / "report.json"
    text = qconvert("quantize", FLOAT, *USUAL, "-o", out, "--exclude", "gemm_1", "--report", "-").stdout
    assert text.splitlines() == [
        "9 kernels for tosa-int8: not fully quantized, 0 rescales at ports",
        "float: node 'gemm_1' (fully_connected): it is excluded",
    ]
    qconvert("quantize", FLOAT, *USUAL, "-o", out, "--exclude", "gemm_1", "--report", report)
    assert json.loads(report.read_text())["unquantized"][0]["node"] == "gemm_1"


def test_annotations(tmp_path: Path) -> None:
    notes = tmp_path / "notes.toml"
    notes.write_text("values.image.uniform = { scale = 0.5, zero_point = 1 }\n")
    text = qconvert("quantize", FLOAT, *USUAL, "-o", "-", "--to", "stablehlo", "--annotations", notes).stdout
    assert "!quant.uniform<i8:f32, 0.5:1>" in text


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_refusals(tmp_path: Path) -> None:
    out = tmp_path / "out.mlir"

    def message(*options: object) -> str:
        found = refused("quantize", FLOAT, *options, "-o", out)
        assert not out.exists()
        return found

    empty, twice, wrong = tmp_path / "empty.npz", tmp_path / "twice.npz", tmp_path / "wrong.npz"
    np.savez(empty, image=np.zeros((0, 1, 8, 8), np.float32))
    np.savez(twice, image=np.zeros((4, 1, 8, 8)))
    np.savez(wrong, image=np.zeros((4, 1, 9, 9), np.float32))
    typo = _file(tmp_path, "typo.toml", "values.image.unifrom = 1")
    both = _file(tmp_path, "both.toml", "values.image = { none = true, any = 16 }")
    stats = _file(tmp_path, "stats.json", '{"version": 1, "values": {"image": {"minimum": 0, "maximum": NaN}}}')
    target = ("--target", "tosa-int8")
    assert "there are no samples to calibrate on" in message("--calibration", empty, *target)
    assert "input 'image' takes float32, found float64" in message("--calibration", twice, *target)
    assert "input 'image' has the shape [4, 1, 9, 9]; it may be [1, 1, 8, 8]" in message(
        "--calibration", wrong, *target
    )
    assert "the ranges of its values are unknown: give samples (--calibration)" in message(*target)
    assert "there is no target 'tosa8'" in message("--calibration", SAMPLES, "--target", "tosa8")
    assert "no calibration method 'max'; there are minmax," in message(*USUAL, "--method", "max")
    assert "unknown key 'unifrom'; allowed are uniform, any" in message(*USUAL, "--annotations", typo)
    assert "the annotations contradict each other: 'image' is none in" in message(*USUAL, "--annotations", both)
    assert "stats.json: values, 'image': the range from 0.0 to nan is not finite" in message(
        "--stats-in", stats, *target
    )
    assert "--calibration or statistics with --stats-in, not both" in message(*USUAL, "--stats-in", stats)
    assert "there are no statistics without --calibration" in message(*target, "--stats-out", tmp_path / "none.json")
    assert "the model has no node 'conv' to exclude" in message(*USUAL, "--exclude", "conv")
    assert (
        "Invalid value for '--fallback'"
        in qconvert("quantize", FLOAT, *USUAL, "--fallback", "int", "-o", out, status=2).stderr
    )
    assert "cannot be written" in message(*USUAL, "--report", tmp_path / "nowhere" / "report.txt")
    assert "only one of --output and --report" in refused(
        "quantize", FLOAT, *USUAL, "-o", "-", "--report", "-", "--to", "onnx"
    )


def test_a_bar_for_long_work_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing for two seconds, then how much is done."""
    now = [0.0]
    monkeypatch.setattr(progress.sys, "argv", ["qconvert"])  # pytest's own -q would be qconvert's
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with progress.counted("calibrating") as told:
        told(1, 10)
        assert capsys.readouterr().err == ""
        now[0] = 3.0
        told(5, 10)
    assert "calibrating" in capsys.readouterr().err


def test_no_bar_elsewhere(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.0)
    with progress.counted("calibrating") as told:
        told(5, 10)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_code_is_generated(tmp_path: Path) -> None:
    out, plain, report = tmp_path / "digits.mlir", tmp_path / "plain.mlir", tmp_path / "report.json"
    usual = ("quantize", FLOAT, "--calibration", SAMPLES, "--target", "codegen-int8")
    done = qconvert(*usual, "-o", out, "--report", report)
    assert done.stderr == (
        f"{ASSUMED}9 kernels for codegen-int8: fully quantized, 0 rescales at ports\n"
        "10 rescales, of which 3 are left where integers leave or must meet\n"
    )
    assert out.read_text().count('"tosa.rescale"(') == 3
    kept = json.loads(report.read_text())["codegen"]["kept"]
    assert [entry["node"] for entry in kept] == ["add_1", "gemm_1"]
    text = qconvert(*usual, "-o", plain, "--to", "stablehlo-int", "--quantized-io", "--report", "-").stdout
    assert "rescale kept: add_1: stablehlo.add: operands of several scales meet" in text
    assert "(%0: tensor<1x1x8x8xi8>) -> tensor<1x10xi8>" in plain.read_text()
    assert "tosa" not in plain.read_text()


def test_formats_that_hold_no_code(tmp_path: Path) -> None:
    command = ("quantize", FLOAT, "--calibration", SAMPLES, "--target", "codegen-int8", "-o")
    text = refused(*command, tmp_path / "digits.onnx")
    assert "codegen-int8 is for code generation, onnx cannot express its result: give --to tosa-rescale or" in text
