"""Observers against straightforward numpy: the same whatever the order and the batches, and as good as a search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from qconvert.quantization.calibration.histogram import SIDE, Histogram
from qconvert.quantization.calibration.method import METHODS, Method
from qconvert.quantization.calibration.observers import MinMax, MovingAverage
from qconvert.quantization.calibration.thresholds import entropy_range, mse_range, percentile_range
from qconvert.support.errors import UsageError
from tests.support.parameters import few

Array = NDArray[Any]

floats = st.floats(-(2.0**100), 2.0**100, width=32, allow_subnormal=False)
arrays = hnp.arrays(np.float32, st.integers(1, 200), elements=floats)


def histogram(*batches: Array) -> Histogram:
    filled = Histogram()
    for batch in batches:
        filled.add(batch)
    return filled


def counts(filled: Histogram) -> tuple[float, list[int], int, float, float]:
    return filled.width, filled.counts.tolist(), filled.zeros, filled.minimum, filled.maximum


@pytest.mark.slow
@given(arrays, st.integers(0, 200), st.randoms())
def test_a_histogram_knows_neither_order_nor_batches(x: Array, cut: int, random: Any) -> None:
    mixed = list(x)
    random.shuffle(mixed)
    split = [part for part in np.split(np.array(mixed, np.float32), [min(cut, len(x))]) if part.size]
    assert counts(histogram(x)) == counts(histogram(*split))


@pytest.mark.slow
@given(arrays)
@example(np.zeros(3, np.float32))
@example(np.array([-1, 1, 1e-30, 1e30], np.float32))
def test_a_histogram_counts_as_numpy_does(x: Array) -> None:
    filled = histogram(x)
    real = x.astype(np.float64)
    expected, _ = np.histogram(real[real != 0], filled.edges)
    assert real.max() < SIDE * filled.width  # numpy's last bin is closed
    np.testing.assert_array_equal(filled.counts, expected)
    assert filled.total == x.size
    assert (filled.minimum, filled.maximum) == (x.min(), x.max())
    if np.any(x):
        assert np.abs(real).max() >= SIDE / 2 * filled.width


@given(arrays, st.integers(1, 5))
def test_min_and_max(x: Array, parts: int) -> None:
    observer = MinMax()
    for part in np.array_split(x, parts):
        if part.size:
            observer.observe(part[None])
    assert observer.range() == (x.min(), x.max())


@given(hnp.arrays(np.float32, st.tuples(st.integers(1, 9), st.integers(1, 5)), elements=floats), st.floats(0, 1))
def test_moving_average(runs: Array, constant: float) -> None:
    observer = MovingAverage(constant)
    for part in np.array_split(runs, 3):
        if part.size:
            observer.observe(part)
    low, high = float(runs[0].min()), float(runs[0].max())
    for run in runs[1:]:
        low += constant * (float(run.min()) - low)
        high += constant * (float(run.max()) - high)
    assert observer.range() == (low, high)


@given(arrays, st.floats(50, 100))
def test_percentile(x: Array, percentile: float) -> None:
    filled = histogram(x)
    low, high = percentile_range(filled, percentile)
    cut = int(x.size * (100 - percentile) / 200)
    ordered = np.sort(x.astype(np.float64))
    exact_low, exact_high = ordered[cut], ordered[x.size - 1 - cut]
    assert exact_low - filled.width <= low <= exact_low
    assert exact_high <= high <= exact_high + filled.width
    if cut == 0:
        assert (low, high) == (x.min(), x.max())


def rounding_error(x: Array, low: float, high: float, bits: int) -> float:
    """The mean squared error of affine quantization, with a zero point that is no integer and exact zeros left out."""
    low, high = min(low, 0.0), max(high, 0.0)
    step = (high - low) / (2**bits - 1)
    real = x[x != 0].astype(np.float64)
    clipped = np.clip(real, low, high)
    return float(np.mean((low + np.rint((clipped - low) / step) * step - real) ** 2))


DISTRIBUTIONS = {
    "normal": lambda rng: rng.normal(0.3, 1, 20_000),
    "laplace": lambda rng: rng.laplace(0, 2, 20_000),
    "relu": lambda rng: np.maximum(rng.normal(-0.5, 3, 20_000), 0),
    "outlier": lambda rng: np.append(rng.normal(0, 1, 20_000), [50.0]),
    "negative": lambda rng: -np.abs(rng.normal(0, 1e-6, 20_000)),
    "uniform": lambda rng: rng.uniform(-3, 1, 20_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("name", few(DISTRIBUTIONS, 2))
def test_mse_is_as_good_as_a_search(name: str, bits: int) -> None:
    x = DISTRIBUTIONS[name](np.random.default_rng(7)).astype(np.float32)
    found = rounding_error(x, *mse_range(histogram(x), bits), bits)
    shares = np.linspace(1 / 48, 1, 48)
    lowest, highest = min(x.min(), 0), max(x.max(), 0)
    searched = min(
        rounding_error(x, low, high, bits)
        for low in (shares * lowest if lowest else [0.0])
        for high in (shares * highest if highest else [0.0])
    )
    assert found <= searched * 1.03
    assert found <= rounding_error(x, float(x.min()), float(x.max()), bits) * 1.001


def slow_entropy(x: Array, filled: Histogram, bits: int, candidates: list[int]) -> dict[int, float]:
    """The divergence for each threshold, one element of P and Q at a time."""
    magnitudes = np.abs(x[x != 0].astype(np.float64)) / filled.width
    counted = [0] * (SIDE + 1)
    for magnitude, is_positive in zip(magnitudes, x[x != 0] > 0, strict=True):
        is_edge = magnitude == int(magnitude) and not is_positive
        counted[int(magnitude) - is_edge] += 1
    levels = 2**bits if x.min() >= 0 or x.max() <= 0 else 2 ** (bits - 1)
    found = {}
    for kept in candidates:
        p, q = counted[:kept], [0.0] * kept
        for level in range(levels):
            part = range(level * kept // levels, (level + 1) * kept // levels)
            filled_bins = [i for i in part if p[i]]
            for i in filled_bins:
                q[i] = sum(p[j] for j in part) / len(filled_bins)
        p[-1] += sum(counted[kept:])
        pairs = [(a / sum(p), b / sum(q)) for a, b in zip(p, q, strict=True) if a]
        found[kept] = sum(a * np.log(a / b) if b else float("inf") for a, b in pairs)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", few(DISTRIBUTIONS, 2))
def test_entropy_takes_the_smallest_divergence(name: str) -> None:
    x = DISTRIBUTIONS[name](np.random.default_rng(3))[-3000:].astype(np.float32)
    filled = histogram(x)
    low, high = entropy_range(filled, 6)
    used = int(np.ceil(np.abs(x).max() / filled.width))
    levels = 64 if x.min() >= 0 or x.max() <= 0 else 32
    candidates = sorted({*np.linspace(used, levels, 128).astype(int).tolist()}, reverse=True)
    taken = max(-low if low > x.min() else 0, high if high < x.max() else 0) or float(np.abs(x).max())
    [chosen] = [kept for kept in candidates if kept == int(np.ceil(taken / filled.width))]
    divergence = slow_entropy(x, filled, 6, [chosen, *candidates[::12]])
    assert all(divergence[chosen] <= other + 1e-12 for other in divergence.values())


@pytest.mark.slow
@given(arrays, st.sampled_from([2, 4, 8, 16]))
def test_ranges_stay_within_what_was_seen(x: Array, bits: int) -> None:
    filled = histogram(x)
    for low, high in (mse_range(filled, bits), entropy_range(filled, bits)):
        assert x.min() <= low <= high <= x.max()
        assert low == x.min() or low < 0
        assert high == x.max() or high > 0


def test_methods_by_name() -> None:
    assert METHODS == ("minmax", "moving-average", "percentile", "mse", "entropy")
    assert Method.parse("percentile") == Method("percentile", 99.999)
    for text in ("minmax", "moving-average=0.25", "percentile=99.9", "mse=4", "entropy=8"):
        assert Method.parse(str(Method.parse(text))) == Method.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("median", "there is no calibration method 'median'; there are minmax, moving-average, percentile, mse, ent"),
        ("minmax=3", "calibration method minmax takes no parameter, found '3'"),
        ("percentile=101", "percentile '101' must be a number from 50 to 100"),
        ("percentile=", "percentile '' must be a number from 50 to 100"),
        ("percentile=nan", "percentile 'nan' must be"),
        ("mse=7.5", "bits '7.5' must be an integer from 2 to 16"),
        ("moving-average=-1", "constant '-1' must be a number from 0 to 1"),
    ],
)
def test_unknown_methods(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Method.parse(text)
