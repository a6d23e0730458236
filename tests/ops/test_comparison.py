"""Comparisons, Where, ArgMax and ArgMin against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Known, Quantization, Quantized, assert_equal, imported, one_op, random

UINT8 = Quantization(0.05, 131, np.uint8)
OPERATORS = [("Equal", 7), ("Greater", 7), ("Less", 7), ("GreaterOrEqual", 12), ("LessOrEqual", 12)]


@pytest.mark.parametrize(("op_type", "since"), OPERATORS)
@pytest.mark.parametrize("opset", [11, 13, 21])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.uint8, np.int8])
def test_comparison(op_type: str, since: int, opset: int, dtype: Any) -> None:
    if dtype in (np.uint8, np.int8) and op_type == "Equal":
        dtype = np.int32  # onnxruntime compares no 8-bit integers for equality before opset 19.
    lhs, rhs = random(4, 1, 5, dtype=dtype), random(3, 5, seed=1, dtype=dtype)
    rhs[0] = lhs[0]
    assert_equal(one_op(op_type, [lhs, rhs], opset=max(opset, since)))


def test_booleans_are_compared_for_equality() -> None:
    assert_equal(one_op("Equal", [random(9, dtype=np.bool_), random(9, seed=1, dtype=np.bool_)]))


def test_nan_equals_nothing() -> None:
    data = np.asarray([np.nan, 1, np.inf], np.float32)
    assert_equal(one_op("Equal", [data, data]))


def test_inputs_of_different_types_are_refused() -> None:
    with pytest.raises(ConversionError, match="inputs of types f32 and i64"):
        imported(one_op("Equal", [random(3), np.zeros(3, np.int64)]))


@pytest.mark.parametrize("opset", [9, 16])
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64])
def test_where(opset: int, dtype: Any) -> None:
    condition = random(4, 1, dtype=np.bool_)
    assert_equal(
        one_op("Where", [condition, random(3, dtype=dtype), random(2, 4, 3, seed=1, dtype=dtype)], opset=opset)
    )


def test_where_on_quantized_values() -> None:
    condition, zero = random(4, 5, dtype=np.bool_), Known(np.float32(0))
    assert_equal(one_op("Where", [condition, Quantized(random(4, 5, dtype=np.uint8), UINT8), zero], result=UINT8))


@pytest.mark.parametrize("op_type", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("select_last_index", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int8, np.int32])
def test_arg_extreme(op_type: str, axis: int, keepdims: int, select_last_index: int, dtype: Any) -> None:
    data = (random(4, 5, 6, dtype=dtype).astype(np.int64) // 100).astype(dtype)  # Few values, so that many are equal.
    case = one_op(op_type, [data], opset=13, axis=axis, keepdims=keepdims, select_last_index=select_last_index)
    assert_equal(case)


@pytest.mark.parametrize("opset", [7, 11, 12])
def test_arg_max_of_older_opsets(opset: int) -> None:
    assert_equal(one_op("ArgMax", [random(3, 7)], opset=opset, axis=1))


@pytest.mark.parametrize("op_type", ["ArgMax", "ArgMin"])
def test_arg_extreme_of_infinities(op_type: str) -> None:
    assert_equal(one_op(op_type, [np.full((2, 3), -np.inf, np.float32)], axis=1))
    assert_equal(one_op(op_type, [np.full((2, 3), np.inf, np.float32)], axis=1))


def test_the_largest_of_nothing_is_refused() -> None:
    with pytest.raises(ConversionError, match=r"an extreme along axis 0 of \[0, 3\] of f32 does not exist"):
        imported(one_op("ArgMax", [Known(np.zeros((0, 3), np.float32))], axis=0))
