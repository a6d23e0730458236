"""Whole CNNs of well-known architectures, made by ``fixtures/make_cnns.py``: every conversion is the same network."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest

from make_cnns import RECIPES, write
from qconvert import Format, validate
from qconvert.validation import Settings

pytestmark = pytest.mark.slow


@pytest.mark.filterwarnings("ignore")  # of onnxruntime's quantizer
@pytest.mark.parametrize(("name", "to"), list(zip(RECIPES, cycle([Format.STABLEHLO, Format.TOSA]))))
@pytest.mark.row("U11")
def test_a_cnn_is_the_same_network(name: str, to: Format, tmp_path: Path) -> None:
    """Every layer but for ties, and the best class; formats take turns, since one network takes half a minute."""
    path = tmp_path / f"{name}.onnx"
    write(RECIPES[name], path)
    report = validate(path, settings=Settings(to, samples=1))
    assert report.passed, report.failures
    assert report.layers
    assert report.outputs[0].top1 == 1.0
