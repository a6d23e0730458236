"""Kernels of LiteRT with random scales: every integer is LiteRT's, whatever the scales are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.litert_reference import Judge
from tests.support.tflite_scales import STYLES, cases

pytestmark = pytest.mark.litert


def check(style: str, seed: int) -> None:
    """Compare all kernels; the message lists those that differ."""
    judge, apart = Judge(dict(cases(np.random.default_rng((seed, STYLES.index(style))), style))), list[str]()
    for name in judge.cases:
        try:
            judge.check_interpreter(name)
        except AssertionError as error:
            apart.append(f"{name}: {str(error)[:60]}")
    assert len(judge.cases) > 100
    assert not apart


@pytest.mark.parametrize("style", STYLES)
def test_kernels_with_random_scales_have_every_integer(style: str) -> None:
    check(style, 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 20))
@pytest.mark.parametrize("style", STYLES)
def test_kernels_with_more_random_scales_have_every_integer(style: str, seed: int) -> None:
    check(style, seed)
