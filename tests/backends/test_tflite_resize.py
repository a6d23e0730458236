"""Linear resizes between different scales, written as TFLite, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.engines import litert
from tests.support.onnx_cases import Known, Quantization, Quantized, one_op, theirs
from tests.support.tflite_cases import Graph, Node, Tensor, constant, write

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


@pytest.mark.parametrize("kind", ["UINT8", "INT8"])
def test_a_resize_behind_a_transpose_keeps_its_order_of_rows_and_columns(kind: str) -> None:
    """LiteRT's kernel of unsigned integers interpolates in floats, whose sums depend on the order."""
    scale, point = 0.0582, 121 if kind == "UINT8" else 0
    tensors = {
        "x": Tensor((1, 7, 8, 2), scale, point, kind),
        "order": constant([0, 3, 1, 2]),
        "turned": Tensor((1, 2, 7, 8), scale, point, kind),
        "sizes": constant([5, 14]),
        "y": Tensor((1, 5, 14, 8), scale, point, kind),
    }
    resize = Node("RESIZE_BILINEAR", ["turned", "sizes"], ["y"], "ResizeBilinearOptions", {"HalfPixelCenters": True})
    nodes = [Node("TRANSPOSE", ["x", "order"], ["turned"], "TransposeOptions"), resize]
    content = write(Graph(tensors, nodes, ["x"], ["y"]))
    written = convert(load(content), Format.TFLITE).content
    assert written is not None
    x = np.random.default_rng(0).normal(scale=40, size=(1, 7, 8, 2)) + point
    sample = {"x": x.astype(kind.lower())}
    [[found], [expected]] = (litert.run(each, sample).values() for each in (written, content))
    np.testing.assert_array_equal(found, expected)
