"""Pools: against the definition, onnxruntime's pools, and 32-bit sums that must not wrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper
from xdsl.ir import SSAValue

from qconvert.dialects.stablehlo import (
    AddOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    ReduceWindowOp,
    SubtractOp,
    UniformQuantizeOp,
    Window,
    binary_body,
    conversion,
)
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import f32, i8, i32, i64
from qconvert.support.errors import ConversionError

Array = npt.NDArray[Any]
Values = Callable[..., Sequence[SSAValue]]
Run = Callable[..., Any]

I8, I32 = Storage.full(8, signed=True), Storage.full(32, signed=True)
Q8 = UniformQuantizedType.per_tensor(I8, 0.5, 3)
Q32 = UniformQuantizedType.per_tensor(I32, 0.5)


def reference(x: Array, initial: Any, window: Any, function: Any) -> Array:
    """Every element of the window where it lies in the dilated, padded tensor, folded from the initial value."""
    result = np.full(window.result_shape(x.shape), initial, x.dtype)
    for at in np.ndindex(*result.shape):
        for tap in np.ndindex(*window.size):
            place = [
                divmod(a * stride + t * dilation - low, base)
                for a, t, stride, dilation, base, (low, _) in zip(
                    at, tap, window.strides, window.dilations, window.base_dilations, window.padding, strict=True
                )
            ]
            inside = all(not rest and 0 <= i < size for (i, rest), size in zip(place, x.shape, strict=True))
            result[at] = function(result[at], x[tuple(i for i, _ in place)] if inside else initial)
    return result


def pair(elements: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, Any]]:
    return st.tuples(elements, elements)


@st.composite
def windows(draw: st.DrawFn) -> Window:
    small = st.integers(1, 3)
    return Window.of(
        draw(pair(small)),
        strides=draw(pair(small)),
        base_dilations=draw(pair(small)),
        dilations=draw(pair(small)),
        padding=draw(pair(pair(st.integers(-1, 2)))),
    )


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    window=windows(),
    shape=pair(st.integers(2, 6)),
    row=st.sampled_from(
        [(MaximumOp, np.maximum, -50), (MinimumOp, np.minimum, 50), (AddOp, np.add, 2), (MultiplyOp, np.multiply, 1)]
    ),
    seed=st.integers(0, 999),
)
def test_one_op_bodies_follow_the_definition(
    values: Values, run: Run, window: Any, shape: tuple[int, int], row: Any, seed: int
) -> None:
    kind, function, initial = row
    x = np.random.default_rng(seed).integers(-3, 4, shape)
    op = ReduceWindowOp(*values((i64, shape), (i64, ())), window, [binary_body(kind, i64)])
    np.testing.assert_array_equal(run(op, x, np.int64(initial)), reference(x, initial, window, function))


def test_a_general_body_runs_in_row_major_order(values: Values, run: Run) -> None:
    x = np.random.default_rng(1).standard_normal((5, 6)).astype(np.float32)
    window = Window.of((2, 3), strides=(1, 2), padding=[(1, 0), (0, 1)])
    op = ReduceWindowOp(*values((f32, x.shape), (f32, ())), window, [binary_body(SubtractOp, f32)])
    expected = reference(x, np.float32(0.5), window, np.subtract)
    np.testing.assert_array_equal(run(op, x, np.float32(0.5)), expected)


def test_max_pool_is_onnxruntimes(values: Values, run: Run, ort: Run) -> None:
    x = np.random.default_rng(2).integers(-128, 128, (2, 3, 17, 18)).astype(np.int8)
    window = Window.of(
        (1, 1, 3, 2), strides=(1, 1, 2, 2), dilations=(1, 1, 2, 1), padding=[(0, 0), (0, 0), (1, 1), (0, 1)]
    )
    op = ReduceWindowOp(*values((Q8, x.shape), (Q8, ())), window, [binary_body(MaximumOp, Q8)])
    node = helper.make_node(
        "MaxPool", ["x"], ["y"], kernel_shape=[3, 2], strides=[2, 2], dilations=[2, 1], pads=[1, 0, 1, 1]
    )
    np.testing.assert_array_equal(run(op, x, np.int8(-128)), ort(node, x))


def test_a_float_sum_divided_is_onnxruntimes_average_pool(values: Values, run: Run, ort: Run) -> None:
    x = np.random.default_rng(3).standard_normal((2, 3, 20, 20), np.float32)
    window = Window.of((1, 1, 3, 3), strides=(1, 1, 2, 2))
    op = ReduceWindowOp(*values((f32, x.shape), (f32, ())), window, [binary_body(AddOp, f32)])
    node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2])
    np.testing.assert_allclose(run(op, x, np.float32(0)) / np.float32(9), ort(node, x), rtol=1e-5, atol=1e-6)


def test_conversions_apply_to_padding_and_to_each_result_once(values: Values, run: Run) -> None:
    x = np.random.default_rng(4).integers(-128, 128, (1, 2, 9, 9)).astype(np.int8)
    window = Window.of((1, 1, 2, 2), strides=(1, 1, 2, 2), padding=[(0, 0), (0, 0), (1, 0), (1, 0)])
    result = UniformQuantizedType.per_tensor(I8, 2.0, -10)
    parts = [
        conversion(Q8, lambda value: [UniformQuantizeOp(value, Q32)]),
        binary_body(AddOp, Q32),
        conversion(Q32, lambda value: [UniformQuantizeOp(value, result)]),
    ]
    op = ReduceWindowOp(*values((Q8, x.shape), (Q8, ())), window, parts)
    centred = np.pad(x.astype(np.int64) - 3, ((0, 0), (0, 0), (1, 0), (1, 0)))
    sums = centred.reshape(1, 2, 5, 2, 5, 2).sum((3, 5))
    np.testing.assert_array_equal(run(op, x, np.int8(3)), np.clip(np.rint(sums * 0.25 - 10), -128, 127))


def test_a_32_bit_sum_that_overflows_is_refused(values: Values, run: Run) -> None:
    x = np.full((1, 4), -(2**30), np.int32)
    op = ReduceWindowOp(*values((Q32, x.shape), (Q32, ())), Window.of((1, 4)), [binary_body(AddOp, Q32)])
    with pytest.raises(ConversionError, match=f"the accumulator reaches -{2**32}, outside its 32 bits"):
        run(op, x, np.int32(0))


def test_a_sum_that_only_might_overflow_is_exact(values: Values, run: Run) -> None:
    x = np.array([[2**31 - 1, -(2**31), 5]], np.int32)
    op = ReduceWindowOp(*values((Q32, x.shape), (Q32, ())), Window.of((1, 3)), [binary_body(AddOp, Q32)])
    assert run(op, x, np.int32(0)) == 4


def test_plain_integer_sums_wrap(values: Values, run: Run) -> None:
    x = np.full((1, 2), 100, np.int8)
    op = ReduceWindowOp(*values((i8, x.shape), (i8, ())), Window.of((1, 2)), [binary_body(AddOp, i8)])
    assert run(op, x, np.int8(0)) == np.int64(200).astype(np.int8)


def test_a_window_that_does_not_fit_gives_an_empty_result(values: Values, run: Run) -> None:
    x = np.zeros((2, 2), np.int32)
    op = ReduceWindowOp(*values((i32, x.shape), (i32, ())), Window.of((1, 3)), [binary_body(AddOp, i32)])
    assert run(op, x, np.int32(0)).shape == (2, 0)
