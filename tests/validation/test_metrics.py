"""How far apart two tensors are, with the values that are no numbers."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert.validation.figures.measures import Differences
from qconvert.validation.figures.metrics import difference, same_top1
from qconvert.validation.measuring.outputs_and_layers import measure_output, output_report
from qconvert.validation.sampling.classes import Classes

INF, NAN = math.inf, math.nan


def f32(*values: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.array(values, np.float32)


Array: TypeAlias = NDArray[Any]


def sqnr_db(reference: Array, found: Array) -> float | None:
    return measure_output([reference], [found], [], None).sqnr_db


def test_equal_infinities_and_nans_do_not_differ() -> None:
    a, b = f32(INF, -INF, NAN, 1, INF, NAN), f32(INF, -INF, NAN, 1.5, -INF, 0)
    np.testing.assert_array_equal(difference(a, b), [0, 0, 0, 0.5, INF, NAN])
    assert Differences.of(a, b).exact == 0.5


def test_differences_of_extreme_integers_do_not_wrap() -> None:
    assert Differences.of(np.array([-128], np.int8), np.array([127], np.int8)).largest == 255
    assert Differences.of(np.array([0], np.uint8), np.array([255], np.uint8)).largest == 255


def test_no_elements_are_equal() -> None:
    assert Differences.of(f32(), f32()).exact == 1.0
    assert Differences.of(f32(), f32()).largest == 0.0


def test_relative_differences_are_of_the_largest_magnitude() -> None:
    assert Differences.of(f32(0.5, -4), f32(0.75, -4)).relative == 0.0625
    assert Differences.of(f32(1, INF), f32(2, INF)).relative == 1.0
    assert Differences.of(f32(0), f32(0)).relative == Differences.of(f32(), f32()).relative == 0.0
    assert Differences.of(f32(0), f32(1)).relative == INF
    integers = measure_output([np.array([1], np.int8)], [np.array([2], np.int8)], [], None)
    assert output_report("integers", integers, None)[0].max_rel is None


def test_signal_to_noise() -> None:
    assert sqnr_db(f32(3, 4), f32(3, 4.5)) == pytest.approx(20.0)
    assert sqnr_db(np.array([100], np.uint8), np.array([90], np.uint8)) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("a", "b"), [((1, 2), (1, 2)), ((0, 0), (1, 1)), ((1, 2), (1, NAN)), ((INF, 1), (1, 1)), ((NAN, 1), (NAN, 2))]
)
def test_no_decibels_without_finite_signal_and_noise(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    assert sqnr_db(f32(*a), f32(*b)) is None


@pytest.mark.parametrize(
    ("reference", "found", "agree", "counts"),
    [
        ((1, 3, 0), (0, 4, 0), True, False),
        ((1.0, 1.5, 0), (1.5, 1.0, 0), False, False),  # one step: a tie may have moved either
        ((1.0, 2.0, 0), (1.5, 1.0, 0), False, False),  # the second is not sure
        ((1.0, 2.0, 0), (2.0, 1.0, 0), False, True),
        ((1, 3, 0), (NAN, NAN, NAN), False, True),
        ((1, 3, 0), (1, NAN, 0), False, True),
        ((NAN, NAN, NAN), (NAN, NAN, NAN), True, False),
        ((INF, INF, 0), (0, INF, INF), False, False),
        ((INF, 1, 0), (1, INF, 0), False, True),
    ],
)
def test_the_best_class(reference: tuple[float, ...], found: tuple[float, ...], agree: bool, counts: bool) -> None:
    assert same_top1(f32(*reference), f32(*found), lsb=0.5) == (agree, counts)


def test_a_step_may_be_a_rounding_larger() -> None:
    step = 0.1
    assert same_top1(f32(0.1, 0.2), f32(0.2, 0.1), step) == (False, False)


def test_an_output_over_its_samples() -> None:
    reference, found = [f32(0, 1), f32(2, 0)], [f32(0, 1), f32(2, 0.25)]
    measure = measure_output(reference, found, reference, 0.25, classes=Classes.SCORES)
    report, disagreements = output_report("y", measure, 0.25)
    assert (report.exact, report.max_lsb, report.max_abs, report.top1) == (0.75, 1, 0.25, 1.0)
    assert (report.exact_reference_optimised, report.distinct) == (1.0, 3)
    assert disagreements == 0


def test_an_output_that_is_no_number_has_figures_json_can_say() -> None:
    measure = measure_output([f32(0, 9)], [f32(0, NAN)], [f32(0, 9)], 0.25, classes=Classes.SCORES)
    report, disagreements = output_report("y", measure, 0.25)
    assert report.max_lsb is None
    assert report.max_abs == np.finfo(np.float64).max
    assert report.sqnr_db is None
    assert (report.top1, disagreements) == (0.0, 1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
@pytest.mark.parametrize("share", [0.0, 0.01, 1.0])
def test_integers_have_the_differences_of_equal_floats(
    dtype: type[np.integer], share: float, random: np.random.Generator
) -> None:
    limits = np.iinfo(dtype)
    a, b = (random.integers(limits.min, limits.max, 1000, endpoint=True).astype(dtype) for _ in range(2))
    b = np.where(random.random(1000) < share, b, a)
    for part in (slice(0), slice(1), slice(1000)):
        found = Differences.of(a[part], b[part])
        assert found == Differences.of(a[part].astype(np.float64), b[part].astype(np.float64))
