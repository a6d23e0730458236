"""Elementwise operators against onnxruntime."""

from __future__ import annotations

from typing import Any

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

EXACT_UNARY = ["Abs", "Ceil", "Floor", "Neg", "Round", "Sign", "Sqrt"]
CLOSE_UNARY = ["Cos", "Exp", "Log", "Sigmoid", "Sin", "Tan", "Tanh"]
ARITHMETIC = ["Add", "Sub", "Mul", "Div"]
NUMBERS = [np.float32, np.float64, np.float16, np.int32, np.int64, np.int8, np.uint8, np.uint32]


def assert_near(case: Case) -> None:
    """Functions that libraries round differently in the last place."""
    for found, expected in zip(ours(case), theirs(case), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-7)


def _operand(op_type: str, *sizes: int) -> Array:
    return np.abs(random(*sizes)) + np.float32(0.1) if op_type in ("Sqrt", "Log") else random(*sizes)


@pytest.mark.parametrize("op_type", EXACT_UNARY)
@pytest.mark.parametrize("sizes", [(200,), (3, 4, 5), ()])
def test_exact_unary(op_type: str, sizes: tuple[int, ...]) -> None:
    assert_equal(one_op(op_type, [_operand(op_type, *sizes)]))


@pytest.mark.parametrize("op_type", CLOSE_UNARY)
def test_close_unary(op_type: str) -> None:
    assert_near(one_op(op_type, [_operand(op_type, 200)]))


def test_round_takes_ties_to_even() -> None:
    assert_equal(one_op("Round", [np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, np.inf, np.nan])]))


@pytest.mark.parametrize("op_type", ["Abs", "Neg", "Sign"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int8])
def test_unary_of_integers(op_type: str, dtype: type[np.generic]) -> None:
    assert_equal(one_op(op_type, [random(100, dtype=dtype)]))


@pytest.mark.parametrize("op_type", [*EXACT_UNARY, *CLOSE_UNARY])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_unary_of_every_8_bit_input(op_type: str, dtype: type[np.generic]) -> None:
    limits = np.iinfo(np.dtype(dtype).name)
    every = np.arange(limits.min, limits.max + 1).astype(dtype)
    for scale, zero_point in ((0.031, limits.min + 101), (0.0172, limits.min)):
        positive = op_type in ("Sqrt", "Log")
        used = every[every.astype(int) > zero_point] if positive else every
        source = Quantized(used, Quantization(scale, zero_point, dtype))
        for result_scale in (1 / 256, 0.0137):
            assert_equal(one_op(op_type, [source], result=Quantization(result_scale, zero_point, dtype)))


def _divisible(op_type: str, values: Array) -> Array:
    no_zero = op_type in ("Div", "Mod") and values.dtype.kind in "iu"
    return np.where(values == 0, 1, values).astype(values.dtype) if no_zero else values


@pytest.mark.parametrize("op_type", [*ARITHMETIC, "Max", "Min"])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_binary_of_every_type(op_type: str, dtype: type[np.generic]) -> None:
    assert_equal(one_op(op_type, [random(3, 1, 40, dtype=dtype), _divisible(op_type, random(5, 1, dtype=dtype))]))


BROADCASTS = [((3, 4), (4,)), ((4,), (3, 4)), ((3, 1, 5), (1, 4, 1)), ((), (2, 3)), ((2, 3, 4), (3, 4)), ((1,), (1,))]


@pytest.mark.parametrize("op_type", ARITHMETIC)
@pytest.mark.parametrize(("left", "right"), BROADCASTS)
@pytest.mark.parametrize("known", [False, True])
def test_broadcasting(op_type: str, left: tuple[int, ...], right: tuple[int, ...], known: bool) -> None:
    rhs = random(*right, seed=1)
    assert_equal(one_op(op_type, [random(*left), Known(rhs) if known else rhs]))


def test_integer_division_cuts_towards_zero() -> None:
    dividends, divisors = np.int32([7, -7, 7, -7, 0]), np.int32([2, 2, -2, -2, 3])
    assert_equal(one_op("Div", [np.int8([-128, -128, 127, -127]), np.int8([1, 3, -128, -128])]))
    case = one_op("Div", [dividends, divisors])
    assert ours(case)[0].tolist() == [3, -3, -3, 3, 0]
    assert_equal(case)


@pytest.mark.parametrize("op_type", ARITHMETIC)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_binary_of_every_pair_of_8_bit_inputs(op_type: str, dtype: type[np.generic]) -> None:
    """All 65,536 pairs of integers; scales without exact ties."""
    limits = np.iinfo(np.dtype(dtype).name)
    every = np.arange(limits.min, limits.max + 1).astype(dtype)
    lhs = Quantized(every[:, None], Quantization(0.0371, limits.min + 101, dtype))
    divisors = every[every != every[77]] if op_type == "Div" else every
    rhs = Quantized(divisors, Quantization(0.0213, int(every[77]), dtype))
    assert_equal(one_op(op_type, [lhs, rhs], result=Quantization(0.0619, limits.min + 97, dtype)))


@pytest.mark.parametrize("op_type", ["Max", "Min", "Sum", "Mean"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_variadic(op_type: str, count: int) -> None:
    sizes = [(3, 4), (4,), (2, 1, 1), ()]
    assert_equal(one_op(op_type, [random(*sizes[i], seed=i) for i in range(count)]))


def test_nan_goes_through_extremes() -> None:
    data = np.float32([np.nan, 1, -np.inf])
    for op_type in ("Max", "Min"):
        assert_equal(one_op(op_type, [data, np.float32(0)]))


@pytest.mark.parametrize("op_type", ["And", "Or", "Xor"])
def test_logic(op_type: str) -> None:
    assert_equal(one_op(op_type, [random(9, 8, dtype=np.bool_), random(8, seed=1, dtype=np.bool_)]))
    assert_equal(one_op("Not", [random(8, dtype=np.bool_)]))


@pytest.mark.parametrize("op_type", ["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64])
def test_bitwise(op_type: str, dtype: type[np.generic]) -> None:
    assert_equal(one_op(op_type, [random(9, 8, dtype=dtype), random(8, seed=1, dtype=dtype)]))
    assert_equal(one_op("BitwiseNot", [random(8, dtype=dtype)]))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int8, np.uint8, np.uint32])
@pytest.mark.parametrize("fmod", [0, 1])
def test_mod(dtype: type[np.generic], fmod: int) -> None:
    divisors = _divisible("Mod", random(40, seed=1, dtype=dtype))
    assert_equal(one_op("Mod", [random(30, 40, dtype=dtype), divisors], fmod=fmod))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mod_of_floats(dtype: type[np.generic]) -> None:
    assert_equal(one_op("Mod", [random(30, 40, dtype=dtype), random(40, seed=1, dtype=dtype)], fmod=1))


@pytest.mark.parametrize("exponent", [np.int32(2), np.int64(3), np.float32(2), np.float32(3), np.float64(2)])
def test_small_powers(exponent: Any) -> None:
    assert_equal(one_op("Pow", [random(5, 40), Known(exponent)]))
    assert_near(one_op("Pow", [random(5, 40), exponent]))


@pytest.mark.parametrize("exponent", [np.float32(0.5), np.float32(-1.5), np.float64(0.1), np.int32(-2), np.int64(7)])
def test_powers(exponent: Any) -> None:
    assert_near(one_op("Pow", [np.abs(random(5, 40)), exponent]))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("exponent", [np.int32(3), np.int64(2), np.float32(2), np.float32(0.5)])
def test_powers_of_integers(dtype: type[np.generic], exponent: Any) -> None:
    assert_equal(one_op("Pow", [np.arange(0, 9).astype(dtype), exponent]))


def test_powers_broadcast_both_ways() -> None:
    assert_near(one_op("Pow", [np.abs(random(4)), random(3, 1, seed=1)]))
    assert_equal(one_op("Pow", [random(4), Known(np.full((3, 1), 2, np.float32))]))
    assert_equal(one_op("Pow", [random(4), Known(np.full((1, 1), 2, np.float32))]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("exponent", [2.0, 3.0, 0.5, 1.7])
def test_powers_of_every_8_bit_input(dtype: type[np.generic], exponent: float) -> None:
    limits = np.iinfo(np.dtype(dtype).name)
    source = Quantized(np.arange(limits.min, limits.max + 1), Quantization(0.0173, limits.min, dtype))
    assert_equal(one_op("Pow", [source, Known(np.float32(exponent))], result=Quantization(0.0371, limits.min, dtype)))


@pytest.mark.parametrize(
    ("op_type", "inputs", "message"),
    [
        ("Add", [random(3, 4), random(3)], r"shapes \[\[3, 4\], \[3\]\] do not broadcast together"),
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
