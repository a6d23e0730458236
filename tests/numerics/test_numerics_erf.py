"""erf against the C library's, and the float32 decomposition against erf."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qconvert import numerics
from qconvert.dialects.composite import ErfOp
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.passes.composites.decompose_composites import DecomposeComposites

EXAMPLES = settings(deadline=None, derandomize=True, database=None, max_examples=300)

SPLITS = [1.0, 1.125, 4.0, 6.0]


def library(x: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return np.array([math.erf(value) for value in x.astype(np.float64).tolist()])


def in_primitives(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The decomposition of erf into primitive ops, evaluated."""
    type = f"tensor<{x.size}xf32>"
    module = parse_module(f"""
func.func @main(%x: {type}) -> {type} {{
  %0 = "qconvert.erf"(%x) : ({type}) -> {type}
  return %0 : {type}
}}""")
    DecomposeComposites().apply(module)
    assert not any(isinstance(op, ErfOp) for op in module.walk())
    return evaluate(module, [x])[0]


def samples() -> npt.NDArray[np.float64]:
    random = np.random.default_rng(4)
    spread = np.exp(random.uniform(np.log(1e-300), np.log(8), 20000))
    around = np.concatenate([np.nextafter(split, [0, 9]) for split in SPLITS] + [np.array(SPLITS)])
    return np.concatenate([spread, random.uniform(0, 7, 60000), around])


def test_float64_is_within_two_ulp_of_the_library() -> None:
    x = samples()
    expected = library(x)
    ulp = np.abs(numerics.erf(x) - expected) / np.spacing(expected)
    assert ulp.max() <= 2
    assert ulp.mean() < 0.5


def test_float32_is_the_rounded_float64() -> None:
    x = samples()[20000:].astype(np.float32)
    assert numerics.erf(x).dtype == np.float32
    expected = library(x).astype(np.float32)
    # A result next to a rounding boundary may round the other way: 2 ulp of float64 in 2^29.
    assert (numerics.erf(x) != expected).mean() < 1e-4
    np.testing.assert_allclose(numerics.erf(x), expected, rtol=2.0**-23)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_values(dtype: type) -> None:
    x: npt.NDArray[Any] = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e-45, 1e38, -30.0], dtype)
    result = numerics.erf(x)
    assert np.signbit(result[:2]).tolist() == [False, True]
    assert result[2:4].tolist() == [1.0, -1.0]
    assert np.isnan(result[4])
    assert result[-2:].tolist() == [1.0, -1.0]
    assert result[5:7].tolist() == library(x[5:7]).astype(dtype).tolist()
    assert numerics.erf(0.5).shape == ()


@pytest.mark.slow
@EXAMPLES
@given(st.floats(allow_nan=False))
def test_erf_is_odd_and_bounded(x: float) -> None:
    value = float(numerics.erf(x))
    assert value == -float(numerics.erf(-x))
    assert abs(value) <= 1
    assert math.isclose(value, math.erf(x), rel_tol=4.5e-16, abs_tol=5e-324)


@pytest.mark.slow
def test_primitive_float32_form_is_within_two_ulp_for_every_seventh_float() -> None:
    first, last = (np.array(limit, np.float32).view(np.int32) for limit in (2.0**-12, 4.25))
    x = np.arange(first, last, 7, dtype=np.int32).view(np.float32)
    expected = numerics.erf(x.astype(np.float64))
    error = np.abs(in_primitives(x) - expected) / np.spacing(expected.astype(np.float32))
    assert error.max() <= 2


def test_primitive_float32_form_saturates_and_keeps_signs() -> None:
    x = np.array([4.0, 100.0, np.inf, -4.0, -np.inf, 0.0, 1e-45], np.float32)
    expected = library(x).astype(np.float32)
    np.testing.assert_array_equal(in_primitives(x), expected)
    assert np.isnan(in_primitives(np.array([np.nan], np.float32))).all()
    symmetric = np.linspace(0, 5, 1001, dtype=np.float32)
    np.testing.assert_array_equal(in_primitives(-symmetric), -in_primitives(symmetric))


def test_float32_coefficients_are_exact_in_float32() -> None:
    for table in (numerics.ERF_F32_NUMERATOR, numerics.ERF_F32_DENOMINATOR, numerics.ERF_F32_TAIL):
        assert [float(np.float32(value)) for value in table] == list(table)
