"""Whole CNNs of well-known architectures, made by ``fixtures/make_cnns.py``: every conversion is the same network."""

from __future__ import annotations

from pathlib import Path

import pytest

from make_cnns import RECIPES, write
from qconvert import Format, validate
from qconvert.validation import Settings

pytestmark = pytest.mark.slow

UNPROVED = ("densenet121_int8", "densenet121_uint8", "shufflenet_int8", "shufflenet_uint8")
"""Models with an Add that differs from the reference's float32 on a few of all pairs of integers, in TOSA."""


@pytest.mark.filterwarnings("ignore")  # of onnxruntime's quantizer
@pytest.mark.parametrize("name", RECIPES)
def test_a_cnn_is_the_same_network(name: str, tmp_path: Path) -> None:
    """Every layer but for ties, and the best class."""
    path = tmp_path / f"{name}.onnx"
    write(RECIPES[name], path)
    for to in (Format.STABLEHLO, *([] if name in UNPROVED else [Format.TOSA])):
        report = validate(path, settings=Settings(to, samples=1))
        assert report.passed, (to, report.failures)
        assert report.layers
        assert report.outputs[0].top1 == 1.0
