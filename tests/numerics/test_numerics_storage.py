"""Storage ranges and the types that hold them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from qconvert import numerics
from qconvert.ir.quant_parameters import Storage


@pytest.mark.parametrize(
    ("width", "signed", "dtype", "low", "high"),
    [
        (2, True, ml_dtypes.int2, -2, 1),
        (2, False, ml_dtypes.uint2, 0, 3),
        (4, True, ml_dtypes.int4, -8, 7),
        (4, False, ml_dtypes.uint4, 0, 15),
        (8, True, np.int8, -128, 127),
        (8, False, np.uint8, 0, 255),
        (16, True, np.int16, -32768, 32767),
        (16, False, np.uint16, 0, 65535),
        (32, True, np.int32, -(2**31), 2**31 - 1),
        (32, False, np.uint32, 0, 2**32 - 1),
    ],
)
def test_values_beyond_the_range_saturate(width: int, signed: bool, dtype: type, low: int, high: int) -> None:
    assert Storage.limits(width, signed=signed) == (low, high)
    values = numerics.quantize_onnx(np.array([-1e10, 1e10]), 1.0, 0, low, high, dtype)
    assert values.astype(int).tolist() == [low, high]


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("bits", [2, 4])
def test_the_lowest_bits_of_every_byte_come_first(bits: int, signed: bool) -> None:
    every = np.arange(256, dtype=np.uint8)
    found = numerics.unpacked(every, bits, 256 * 8 // bits - 1, signed=signed)
    low = -(1 << (bits - 1)) if signed else 0
    plain = [byte >> shift & ((1 << bits) - 1) for byte in range(256) for shift in range(0, 8, bits)][:-1]
    expected = [value - (1 << bits) if signed and value >= 1 << (bits - 1) else value for value in plain]
    assert found.dtype == (np.int8 if signed else np.uint8)
    assert found.min() == low
    assert found.tolist() == expected
    packed = numerics.packed(found.view(np.uint8), bits)
    assert packed[:-1].tolist() == every[:-1].tolist()
    assert packed[-1] == 255 >> bits
