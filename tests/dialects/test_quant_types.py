"""Tests of what a quantized type's scales may be."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage

INT8 = Storage.full(8, signed=True)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf, -math.inf])
def test_one_wrong_scale_of_many_is_refused(wrong: float, place: int) -> None:
    scales = np.ones(3)
    scales[place] = wrong
    with pytest.raises(VerifyException, match=f"scale {wrong} is not a finite number above 0"):
        UniformQuantizedType.per_axis(INT8, scales, np.zeros(3, np.int64), 0)


def test_scales_whose_sum_is_infinite_are_fine() -> None:
    largest = sys.float_info.max
    assert UniformQuantizedType.per_axis(INT8, (largest, largest), (0, 0), 0).data.scales == (largest, largest)


@pytest.mark.parametrize("place", range(3))
def test_one_wrong_zero_point_of_many_is_refused(place: int) -> None:
    zero_points = [0, 0, 0]
    zero_points[place] = 128
    with pytest.raises(VerifyException, match="zero point 128 is outside the storage range of i8"):
        UniformQuantizedType.per_axis(INT8, np.ones(3), np.asarray(zero_points), 0)
