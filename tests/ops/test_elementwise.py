"""Refused elementwise operators; those that convert are rows of ``tests/cases/elementwise.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import imported, one_op, random


@pytest.mark.parametrize(
    ("op_type", "inputs", "message"),
    [
        ("Add", [random(3, 4), random(3)], r"shapes \[3, 4\] and \[3\] do not broadcast together"),
        ("Add", [random(3), random(3, dtype=np.int32)], "inputs of type f32 and i32. Check the model"),
        ("Add", [random(3)], "1 inputs, expected 2"),
        ("Add", [random(3), None], "input 1 is missing"),
        ("And", [random(3), random(3)], "inputs of type f32 and f32"),
        ("BitwiseNot", [random(3)], "inputs of type f32"),
        ("Exp", [random(3, dtype=np.int32)], "inputs of type i32"),
        ("Not", [random(3, dtype=np.int32)], "inputs of type i32"),
        ("Mod", [random(3), random(3)], "Mod of floats needs fmod=1"),
    ],
)
def test_refusals(op_type: str, inputs: list[Any], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        imported(one_op(op_type, inputs))
