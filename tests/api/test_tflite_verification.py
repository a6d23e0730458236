"""``verify`` of .tflite files: what LiteRT runs is valid, and what its kernels do not take is named by operator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qconvert.api.verification import verify
from tests.frontends.test_tflite_operators import JUDGES
from tests.support.commands import qconvert
from tests.support.paths import FIXTURES
from tests.support.tflite_cases import Tensor, constant, one_op


def test_the_operators_of_the_tables_are_valid() -> None:
    cases = {name: case for judge in JUDGES.values() for name, case in judge.cases.items()}
    found = {name: verify(case.model()).text() for name, case in cases.items()}
    assert {name: text for name, text in found.items() if not text.endswith("valid TFLite")} == {}


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.tflite")), ids=lambda path: path.stem)
def test_models_are_valid(path: Path) -> None:
    assert verify(str(path)).violations == ()


def test_each_operator_without_a_kernel_is_named() -> None:
    byte, short = Tensor((2, 4), 0.05, 3), Tensor((2, 4), 0.05, 3, kind="INT16")
    weights = constant(np.ones((4, 4)), "INT8", [0.1, 0.2, 0.3, 0.4], dimension=1)
    files = {
        "LiteRT has no FLOOR of": one_op("FLOOR", [byte], [byte], version=1),
        "takes 16-bit integers without a zero point": one_op("MEAN", [short, constant([1])], [short], "ReducerOptions"),
        "reads one scale for the weights or one for each output": one_op(
            "FULLY_CONNECTED", [byte, weights], [byte], "FullyConnectedOptions"
        ),
        "takes values of one type and scale": one_op(
            "MAXIMUM", [byte, Tensor((2, 4), 0.1)], [byte], "MaximumMinimumOptions"
        ),
    }
    for text, content in files.items():
        [violation] = verify(content).violations
        assert violation.node == "out0"
        assert text in violation.found


def test_the_command_fails_for_a_violation(tmp_path: Path) -> None:
    byte, path = Tensor((2, 4), 0.05, 3), tmp_path / "floor.tflite"
    path.write_bytes(one_op("FLOOR", [byte], [byte], version=1))
    assert "1 violation of what LiteRT's kernels take" in qconvert("verify", path, status=1).stdout
    assert "valid TFLite" in qconvert("verify", FIXTURES / "svdf_int8.tflite").stdout
