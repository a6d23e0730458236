"""Pools against onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from qconvert.dialects import stablehlo
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import (
    Case,
    Quantization,
    Quantized,
    assert_equal,
    imported,
    one_op,
    ours,
    random,
    theirs,
)

WINDOWS: list[Mapping[str, Any]] = [
    {"kernel_shape": [3, 3]},
    {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]},
    {"kernel_shape": [3, 2], "pads": [1, 0, 0, 1], "strides": [3, 3]},
    {"kernel_shape": [2, 2], "pads": [0, 0, 1, 1], "strides": [3, 3]},
    {"kernel_shape": [1, 1], "strides": [3, 4]},
    {"kernel_shape": [4, 2], "auto_pad": "SAME_UPPER", "strides": [3, 2]},
    {"kernel_shape": [4, 2], "auto_pad": "SAME_LOWER", "strides": [3, 2]},
    {"kernel_shape": [4, 2], "auto_pad": "VALID", "strides": [3, 2]},
    {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [1, 1, 0, 0], "strides": [2, 1]},
]


def assert_near(case: Case) -> None:
    for found, expected in zip(ours(case), theirs(case), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("ceil_mode", [0, 1])
@pytest.mark.parametrize("opset", [11, 21])
def test_max_pool(window: Mapping[str, Any], ceil_mode: int, opset: int) -> None:
    assert_equal(one_op("MaxPool", [random(2, 3, 10, 11)], opset=opset, ceil_mode=ceil_mode, **window))


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("ceil_mode", [0, 1])
@pytest.mark.parametrize("count_include_pad", [0, 1])
def test_average_pool(window: Mapping[str, Any], ceil_mode: int, count_include_pad: int) -> None:
    attributes = {"ceil_mode": ceil_mode, "count_include_pad": count_include_pad, **window}
    assert_equal(one_op("AveragePool", [random(2, 3, 10, 11)], opset=21, **attributes))
    if "dilations" not in window:
        assert_near(one_op("AveragePool", [random(2, 3, 10, 11)], opset=11, **attributes))


@pytest.mark.parametrize("size", range(4, 12))
@pytest.mark.parametrize("ceil_mode", [0, 1])
@pytest.mark.parametrize("stride", [1, 2, 3, 4])
@pytest.mark.parametrize("pads", [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)])
def test_number_of_windows(size: int, ceil_mode: int, stride: int, pads: tuple[int, int]) -> None:
    attributes: dict[str, Any] = {"kernel_shape": [3], "strides": [stride], "pads": pads, "ceil_mode": ceil_mode}
    assert_equal(one_op("MaxPool", [random(1, 2, size)], **attributes))
    assert_equal(one_op("AveragePool", [random(1, 2, size)], count_include_pad=1, **attributes))


@pytest.mark.parametrize("rank", [1, 3])
@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool"])
def test_other_ranks(op_type: str, rank: int) -> None:
    attributes: dict[str, Any] = {"kernel_shape": [3] * rank, "strides": [2] * rank, "pads": [1] * 2 * rank}
    assert_equal(one_op(op_type, [random(2, 3, *[9] * rank)], ceil_mode=1, **attributes))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_max_pool_of_integers(dtype: type[np.generic]) -> None:
    window: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}
    assert_equal(one_op("MaxPool", [random(2, 3, 9, 9, dtype=dtype)], **window))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"])
def test_quantized_pools(op_type: str, dtype: type[np.generic]) -> None:
    """The result scale makes no exact ties: those fall as onnxruntime's order of float32 sums has it."""
    window = {} if op_type.startswith("Global") else {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}
    source = Quantized(random(8, 16, 7, 7, dtype=dtype), Quantization(0.05, 3, dtype))
    assert_equal(one_op(op_type, [source], result=Quantization(0.0317, 5, dtype), **window))


@pytest.mark.parametrize("sizes", [(2, 3, 7), (2, 3, 7, 7), (2, 3, 2, 4, 5)])
def test_global_pools(sizes: tuple[int, ...]) -> None:
    assert_equal(one_op("GlobalMaxPool", [random(*sizes)]))
    assert_near(one_op("GlobalAveragePool", [random(*sizes)]))


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
    with pytest.raises(ConversionError, match="'y1', an output of MaxPool beyond those supported, is used"):
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
