"""Tests of what a quantized type's scales may be."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import f32
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from qconvert.frontends.mlir.context import make_context
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import CompactNumbers, Storage, UniformParameters

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


def blocks(scales: ArrayLike, zero_points: ArrayLike, count: int = 4) -> UniformQuantizedType:
    """Return a type of ``count`` blocks of two elements."""
    numbers = CompactNumbers(scales), CompactNumbers(zero_points)
    return UniformQuantizedType(UniformParameters(INT8, f32, *numbers, None, ((0, 2),), (count,)))


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf])
def test_one_wrong_scale_of_many_blocks_is_refused(wrong: float, place: int) -> None:
    scales = np.ones(4)
    scales[place] = wrong
    with pytest.raises(VerifyException, match=f"scale {wrong} is not a finite number above 0"):
        blocks(scales, np.zeros(4, np.int64))


@pytest.mark.parametrize("wrong", [128, -129, 1 << 40, 1 << 63, 1 << 70])
def test_one_wrong_zero_point_of_many_blocks_is_refused(wrong: int) -> None:
    with pytest.raises(VerifyException, match=r"zero point \S+ is outside the storage range of i8"):
        blocks(np.ones(4), [0, wrong, 1, 2])


def test_types_of_blocks_are_equal_where_their_numbers_are() -> None:
    type, scales = blocks([0.5, 0.1, 2, 3], [0, 1, 2, 3]), (0.5, 0.1, 2.0, 3.0)
    same = UniformQuantizedType(UniformParameters(INT8, f32, scales, (0, 1, 2, 3), None, ((0, 2),), (4,)))
    assert (type, hash(type)) == (same, hash(same))
    assert type.data.scales is not same.data.scales
    assert type != blocks([0.5, 0.1, 2, 3], [0, 1, 2, 4])
    assert type != blocks([0.5, np.float32(0.1), 2, 3], [0, 1, 2, 3])
    assert type.scales.tolist() == list(scales)
    assert type.unsigned.zero_points.tolist() == [128, 129, 130, 131]
    assert type.unsigned.signed == type
    assert str(type) == "!quant.uniform<i8:f32:{0:2}, {0.5, 0.1:1, 2.0:2, 3.0:3}>"


def test_numbers_of_blocks_are_held_in_few_bytes() -> None:
    scales, ones = CompactNumbers(np.arange(1, 1001, dtype=np.float64)), CompactNumbers(np.full(1000, 7))
    assert np.asarray(scales).nbytes == 4000
    assert np.asarray(ones).strides == (0,)
    assert np.asarray(CompactNumbers([0.1, 0.2])).dtype == np.float64
    assert ones[:10] == CompactNumbers([7] * 10)
    assert ones != CompactNumbers([7] * 10)
    assert [scales[-1], *scales[2:4]] == [1000.0, 3.0, 4.0]
    assert hash(scales[:0]) == hash(CompactNumbers([]))
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(scales)[0] = 1


def test_many_numbers_of_an_axis_are_held_in_few_bytes() -> None:
    scales = np.linspace(0.5, 1, 2048).astype(np.float32)
    type = UniformQuantizedType.per_axis(INT8, scales, np.zeros(2048, np.int64), 0)
    listed = UniformParameters(INT8, f32, tuple(scales.tolist()), (0,) * 2048, 0)
    assert (type.data, hash(type.data)) == (listed, hash(listed))
    assert np.asarray(type.data.scales).nbytes == 4 * 2048
    assert type.unsigned.zero_points.tolist() == [128] * 2048
    assert type.unsigned.signed == type
    few = replace(type.data, scales=type.data.scales[:8], zero_points=type.data.zero_points[:8])
    assert few == UniformParameters(INT8, f32, tuple(scales[:8].tolist()), (0,) * 8, 0)


@pytest.mark.parametrize("text", ["{0.5,2.5e-3:-3,3.0:0}", "{ 0.5 , 2.5e-3:-3\n, 3.0}", "{0.5, 2.5e-3 : -3, 3.0}"])
def test_lists_of_scales_read_alike_however_they_are_spelled(text: str) -> None:
    type = Parser(make_context(), f"!quant.uniform<i8:f32:0, {text}>").parse_type()
    assert isinstance(type, UniformQuantizedType)
    assert (type.scales.tolist(), type.zero_points.tolist()) == ([0.5, 2.5e-3, 3.0], [0, -3, 0])
