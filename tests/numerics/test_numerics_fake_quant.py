"""TensorFlow's nudging, against ranges worked out by hand and a slow restatement."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qconvert import numerics
from qconvert.errors import ConversionError

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
