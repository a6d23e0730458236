"""Whole CNNs of well-known architectures, made by ``fixtures/make_cnns.py``: every conversion is the same network."""

from __future__ import annotations

from itertools import cycle

import pytest

from make_cnns import RECIPES
from qconvert import Format, validate
from qconvert.validation import Settings
from tests.support.cnns import cnn, parameter

pytestmark = pytest.mark.slow


@pytest.mark.usual(5)
@pytest.mark.parametrize(("name", "to"), list(map(parameter, RECIPES, cycle([Format.STABLEHLO, Format.TOSA]))))
@pytest.mark.row("U11")
def test_a_cnn_is_the_same_network(name: str, to: Format) -> None:
    """Every layer but for ties, and the best class; formats take turns, since one network takes half a minute."""
    report = validate(cnn(name), settings=Settings(to, samples=1))
    assert report.passed, report.failures
    assert report.layers
    assert report.outputs[0].top1 == 1.0
