"""Linear resizes between different scales, written as TFLite, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.engines import litert
from tests.support.onnx_cases import Known, Quantization, Quantized, one_op, theirs

pytestmark = pytest.mark.litert


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("coordinates", ["half_pixel", "asymmetric", "align_corners"])
def test_values_beyond_the_results_range_are_interpolated_before_they_saturate(dtype: type, coordinates: str) -> None:
    """The result's scale is a third of the operand's: two of three pixels saturate."""
    middle = 128 if dtype is np.uint8 else 0
    values = np.random.default_rng(1).integers(middle - 120, middle + 120, (1, 2, 4, 6)).astype(dtype)
    case = one_op(
        "Resize",
        [
            Quantized(values, Quantization(0.03, middle, dtype)),
            None,
            Known(np.asarray([1, 1, 2, 2], np.float32)),
        ],
        result=Quantization(0.01, middle, dtype),
        mode="linear",
        coordinate_transformation_mode=coordinates,
    )
    content = convert(load(case.model), Format.TFLITE).content
    assert content is not None
    [found] = litert.run(content, {name: np.asarray(array) for name, array in case.feeds.items()}).values()
    [expected] = theirs(case)
    apart = np.abs(found.astype(np.int64) - expected.astype(np.int64))
    assert apart.max() <= 1
    assert np.mean(apart == 0) > 0.9
