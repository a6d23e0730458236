"""From ranges and constants to parameters: 0 is exact, the range is covered, nothing is degenerate."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qconvert import numerics
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import f32
from qconvert.quantization.parameters import (
    Range,
    asymmetric,
    clipped,
    least_scales,
    of_product,
    on_storage,
    symmetric,
    symmetric_per_axis,
)
from tests.support.propagation import I8, I16, uniform

NARROW, UI8 = Storage(8, True, -127, 127), Storage.full(8, signed=False)
STORAGES = (I8, UI8, NARROW, I16, Storage(8, True, -64, 63), Storage(8, False, 1, 255), Storage.full(32, signed=True))
FLOATS = st.floats(-(2.0**100), 2.0**100, width=32)


@given(st.tuples(FLOATS, FLOATS), st.sampled_from(STORAGES))
def test_zero_is_exact_and_the_range_is_covered(ends: tuple[float, float], storage: Storage) -> None:
    low, high = min(ends), max(ends)
    found = asymmetric(Range(low, high), storage, f32)
    found.verify()
    assert storage.minimum <= found.zero_point <= storage.maximum
    assert found.scale == float(np.float32(found.scale))
    reached = Range.of_parameters(found)
    step = found.scale * (1 + (storage.maximum - storage.minimum) * 2.0**-22)  # what f32 makes of the scale
    assert reached.minimum - step <= min(low, 0.0)
    assert reached.maximum + step >= max(high, 0.0)
    assert reached.minimum <= 0.0 <= reached.maximum


@given(st.tuples(FLOATS, FLOATS), st.sampled_from((I8, NARROW, I16)))
def test_symmetric_parameters_have_the_whole_range(ends: tuple[float, float], storage: Storage) -> None:
    low, high = min(ends), max(ends)
    found = symmetric(Range(low, high), storage, f32)
    found.verify()
    assert found.zero_point == 0
    reached = Range.of_parameters(found)
    assert reached.maximum >= high * (1 - 2.0**-23) or abs(high) < 2.0**-110
    assert reached.minimum <= low * (1 - 2.0**-23) or abs(low) < 2.0**-110


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 6.0), (-3.7, 0.2), (1e-3, 5.0), (-5.0, -1.0)])
def test_full_and_narrow_ranges_are_nudged_as_tensorflow_does(low: float, high: float) -> None:
    for storage, signed, narrow in ((I8, True, False), (UI8, False, False), (NARROW, True, True), (I16, True, False)):
        nudged = numerics.nudge_fake_quant(min(low, 0.0), max(high, 0.0), storage.width, narrow, signed=signed)
        found = asymmetric(Range(low, high), storage, f32)
        assert (found.scale, found.zero_point) == (float(nudged.scale), int(nudged.zero_point))


@pytest.mark.parametrize("end", [0.0, 1e-44, -1e-40])
def test_nothing_but_zeros_has_scale_one(end: float) -> None:
    assert asymmetric(Range(min(end, 0.0), max(end, 0.0)), I8, f32) == uniform(1.0)
    assert asymmetric(Range(0.0, 0.0), Storage(8, True, 3, 9), f32).zero_point == 3
    assert symmetric(Range(min(end, 0.0), max(end, 0.0)), NARROW, f32) == uniform(1.0, 0, NARROW)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_slices_have_scales_of_their_own_and_those_of_zeros_the_largest(dtype: type) -> None:
    array = np.array([[1.0, 0.0, -0.5], [-2.0, 0.0, 0.25]]).astype(dtype)
    found = symmetric_per_axis(array, 1, NARROW, f32)
    assert found.scales.tolist() == [float(np.float32(value / 127)) for value in (2.0, 2.0, 0.5)]
    assert symmetric_per_axis(array * 0, 1, NARROW, f32).scales.tolist() == [1.0, 1.0, 1.0]
    grown = symmetric_per_axis(array, 1, NARROW, f32, np.array([0.0, 0.5, 3.0]))
    assert grown.scales.tolist() == [float(np.float32(2.0 / 127)), 0.5, 3.0]


def test_constants_are_cut_to_their_range() -> None:
    array = np.array([[1.0, -4.0], [9.0, 0.5]], np.float32)
    assert clipped(array, Range(-1.0, 2.0)).tolist() == [[1.0, -1.0], [2.0, 0.5]]
    assert clipped(array, Range(-4.0, 8.0, 1, ((0.0, 8.0), (-2.0, 0.0)))).tolist() == [[1.0, -2.0], [8.0, 0.0]]
    assert clipped(array, Range(-1.0, 2.0, 1, ((0.0, 8.0),) * 3)).tolist() == [[1.0, -1.0], [2.0, 0.5]]


def test_the_same_numbers_in_another_storage() -> None:
    assert on_storage(uniform(0.5, 131, UI8), I8) == uniform(0.5, 3)
    assert on_storage(uniform(0.5, 0, I8), NARROW) == uniform(0.5, 0, NARROW)
    assert on_storage(uniform(0.5, -128, I8), NARROW) is None
    assert on_storage(uniform(0.5), I16) is None


def test_products() -> None:
    rows = UniformQuantizedType.per_axis(NARROW, (0.5, 0.25), (0, 0), 3)
    wide = Storage.full(32, signed=True)
    assert of_product(uniform(0.1, 3), uniform(0.5), wide, None) == uniform(0.1 * 0.5, 0, wide)
    expected = UniformQuantizedType.per_axis(wide, (0.1 * 0.5, 0.1 * 0.25), (0, 0), 0)
    assert of_product(uniform(0.1, 3), rows, wide, 0) == expected
    assert of_product(uniform(0.1, 3), rows, wide, None) is None
    assert of_product(rows, rows, wide, 0) is None


@given(st.integers(1, 3000), st.floats(0.001, 100.0), st.sampled_from((I8, I16)), st.floats(0.0, 1e6))
def test_sums_fit_32_bits(count: int, size: float, storage: Storage, offset: float) -> None:
    random = np.random.default_rng(count)
    weights = (random.normal(size=(count, 2)) * size).astype(np.float32)
    bias = np.array([offset, 0.0], np.float32)
    activation = asymmetric(Range(-1.0, 3.0), storage, f32)
    least = least_scales(weights, bias, activation, 1)
    found = symmetric_per_axis(weights, 1, NARROW, f32, least)
    integers = np.abs(np.rint(weights / found.scales)).sum(0)
    reach = max(storage.maximum - activation.zero_point, activation.zero_point - storage.minimum)
    sums = integers.max() * reach + np.abs(bias / (found.scales * activation.scale)).max()
    assert sums < 2.0**31
