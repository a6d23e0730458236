"""Storage ranges and the types that hold them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from qconvert import numerics
from qconvert.support.errors import ConversionError


@pytest.mark.parametrize(
    ("width", "signed", "dtype", "low", "high"),
    [
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
def test_range_and_type(width: int, signed: bool, dtype: type, low: int, high: int) -> None:
    assert numerics.storage_range(width, signed) == (low, high)
    assert numerics.storage_range(width, signed, narrow=True) == (low + 1, high)
    assert numerics.numpy_storage_dtype(width, signed) == np.dtype(dtype)


@pytest.mark.parametrize(
    ("width", "signed", "dtype"),
    [(2, True, ml_dtypes.int2), (2, False, ml_dtypes.uint2), (3, False, ml_dtypes.uint4), (6, True, np.int8)],
)
def test_the_smallest_type_that_holds_the_width(width: int, signed: bool, dtype: type) -> None:
    assert numerics.numpy_storage_dtype(width, signed) == np.dtype(dtype)
    low, high = numerics.storage_range(width, signed)
    values = numerics.quantize_onnx(np.array([-1e3, 1e3]), 1.0, 0, low, high, dtype)
    assert values.astype(int).tolist() == [low, high]


@pytest.mark.parametrize("width", [0, 1, 33, 64])
def test_other_widths_are_refused(width: int) -> None:
    with pytest.raises(ConversionError, match=f"a storage type of {width} bits is not supported"):
        numerics.numpy_storage_dtype(width, True)
