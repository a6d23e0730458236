"""Exact integer products against Python integers, around the bounds where the method changes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qconvert import numerics
from qconvert.support.errors import ConversionError

EXAMPLES = settings(deadline=None, derandomize=True, database=None, max_examples=300)

Array = npt.NDArray[Any]


def slow(a: Array, b: Array) -> Any:
    return np.matmul(a.astype(object), b.astype(object)).tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32])
def test_every_storage_type_at_full_range(dtype: type) -> None:
    random = np.random.default_rng(1)
    info: np.iinfo[Any] = np.iinfo(dtype)
    low, high, depth = int(info.min), int(info.max), 1 if dtype is np.int32 else 40
    a: Array = random.integers(low, high + 1, (7, depth)).astype(dtype)
    b: Array = random.integers(low, high + 1, (depth, 5)).astype(dtype)
    a[0], b[:, 0] = high, high
    a[1], b[:, 1] = low, low
    assert numerics.exact_matmul(a, b).tolist() == slow(a, b)


@pytest.mark.parametrize("total", [2**24 - 1, 2**24, 2**24 + 1, 2**24 + 3, 2**53 - 1, 2**53, 2**53 + 1, 2**60 + 1])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_at_the_bound_are_exact(total: int, sign: int) -> None:
    # The sum passes through odd numbers next to the bound, which a float type too small would round.
    parts = np.array([[total // 3, total - total // 3 - 1, 1, -1, 1]], np.int64)
    column = np.full((5, 1), sign, np.int64)
    assert numerics.exact_matmul(parts, column).tolist() == slow(parts, column) == [[sign * total]]
    assert numerics.exact_matmul(column.T, parts.T).tolist() == [[sign * total]]


@pytest.mark.parametrize(
    ("bound", "dtype"),
    [(0, np.float32), (2**24 - 1, np.float32), (2**24, np.float64), (2**53 - 1, np.float64), (2**53, None)],
)
def test_float_type_by_bound(bound: int, dtype: type | None) -> None:
    assert numerics.exact_float_dtype(bound) == (None if dtype is None else np.dtype(dtype))


def test_bound_is_the_column_sum_and_the_result_type_follows_it() -> None:
    a = np.full((1, 2), 2**15, np.int32)
    b = np.array([[2**15, 1], [-(2**15) + 1, 0]], np.int32)
    assert numerics.accumulator_bound(a, b) == 2**15 * (2**16 - 1)
    assert numerics.exact_matmul(a, b).dtype == np.int32
    assert numerics.exact_matmul(a, b).tolist() == [[2**15, 2**15]]
    b[1, 0] = -(2**15)
    assert numerics.accumulator_bound(a, b) == 2**31
    assert numerics.exact_matmul(a, b).dtype == np.int64


def test_int32_is_never_wrapped() -> None:
    a, b = np.full((1, 4), 2**20, np.int32), np.full((4, 1), 2**20, np.int32)
    assert numerics.exact_matmul(a, b).tolist() == [[2**42]]


def test_a_product_beyond_int64_is_refused() -> None:
    huge = np.full((1, 2), 2**31, np.int64)
    with pytest.raises(ConversionError, match=r"may reach 9223372036854775808, outside int64"):
        numerics.exact_matmul(huge, huge.T)


def test_large_right_operand_alone_is_exact() -> None:
    b = np.full((3, 1), 2**60 // 3 + 1, np.int64)
    assert numerics.exact_matmul(np.array([[1, -1, 1]]), b).tolist() == [[2**60 // 3 + 1]]
    random = np.random.default_rng(2)
    a, b = random.integers(-(2**24), 2**24, (3, 9)), random.integers(-(2**33), 2**33, (9, 4))
    assert numerics.exact_matmul(a, b).tolist() == slow(a, b)


def test_batches_broadcast_and_empty_operands_work() -> None:
    random = np.random.default_rng(3)
    a, b = random.integers(-128, 128, (2, 1, 3, 4), np.int8), random.integers(-128, 128, (5, 4, 6), np.int8)
    assert numerics.exact_matmul(a, b).shape == (2, 5, 3, 6)
    assert numerics.exact_matmul(a, b).tolist() == slow(a, b)
    assert numerics.exact_matmul(np.zeros((2, 0), np.int8), np.zeros((0, 3), np.int8)).tolist() == [[0] * 3] * 2
    assert numerics.exact_matmul(np.zeros((0, 2), np.int8), np.zeros((2, 3), np.int8)).shape == (0, 3)


def test_four_bit_operands() -> None:
    a = np.arange(-8, 8).astype(ml_dtypes.int4).reshape(4, 4)
    assert numerics.exact_matmul(a, a).tolist() == slow(a.astype(int), a.astype(int))


@pytest.mark.slow
@EXAMPLES
@given(st.integers(1, 32), st.integers(1, 31), st.integers(0, 2**32))
def test_any_mixture_of_widths(bits_a: int, bits_b: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    a = random.integers(-(2**bits_a), 2**bits_a, (3, 6))
    b = random.integers(-(2 ** (bits_b - 1)), 2 ** (bits_b - 1), (6, 2))
    assert numerics.exact_matmul(a, b).tolist() == slow(a, b)
