"""Linear resizes between different scales, written as TFLite, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import EngineName, Format, convert, load, validate
from qconvert.engines import litert
from qconvert.validation import Settings
from tests.support.onnx_cases import Case, Known, Quantization, Quantized, one_op, random, theirs
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


def resized(dtype: type, coordinates: str, height: int, width: int) -> Case:
    """Return a linear resize of 4 by 5 pixels in one scale."""
    quantization = Quantization(1.0, 0, dtype)
    operands = [Quantized(random(1, 6, 4, 5, dtype=dtype), quantization), None, None, Known([1, 6, height, width])]
    attributes = {"mode": "linear", "coordinate_transformation_mode": coordinates}
    return one_op("Resize", operands, result=quantization, **attributes)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(
    ("coordinates", "sizes"), [("half_pixel", (12, 15)), ("asymmetric", (12, 15)), ("align_corners", (8, 10))]
)
def test_positions_that_the_kernel_of_integers_rounds_are_interpolated_in_floats(
    dtype: type, coordinates: str, sizes: tuple[int, int]
) -> None:
    case = resized(dtype, coordinates, *sizes)
    content = convert(load(case.model), Format.TFLITE).content
    assert content is not None
    for resolver in litert.Resolver:
        [found] = litert.run(content, case.feeds, resolver=resolver).values()
        np.testing.assert_array_equal(found, theirs(case)[0])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("coordinates", ["half_pixel", "asymmetric"])
def test_a_resize_to_the_double_size_is_within_its_limit(dtype: type, coordinates: str) -> None:
    """Its sums of quarters tie often; LiteRT rounds their halves to another side."""
    model = load(resized(dtype, coordinates, 8, 10).model)
    report = validate(model, settings=Settings(Format.TFLITE, EngineName.LITERT, samples=4))
    assert report.passed, report.failures
    assert report.outputs[0].exact < 1


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
