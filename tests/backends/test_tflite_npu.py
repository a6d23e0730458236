"""TFLite of integers alone, compiled for Arm's Ethos-U: every operator runs on the NPU."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import qconvert
from tests.support.paths import FIXTURES

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("name", ["digits_cnn_int8", "digits_cnn_uint8"])
def test_no_operator_is_left_to_the_cpu(tmp_path: Path, name: str) -> None:
    model = tmp_path / "model.tflite"
    qconvert("convert", FIXTURES / f"{name}.onnx", "-o", model, "--profile", "int")
    vela = [sys.executable, "-m", "ethosu.vela", model, "--accelerator-config", "ethos-u55-128"]
    done = subprocess.run([*vela, "--output-dir", tmp_path], capture_output=True, text=True, check=True)
    found = dict(re.findall(r"(CPU|NPU) operators = (\d+)", done.stdout))
    assert found["CPU"] == "0"
    assert int(found["NPU"]) >= 8
