"""``qconvert quantize`` for hardware of integers: labelled samples, and programs for Ethos-U."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from qconvert.support.arrays import read_arrays
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES, IMAGES

FLOAT = FIXTURES / "float" / "digits_cnn.onnx"
SAMPLES = FIXTURES / "digits_calibration.npz"
USUAL = ("--calibration", SAMPLES, "--target", "ethos-u")
RIGHT = re.compile(r"^accuracy: (\d+\.\d+)% of (\d+) labelled samples, 97\.78% before quantization$", re.MULTILINE)


@pytest.mark.slow
def test_files_for_it_are_integers_alone(tmp_path: Path) -> None:
    qconvert("quantize", FLOAT, *USUAL, "-o", tmp_path / "m.tosa.mlir")
    assert not re.search(r"f32[>,)]", re.sub(r"!quant\.uniform<[^>]*>", "", (tmp_path / "m.tosa.mlir").read_text()))
    error = refused("quantize", FLOAT, *USUAL, "--exclude", "gemm_1", "-o", tmp_path / "n.tosa.mlir")
    assert "floats remain in " in error
    assert "'gemm_1'" in error
    assert error.endswith("ethos-u has no floats: nothing can be excluded or fall back for it")


@pytest.mark.slow
@pytest.mark.parametrize("target", ["ethos-u", "ethos-u-int16", "tosa-int8"])
def test_labelled_samples_are_counted(tmp_path: Path, target: str) -> None:
    given = ("--calibration", SAMPLES, "--target", target, "--test", IMAGES)
    found = RIGHT.search(qconvert("quantize", FLOAT, *given, "-o", tmp_path / "m.tosa.mlir").stderr)
    assert found is not None
    assert float(found[1]) >= 97
    assert found[2] == "360"


def test_labels_beside_the_samples_are_used(tmp_path: Path) -> None:
    arrays = read_arrays(IMAGES)
    np.savez(tmp_path / "both.npz", image=arrays["image"][:32], labels=arrays["label"][:32])
    given = ("--calibration", tmp_path / "both.npz", "--target", "ethos-u", "--dim", "N=16")
    report = tmp_path / "report.json"
    done = qconvert("quantize", FLOAT, *given, "-o", tmp_path / "m.tosa.mlir", "--report", report)
    assert "of 32 labelled samples" in done.stderr
    assert json.loads(report.read_text())["accuracy"]["samples"] == 32


@pytest.mark.parametrize("labels", [np.zeros(3, np.int64), np.zeros(256, np.float32), np.zeros((256, 1), np.int64)])
@pytest.mark.quick(1)
def test_other_arrays_are_no_labels(tmp_path: Path, labels: np.ndarray) -> None:
    np.savez(tmp_path / "both.npz", image=read_arrays(SAMPLES)["image"], label=labels)
    given = ("--calibration", tmp_path / "both.npz", "--target", "ethos-u")
    assert "accuracy" not in qconvert("quantize", FLOAT, *given, "-o", tmp_path / "m.tosa.mlir").stderr


def test_samples_to_test_on_need_labels(tmp_path: Path) -> None:
    message = refused("quantize", FLOAT, *USUAL, "--test", SAMPLES, "-o", tmp_path / "m.tosa.mlir")
    assert "it has no array 'label' with the class of each sample" in message


@pytest.mark.npu
@pytest.mark.tosa
@pytest.mark.parametrize("target", ["ethos-u", "ethos-u-int16"])
def test_one_command_from_floats_to_a_program(tmp_path: Path, target: str) -> None:
    out = tmp_path / "digits_vela.tflite"
    done = qconvert("quantize", FLOAT, "--calibration", SAMPLES, "--target", target, "--test", IMAGES, "-o", out)
    assert out.read_bytes()[4:8] == b"TFL3"
    assert b"ethos-u" in out.read_bytes()
    assert f"9 kernels for {target}: fully quantized" in done.stderr
    assert re.search(r"^runs wholly on ethos-u85-256: [\d,]+ cycles$", done.stderr, re.MULTILINE)
    assert RIGHT.search(done.stderr)


@pytest.mark.npu
@pytest.mark.tosa
def test_any_target_compiles_for_a_given_npu(tmp_path: Path) -> None:
    given = ("--calibration", SAMPLES, "--target", "tosa-int8", "--npu", "ethos-u55-32")
    done = qconvert("quantize", FLOAT, *given, "-o", tmp_path / "m_vela.tflite")
    assert "runs wholly on ethos-u55-32" in done.stderr


def test_a_target_of_floats_writes_a_plain_model(tmp_path: Path) -> None:
    out = tmp_path / "m_vela.tflite"
    qconvert("quantize", FLOAT, "--calibration", SAMPLES, "--target", "tflite-int8", "-o", out)
    assert b"ethos-u" not in out.read_bytes()
