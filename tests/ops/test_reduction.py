"""Refused reductions; those that convert are rows of ``tests/cases/reduction.py``."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Known, imported, one_op, random


def test_axes_computed_at_run_time_are_refused() -> None:
    with pytest.raises(ConversionError, match=r"axes \(input 1, 'x1'\) is computed at run time"):
        imported(one_op("ReduceSum", [random(3, 4), np.asarray([1])]))


@pytest.mark.parametrize(
    ("axes", "message"), [([3], "axis 3 is outside"), ([0, -2], r"axes \[0, -2\] name a dimension")]
)
def test_axes_that_make_no_sense(axes: list[int], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        imported(one_op("ReduceSum", [random(3, 4), Known(np.asarray(axes))]))


def test_a_mean_over_nothing_is_refused() -> None:
    with pytest.raises(ConversionError, match="the mean of no elements is undefined"):
        imported(one_op("ReduceMean", [Known(random(3, 0)), Known(np.asarray([1]))]))


def test_integers_have_no_square_root() -> None:
    with pytest.raises(ConversionError, match="float inputs are supported here"):
        imported(one_op("ReduceL2", [random(3, dtype=np.int32)]))
