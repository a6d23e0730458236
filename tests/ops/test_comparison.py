"""Refused comparisons; those that convert are rows of ``tests/cases/comparison.py``."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Known, imported, one_op, random


def test_inputs_of_different_types_are_refused() -> None:
    with pytest.raises(ConversionError, match="inputs of types f32 and i64"):
        imported(one_op("Equal", [random(3), np.zeros(3, np.int64)]))


def test_the_largest_of_nothing_is_refused() -> None:
    with pytest.raises(ConversionError, match=r"an extreme along axis 0 of \[0, 3\] of f32 does not exist"):
        imported(one_op("ArgMax", [Known(np.zeros((0, 3), np.float32))], axis=0))
