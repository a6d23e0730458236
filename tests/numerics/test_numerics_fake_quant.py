"""TensorFlow's nudging, against ranges worked out by hand and a slow restatement."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qconvert import numerics
from qconvert.ir.quant_parameters import Storage
from qconvert.support.errors import ConversionError

EXAMPLES = settings(deadline=None, derandomize=True, database=None, max_examples=300)


@pytest.mark.parametrize(
    ("minimum", "maximum", "bits", "narrow", "nudged"),
    [  # the nudged minimum, maximum and scale, worked out by hand
        (-0.1, 63.65, 8, False, (0.0, 63.75, 0.25)),
        (-0.1, 63.4, 8, True, (0.0, 63.5, 0.25)),
        (-0.125, 63.625, 8, False, (-0.25, 63.5, 0.25)),
        (-0.1, 7.4, 4, False, (0.0, 7.5, 0.5)),
        (-0.1, 6.9, 4, True, (0.0, 7.0, 0.5)),
        (0.0, 63.75, 8, False, (0.0, 63.75, 0.25)),
        (2.0, 65.75, 8, False, (0.0, 63.75, 0.25)),
        (-65.75, -2.0, 8, False, (-63.75, 0.0, 0.25)),
        (-16384.0, 16383.5, 16, False, (-16384.0, 16383.5, 0.5)),
    ],
)
def test_known_ranges(
    minimum: float, maximum: float, bits: int, narrow: bool, nudged: tuple[float, float, float]
) -> None:
    scale, zero_point, low, high = numerics.nudge_fake_quant(minimum, maximum, bits, narrow)
    assert (low, high) == (int(narrow), 2**bits - 1)
    found = ((low - int(zero_point)) * float(scale), (high - int(zero_point)) * float(scale), float(scale))
    assert found == pytest.approx(nudged, rel=1e-6)


def test_per_channel_equals_each_channel_alone() -> None:
    minimum, maximum = np.array([-1.0, -0.1, 0.0], np.float32), np.array([1.0, 6.0, 3.0], np.float32)
    together = numerics.nudge_fake_quant(minimum, maximum, 8, True)
    assert together.scale.shape == together.zero_point.shape == (3,)
    assert together.scale.dtype == np.float32
    assert together.zero_point.dtype == np.int32
    for channel in range(3):
        alone = numerics.nudge_fake_quant(minimum[channel], maximum[channel], 8, True)
        assert alone.scale == together.scale[channel]
        assert alone.zero_point == together.zero_point[channel]


@pytest.mark.slow
@EXAMPLES
@given(st.floats(-1e6, 1e6, width=32), st.floats(-1e6, 1e6, width=32), st.integers(2, 16), st.booleans())
def test_nudging_equals_a_slow_restatement(minimum: float, maximum: float, bits: int, narrow: bool) -> None:
    assume(minimum < maximum and maximum - minimum > 1e-20)
    scale, zero_point, low, high = numerics.nudge_fake_quant(minimum, maximum, bits, narrow)
    step = (np.float32(maximum) - np.float32(minimum)) / np.float32(high - low)
    start = float(np.float32(low) - np.float32(minimum) / step)
    expected = low if start < low else high if start > high else math.floor(start) + (start % 1 >= 0.5)
    assert (float(scale), int(zero_point)) == (float(step), expected)


def test_zero_point_just_below_a_half_rounds_down() -> None:
    below_half = np.nextafter(np.float32(0.5), np.float32(0))
    nudged = numerics.nudge_fake_quant(-below_half, 254.5)
    assert (float(nudged.scale), int(nudged.zero_point)) == (1.0, 0)


def test_empty_range_at_zero_keeps_everything_near_zero() -> None:
    nudged = numerics.nudge_fake_quant(0.0, 0.0)
    assert float(nudged.scale) > 0
    assert 255 * float(nudged.scale) < 1e-35
    assert int(nudged.zero_point) == 0


@pytest.mark.parametrize(
    ("minimum", "maximum", "text"),
    [
        ([0.0, 3.0], [1.0, 2.0], r"the range \[3\.0, 2\.0\] \(channel 1\)"),
        ([1.0], [1.0], r"the range \[1\.0, 1\.0\] \(channel 0\)"),
        ([np.nan], [1.0], r"the range \[nan, 1\.0\]"),
        ([-3e38], [3e38], "cannot be quantized"),
        ([0.0], [np.inf], r"the range \[0\.0, inf\]"),
    ],
)
def test_unusable_ranges_are_refused(minimum: list[float], maximum: list[float], text: str) -> None:
    with pytest.raises(ConversionError, match=text):
        numerics.nudge_fake_quant(minimum, maximum)


@pytest.mark.parametrize("bits", [1, 17])
def test_unusable_widths_are_refused(bits: int) -> None:
    with pytest.raises(ConversionError, match=f"fake quantization to {bits} bits"):
        numerics.nudge_fake_quant(-1.0, 1.0, bits)


RANGES = [
    (-1.0, 1.0),
    (-0.1, 6.3),
    (0.0, 6.0),
    (0.5, 6.0),  # excludes zero
    (-6.0, -0.25),  # excludes zero
    (-1e-3, 1e3),
    (-3.3e4, 1e-5),
]


def published_range(minimum: float, maximum: float, steps: int) -> tuple[float, float]:
    """The adjusted range of the documentation of ``fake_quant_with_min_max_vars``, in float64."""
    if minimum > 0:
        return 0.0, maximum - minimum
    if maximum < 0:
        return minimum - maximum, 0.0
    scale = (maximum - minimum) / steps
    adjusted = scale * round(minimum / scale)
    return adjusted, maximum + adjusted - minimum


@pytest.mark.parametrize("signed", [False, True], ids=["unsigned", "signed"])
@pytest.mark.parametrize("narrow", [False, True], ids=["full", "narrow"])
@pytest.mark.parametrize("bits", range(2, 17))
@pytest.mark.parametrize(("minimum", "maximum"), RANGES)
def test_ranges_are_adjusted_as_published(
    minimum: float, maximum: float, bits: int, narrow: bool, signed: bool
) -> None:
    scale, zero_point, low, high = numerics.nudge_fake_quant(minimum, maximum, bits, narrow, signed=signed)
    lowest, highest = Storage.limits(bits, signed=signed)
    assert (low, high) == (lowest + narrow, highest)
    expected = published_range(minimum, maximum, high - low)
    found = (low - int(zero_point)) * float(scale), (high - int(zero_point)) * float(scale)
    position = minimum / (maximum - minimum) * (high - low)
    is_tie = abs(position % 1 - 0.5) < 1e-3  # zero half-way between two steps: both are as published
    tolerance = 1.001 * float(scale) if is_tie else 1e-6 * (maximum - minimum)
    assert found == pytest.approx(expected, abs=tolerance)


@pytest.mark.slow
@EXAMPLES
@given(st.floats(-1e6, 1e6, width=32), st.floats(-1e6, 1e6, width=32), st.integers(2, 16), st.booleans(), st.booleans())
def test_zero_is_exactly_representable(minimum: float, maximum: float, bits: int, narrow: bool, signed: bool) -> None:
    assume(minimum < maximum or minimum == maximum == 0)
    scale, zero_point, low, high = numerics.nudge_fake_quant(minimum, maximum, bits, narrow, signed=signed)
    assert low <= zero_point <= high
    stored = numerics.quantize_onnx(np.float32(0), scale, zero_point, low, high, np.int32)
    assert float(numerics.dequantize(stored, scale, zero_point, np.float32)) == 0.0


@pytest.mark.slow
@EXAMPLES
@given(st.floats(-1e6, 1e6, width=32), st.floats(-1e6, 1e6, width=32), st.integers(2, 16), st.booleans())
def test_the_sign_of_the_storage_moves_integers_only(minimum: float, maximum: float, bits: int, narrow: bool) -> None:
    assume(minimum < maximum)
    plain = numerics.nudge_fake_quant(minimum, maximum, bits, narrow)
    signed = numerics.nudge_fake_quant(minimum, maximum, bits, narrow, signed=True)
    offset = 1 << (bits - 1)
    assert signed.scale == plain.scale
    assert int(signed.zero_point) == int(plain.zero_point) - offset
    assert (signed.quant_min, signed.quant_max) == (plain.quant_min - offset, plain.quant_max - offset)


def tensorflow_kernel(x: np.ndarray, minimum: float, maximum: float, bits: int, narrow: bool) -> np.ndarray:
    """The arithmetic of TensorFlow's CPU kernel in float32: clamp, shift to the range's start, round half up."""
    one, half = np.float32(1), np.float32(0.5)
    low, high = np.float32(narrow), np.float32((1 << bits) - 1)
    if minimum == 0 and maximum == 0:
        return np.zeros_like(x)
    step = (np.float32(maximum) - np.float32(minimum)) / (high - low)
    start = low - np.float32(minimum) / step
    zero = low if start < low else high if start > high else np.float32(math.floor(float(start) + 0.5))
    first, last = (low - zero) * step, (high - zero) * step
    per_step = one / step
    shifted = np.clip(x, first, last) - first
    zero_steps = np.floor(-first * per_step + half)
    return np.asarray(np.floor(shifted * per_step - zero_steps + half) * step)


@pytest.mark.parametrize("narrow", [False, True], ids=["full", "narrow"])
@pytest.mark.parametrize("bits", [2, 3, 4, 7, 8, 12, 16])
@pytest.mark.parametrize(("minimum", "maximum"), RANGES)
def test_quantize_and_dequantize_is_what_tensorflow_computes(
    minimum: float, maximum: float, bits: int, narrow: bool
) -> None:
    """Equal everywhere but next to ties, which one rounds up and the other to even: one step there."""
    scale, zero_point, low, high = numerics.nudge_fake_quant(minimum, maximum, bits, narrow)
    middle, span = (minimum + maximum) / 2, maximum - minimum
    x = (middle + span * np.random.default_rng(0).uniform(-1, 1, 4000)).astype(np.float32)
    stored = numerics.quantize_onnx(x, scale, zero_point, low, high, np.int32)
    found = numerics.dequantize(stored, scale, zero_point, np.float32)
    expected = tensorflow_kernel(x, minimum, maximum, bits, narrow)
    steps = x.astype(np.float64) / float(scale)
    near_tie = np.abs(steps - np.floor(steps) - 0.5) < 1e-6 * np.maximum(1, np.abs(steps)) + 2.0**-7
    np.testing.assert_array_equal(found[~near_tie], expected[~near_tie])
    assert np.all(np.abs(found - expected) <= 1.001 * float(scale))
    assert near_tie.mean() < 0.25


def test_the_empty_range_is_zero_as_in_tensorflow() -> None:
    x = np.array([-3e38, -1.0, 0.0, 1e-30, 1.0, 3e38], np.float32)
    scale, zero_point, low, high = numerics.nudge_fake_quant(0.0, 0.0, 16, signed=True)
    stored = numerics.quantize_onnx(x, scale, zero_point, low, high, np.int16)
    found = numerics.dequantize(stored, scale, zero_point, np.float32)
    np.testing.assert_allclose(found, tensorflow_kernel(x, 0.0, 0.0, 16, False), atol=2.0**-110)
