"""Whole CNNs of well-known architectures, made by ``fixtures/make_cnns.py``: every conversion is the same network."""

from __future__ import annotations

from pathlib import Path

import pytest

from make_cnns import RECIPES, write
from qconvert import Format, validate
from qconvert.validation import Settings

pytestmark = pytest.mark.slow


@pytest.mark.filterwarnings("ignore")  # of onnxruntime's quantizer
@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.row("U11")
def test_a_cnn_is_the_same_network(name: str, tmp_path: Path) -> None:
    """Every layer but for ties, and the best class."""
    path = tmp_path / f"{name}.onnx"
    write(RECIPES[name], path)
    for to in (Format.STABLEHLO, Format.TOSA):
        report = validate(path, settings=Settings(to, samples=1))
        assert report.passed, (to, report.failures)
        assert report.layers
        assert report.outputs[0].top1 == 1.0
