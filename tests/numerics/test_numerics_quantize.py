"""quantize and dequantize against onnxruntime's kernels, and the two orders of adding the zero point."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from qconvert import numerics

EXAMPLES = settings(deadline=None, derandomize=True, database=None, max_examples=300)

Array = npt.NDArray[Any]
Kernel = Callable[[Array, float, int, int], Array]

STORAGE = {
    "int8": (TensorProto.INT8, -128, 127, np.int8),
    "uint8": (TensorProto.UINT8, 0, 255, np.uint8),
    "int16": (TensorProto.INT16, -32768, 32767, np.int16),
    "uint16": (TensorProto.UINT16, 0, 65535, np.uint16),
    "int4": (TensorProto.INT4, -8, 7, ml_dtypes.int4),
    "uint4": (TensorProto.UINT4, 0, 15, ml_dtypes.uint4),
}
SCALES = [1.0, 0.5, 0.03125, 0.1, 0.0078431377, 3.7e-5]
FINITE = [3.4e38, 3e9, 2147483648.0, 2147483520.0, 70000.0, 65535.5, 32767.5, 255.5, 128.5, 127.5, 1e-38, 1e-45, 0.0]
SPECIAL = np.array([np.nan, -np.nan, np.inf, -np.inf, *FINITE, *(-value for value in FINITE)], np.float32)


def near_ties(scale: float, low: int, high: int) -> npt.NDArray[np.float32]:
    """Every multiple of half a step in a range, with its float32 neighbours on both sides."""
    middle = (np.arange(2 * low, 2 * high + 1) / 2 * np.float32(scale)).astype(np.float32)
    above, below = np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, np.float32(-np.inf))
    return np.concatenate([middle, above, below])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("zero_point", [0, 3, "min", "max", "odd"])
@pytest.mark.parametrize("storage", STORAGE)
def test_quantize_onnx_equals_onnxruntime(
    quantize_linear: Kernel, storage: str, zero_point: int | str, scale: float
) -> None:
    onnx_type, low, high, dtype = STORAGE[storage]
    zero = {"min": low, "max": high, "odd": low // 2 * 2 + 5}.get(str(zero_point), zero_point)
    x = near_ties(scale, -300, 300)
    expected = quantize_linear(x, scale, int(zero), onnx_type)
    result = numerics.quantize_onnx(x, scale, zero, low, high, dtype)
    assert result.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(result.astype(np.float32), expected)


@pytest.mark.parametrize("zero_point", [0, 3])
@pytest.mark.parametrize("storage", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-38, 1e30])
def test_special_values_equal_onnxruntime(quantize_linear: Kernel, storage: str, scale: float, zero_point: int) -> None:
    onnx_type, low, high, dtype = STORAGE[storage]
    # Each value fills its own tensor as well, because onnxruntime's vector and tail code differ.
    for count in (1, 3, 33):
        x = np.repeat(SPECIAL, count)
        expected = quantize_linear(x, scale, zero_point, onnx_type)
        result = numerics.quantize_onnx(x, scale, zero_point, low, high, dtype)
        np.testing.assert_array_equal(result.astype(np.float32), expected)


def test_nan_and_infinity_without_an_engine() -> None:
    x = np.array([np.nan, np.inf, -np.inf], np.float32)
    for quantize, of_nan in ((numerics.quantize_onnx, -128), (numerics.quantize_stablehlo, 0)):
        assert quantize(x, 0.1, 3, -128, 127, np.int8).tolist() == [of_nan, 127, -128]
        assert quantize(x.astype(np.float16), 0.1, 3, 0, 15, ml_dtypes.uint4).astype(int).tolist() == [0, 15, 0]
        assert quantize(x[:1], 0.1, 3, 2, 9, np.int8).tolist() == [2]


def test_float16_divides_in_float32_as_onnxruntime_does(quantize_linear: Kernel) -> None:
    x = np.arange(-30000, 30000, 7).astype(np.float16) / np.float16(64)
    scale = np.float16(0.0123)
    expected = quantize_linear(x, float(scale), 3, TensorProto.INT16)
    result = numerics.quantize_onnx(x, scale, 3, -32768, 32767, np.int16)
    np.testing.assert_array_equal(result, expected)
    narrow = np.rint(x / scale).astype(np.float32) + 3
    assert (narrow != expected).any(), "the sample does not tell the two divisions apart"


@pytest.mark.parametrize("storage", ["int8", "uint8"])
def test_onnx_order_is_exact_on_every_half_step(storage: str) -> None:
    _, low, high, dtype = STORAGE[storage]
    halves = np.arange(4 * low - 8, 4 * high + 8)
    for zero in range(low, high + 1, 17):
        result = numerics.quantize_onnx(halves.astype(np.float32) / 2, 1.0, zero, low, high, dtype)
        expected = [min(max(round(Fraction(int(half), 2)) + zero, low), high) for half in halves]
        assert result.tolist() == expected


@pytest.mark.parametrize("zero", [-128, -3, 0, 4, 77, 127])
def test_stablehlo_order_is_exact_on_every_half_step(zero: int) -> None:
    halves = np.arange(-700, 700)
    result = numerics.quantize_stablehlo(halves.astype(np.float32) / 2, 1.0, zero, -128, 127, np.int8)
    expected = [round(min(max(Fraction(int(half), 2) + zero, Fraction(-128)), Fraction(127))) for half in halves]
    assert result.tolist() == expected


def test_orders_differ_on_ties_with_odd_zero_point_only() -> None:
    x = near_ties(1.0, -60, 60)
    tie = numerics.is_tie(x)
    for zero in (2, 3):
        onnx = numerics.quantize_onnx(x, 1.0, zero, -128, 127, np.int8)
        stablehlo = numerics.quantize_stablehlo(x, 1.0, zero, -128, 127, np.int8)
        # Adding in float32 also turns the closest neighbours of a tie into ties; they are not counted here.
        apart = np.abs(x - np.rint(x * 2) / 2) > 1e-5
        assert ((onnx != stablehlo)[tie] == (zero == 3)).all()
        assert (onnx == stablehlo)[apart | (x == np.rint(x))].all()


def test_scale_and_zero_point_broadcast() -> None:
    x = np.array([[1.0, 2.0], [1.0, 2.0]], np.float32)
    result = numerics.quantize_onnx(x, np.array([[0.5], [0.25]]), np.array([[1], [-1]]), -128, 127, np.int8)
    assert result.tolist() == [[3, 5], [3, 7]]
    back = numerics.dequantize(result, np.array([[0.5], [0.25]]), np.array([[1], [-1]]))
    np.testing.assert_array_equal(back, x)


def test_int32_storage_keeps_all_bits_and_saturates() -> None:
    x = np.array([2147483000.0, 1e10, -1e10, 16777217.0, np.nan], np.float64)
    for quantize, of_nan in ((numerics.quantize_onnx, -(2**31)), (numerics.quantize_stablehlo, 0)):
        result = quantize(x, 1.0, 0, -(2**31), 2**31 - 1, np.int32)
        assert result.tolist() == [2147483000, 2**31 - 1, -(2**31), 16777217, of_nan]


def test_float32_saturates_to_int32_bounds_it_cannot_represent() -> None:
    x = np.array([1e10, -1e10, np.inf], np.float32)
    for quantize in (numerics.quantize_onnx, numerics.quantize_stablehlo):
        assert quantize(x, 1.0, 0, -(2**31), 2**31 - 1, np.int32).tolist() == [2**31 - 1, -(2**31), 2**31 - 1]


def test_sub_range_storage_bounds_are_kept() -> None:
    x = np.array([-1e3, 1e3], np.float32)
    assert numerics.quantize_onnx(x, 1.0, 0, -127, 100, np.int8).tolist() == [-127, 100]


@pytest.mark.parametrize("zero_point", [0, -77, 5])
@pytest.mark.parametrize(("dtype", "expressed"), [(np.int8, np.float32), (np.int8, np.float16), (np.int16, np.float32)])
def test_dequantize_equals_onnxruntime_on_every_value(
    dequantize_linear: Kernel, dtype: type, expressed: type, zero_point: int
) -> None:
    bits = 8 * np.dtype(dtype).itemsize
    q: Array = np.arange(-(1 << bits - 1), 1 << bits - 1).astype(dtype)
    for scale in (0.1, 0.00071, 1e-40, 3e38) if expressed is np.float32 else (0.1, 0.00071, 6e-8, 6e4):
        kind = TensorProto.FLOAT if expressed is np.float32 else TensorProto.FLOAT16
        expected = dequantize_linear(q, float(expressed(scale)), zero_point, kind)
        result = numerics.dequantize(q, scale, zero_point, expressed)
        assert result.dtype == np.dtype(expressed)
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_dequantize_unsigned_equals_onnxruntime(dequantize_linear: Kernel, dtype: type) -> None:
    q: Array = np.arange(1 << 8 * np.dtype(dtype).itemsize).astype(dtype)
    expected = dequantize_linear(q, 0.0123, 129, TensorProto.FLOAT)
    np.testing.assert_array_equal(numerics.dequantize(q, 0.0123, 129), expected)


def test_dequantize_wide_integers_equals_onnxruntime(dequantize_linear: Kernel) -> None:
    q = np.random.default_rng(0).integers(-(2**31), 2**31, 50000).astype(np.int32)
    expected = dequantize_linear(q, 0.1, 0, TensorProto.FLOAT)
    np.testing.assert_array_equal(numerics.dequantize(q, 0.1, 0), expected)
    half = dequantize_linear((q >> 16).astype(np.int16), float(np.float16(0.00071)), -77, TensorProto.FLOAT16)
    np.testing.assert_array_equal(numerics.dequantize(q >> 16, 0.00071, -77, np.float16), half)


def test_dequantize_subtracts_in_int32_and_reads_four_bits() -> None:
    assert numerics.dequantize(np.array([2**31 - 1], np.int32), 1.0, -1).tolist() == [-(2.0**31)]
    q = np.arange(-8, 8).astype(ml_dtypes.int4)
    assert numerics.dequantize(q, 0.5, -8).tolist() == [step / 2 for step in range(16)]
    assert numerics.dequantize(np.int8(5), 0.1, 0, np.float64).item() == 5 * 0.1


@pytest.mark.slow
@EXAMPLES
@given(
    st.lists(st.floats(width=32), min_size=1, max_size=40),
    st.floats(2.0**-60, 2.0**60, width=32),
    st.integers(0, 255),
)
def test_quantize_is_the_formula(values: list[float], scale: float, zero: int) -> None:
    x = np.array(values, np.float32)
    result = numerics.quantize_onnx(x, scale, zero, 0, 255, np.uint8)
    with np.errstate(all="ignore"):
        quotients = (x / np.float32(scale)).tolist()
    for quotient, found in zip(quotients, result.tolist(), strict=True):
        limited = 0.0 if np.isnan(quotient) else min(max(quotient, -1e6), 1e6)
        assert found == (0 if np.isnan(quotient) else min(max(round(Fraction(limited)) + zero, 0), 255))
