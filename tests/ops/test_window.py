"""Divisors of average pools, and refused pools; those that convert are rows of ``tests/cases/window.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from qconvert.dialects import stablehlo
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import (
    Case,
    imported,
    one_op,
    random,
)


def _divisors(case: Case) -> list[Any]:
    """The constants that results are divided by."""
    divisions = [op for op in imported(case).walk() if isinstance(op, stablehlo.DivideOp)]
    return [op.rhs.owner.array for op in divisions if isinstance(op.rhs.owner, stablehlo.ConstantOp)]


def test_equal_counts_are_one_number() -> None:
    """What the fusion pass turns into an average over integers."""
    (divisor,) = _divisors(one_op("AveragePool", [random(1, 2, 8, 8)], kernel_shape=[2, 2], strides=[2, 2]))
    assert not any(divisor.strides)
    assert divisor.flat[0] == 4
    (divisor,) = _divisors(one_op("GlobalAveragePool", [random(1, 2, 8, 8)]))
    assert not any(divisor.strides)
    assert divisor.flat[0] == 64


def test_padding_that_is_not_counted_varies_the_divisor() -> None:
    (divisor,) = _divisors(one_op("AveragePool", [random(1, 1, 4)], kernel_shape=[3], pads=[1, 1]))
    np.testing.assert_array_equal(divisor.reshape(-1), [2, 3, 3, 2])


def test_dilated_same_padding_is_refused() -> None:
    case = one_op("MaxPool", [random(1, 1, 9, 9)], kernel_shape=[3, 3], dilations=[2, 2], auto_pad="SAME_UPPER")
    with pytest.raises(ConversionError, match="ONNX and onnxruntime pad a dilated pool with auto_pad differently"):
        imported(case)


def test_used_indices_are_refused() -> None:
    with pytest.raises(ConversionError, match="'y1' is used, an output of MaxPool that is not supported"):
        imported(one_op("MaxPool", [random(1, 1, 9)], outputs=2, kernel_shape=[3]))


@pytest.mark.parametrize(
    ("sizes", "attributes", "message"),
    [
        ((1, 1, 4), {"kernel_shape": [5]}, r"the kernel \[5\] does not fit an input of spatial size \[4\]"),
        ((1, 1, 4), {"kernel_shape": [2, 2]}, r"kernel_shape \[2, 2\] does not fit 1 spatial dimensions"),
        ((1, 1, 4), {"kernel_shape": [2], "strides": [0]}, r"strides \[0\] does not fit"),
        ((1, 1, 4), {"kernel_shape": [2], "pads": [-1, 0]}, r"pads \[-1, 0\] does not fit"),
        ((1, 4), {"kernel_shape": [2]}, "a pool over an input of rank 2"),
    ],
)
def test_windows_that_make_no_sense(sizes: tuple[int, ...], attributes: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        imported(one_op("MaxPool", [random(*sizes)], **attributes))


def test_a_global_pool_without_spatial_dimensions_is_refused() -> None:
    with pytest.raises(ConversionError, match=r"a global pool over an input of shape \[2, 3\]"):
        imported(one_op("GlobalAveragePool", [random(2, 3)]))
