"""Reductions against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import (
    Array,
    Case,
    Known,
    Quantization,
    Quantized,
    assert_equal,
    imported,
    one_op,
    ours,
    random,
    theirs,
)

FUNCTIONS = ["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"]


def assert_near(case: Case) -> None:
    """Sums are added up in another order than onnxruntime's."""
    for found, expected in zip(ours(case), theirs(case), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


def _data(function: str, *shape: int) -> Array:
    return np.abs(random(*shape)) + np.float32(0.5) if function == "LogSum" else random(*shape) / np.float32(3)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("axes", [None, [1], [0, 2], [-1, 1], [0, 1, 2]])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_axes(function: str, axes: list[int] | None, keepdims: int) -> None:
    data = _data(function, 3, 4, 5)
    given = [] if axes is None else [Known(np.asarray(axes))]
    assert_near(one_op(f"Reduce{function}", [data, *given], keepdims=keepdims))
    if function != "Sum" and axes != []:
        attribute = {} if axes is None else {"axes": axes}
        assert_near(one_op(f"Reduce{function}", [data], opset=11, keepdims=keepdims, **attribute))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("noop", [0, 1])
@pytest.mark.parametrize("absent", [False, True])
def test_empty_axes(function: str, noop: int, absent: bool) -> None:
    axes = None if absent else Known(np.zeros(0, np.int64))
    assert_near(one_op(f"Reduce{function}", [_data(function, 3, 4), axes], noop_with_empty_axes=noop))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_scalar(function: str) -> None:
    assert_near(one_op(f"Reduce{function}", [_data(function)]))


@pytest.mark.parametrize("function", ["L1", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"])
def test_integers(function: str) -> None:
    data = (random(3, 4, 5) * 3).astype(np.int32)
    assert_equal(one_op(f"Reduce{function}", [data, Known(np.asarray([1]))]))


@pytest.mark.parametrize("function", ["Max", "Min"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_extremes_of_integers(function: str, dtype: type[np.generic]) -> None:
    assert_equal(one_op(f"Reduce{function}", [random(3, 40, dtype=dtype), Known(np.asarray([1]))]))


def test_log_sum_exp_of_infinities() -> None:
    data = np.float32([[np.inf, 1, 2], [3, 4, -np.inf], [-np.inf] * 3, [500, 501, 502]])
    assert_near(one_op("ReduceLogSumExp", [data, Known(np.asarray([1]))]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("function", ["Max", "Mean", "Min", "Sum", "L2"])
def test_quantized(function: str, dtype: type[np.generic]) -> None:
    source = Quantized(random(8, 9, 7, dtype=dtype), Quantization(0.05, 3, dtype))
    scale = {"Sum": 0.317, "L2": 0.1273}.get(function, 0.0317)
    result = Quantization(scale, 5, dtype)
    assert_equal(one_op(f"Reduce{function}", [source, Known(np.asarray([1]))], result=result))


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
