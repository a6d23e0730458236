"""Shape operators, constants, Pad and casts against onnxruntime."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Known, Quantization, Quantized, assert_equal, imported, one_op, ours, random

INT8 = Quantization(0.1, -7, np.int8)
DTYPES = (np.float32, np.float16, np.uint8, np.int8, np.uint16, np.int16, np.int32, np.int64, np.bool_)


def ints(*values: int) -> Known:
    return Known(np.asarray(values, np.int64))


def refused(match: str, op_type: str, inputs: list[Any], **attributes: Any) -> None:
    with pytest.raises(ConversionError, match=match):
        imported(one_op(op_type, inputs, **attributes))


@pytest.mark.parametrize("opset", [7, 13, 14, 19, 21, 25])
@pytest.mark.parametrize("target", [(4, 6), (0, -1), (-1,), (2, 0, 4, 1), (1, 1, 24)])
def test_reshape(opset: int, target: tuple[int, ...]) -> None:
    assert_equal(one_op("Reshape", [random(2, 3, 4), ints(*target)], opset=opset))


def test_reshape_with_zeros_that_mean_zero() -> None:
    assert_equal(one_op("Reshape", [Known(random(3, 0)), ints(0, 7)], allowzero=1))


def test_reshape_to_a_scalar() -> None:
    assert_equal(one_op("Reshape", [random(1, 1), Known(np.zeros(0, np.int64))]))


def test_wrong_reshapes_are_refused() -> None:
    refused(r"shape \[-1, -1\] has negative sizes", "Reshape", [random(4), ints(-1, -1)])
    refused(r"shape \[-1, 3\] does not divide the 4 elements of \[4\]", "Reshape", [random(4), ints(-1, 3)])
    refused(r"shape \[4, 0\] copies a dimension that \[4\] lacks", "Reshape", [random(4), ints(4, 0)])
    refused("the counts of elements differ", "Reshape", [random(4), ints(3)])
    refused("the shape .* is computed at run time", "Reshape", [random(4), np.asarray([4])])


def test_a_reshape_that_mixes_rows_of_other_scales_moves_integers() -> None:
    rows = Quantization([0.1, 0.2, 0.4, 0.8], [0, 0, 0, 0], np.int8, axis=0)
    assert_equal(one_op("Reshape", [Quantized(random(4, 6, dtype=np.int8), rows), ints(3, 8)], result=INT8))


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1])
@pytest.mark.parametrize("opset", [11, 13, 25])
def test_flatten(axis: int, opset: int) -> None:
    assert_equal(one_op("Flatten", [random(2, 3, 4)], opset=opset, axis=axis))


@pytest.mark.parametrize("axes", [None, (0,), (0, -2), (2,)])
@pytest.mark.parametrize("opset", [7, 11, 13, 21])
def test_squeeze(axes: tuple[int, ...] | None, opset: int) -> None:
    if opset < 13:
        attributes = {} if axes is None else {"axes": [axis % 4 for axis in axes]}
        case = one_op("Squeeze", [random(1, 3, 1, 4)], opset=opset, **attributes)
    else:
        case = one_op("Squeeze", [random(1, 3, 1, 4), *([] if axes is None else [ints(*axes)])], opset=opset)
    assert_equal(case)


def test_too_many_dimensions_are_refused() -> None:
    refused("a tensor of 70 dimensions, the limit is 32", "Reshape", [Known(random(1)), ints(*[1] * 70)])


def test_only_dimensions_of_size_one_are_squeezed() -> None:
    refused(r"dimension 1 of \[1, 3\] is not of size 1", "Squeeze", [random(1, 3), ints(1)])


@pytest.mark.parametrize("axes", [(0,), (0, 3), (-1,), (3, 1)])
@pytest.mark.parametrize("opset", [7, 11, 13, 21])
def test_unsqueeze(axes: tuple[int, ...], opset: int) -> None:
    rank = 2 + len(axes)
    if opset < 13:
        case = one_op("Unsqueeze", [random(2, 3)], opset=opset, axes=[axis % rank for axis in axes])
    else:
        case = one_op("Unsqueeze", [random(2, 3), ints(*axes)], opset=opset)
    assert_equal(case)


@pytest.mark.parametrize(
    ("sizes", "target"), [((3, 1), (2, 3, 4)), ((3, 1), (1, 1)), ((2, 1, 1), (5, 2, 1, 4)), ((2, 1, 1), (4,))]
)
def test_expand(sizes: tuple[int, ...], target: tuple[int, ...]) -> None:
    assert_equal(one_op("Expand", [random(*sizes), ints(*target)], opset=13))


def test_an_expansion_that_fits_nowhere_is_refused() -> None:
    refused(r"\[3\] does not broadcast to \[2\]", "Expand", [random(3), ints(2)])
    refused("more than 2\\^31 elements", "Expand", [random(1), ints(2**20, 2**20)])


@pytest.mark.parametrize("bounds", [{}, {"start": 1}, {"end": -1}, {"start": -2, "end": 9}, {"start": 3}])
def test_shape(bounds: dict[str, int]) -> None:
    assert_equal(one_op("Shape", [random(2, 3, 4)], opset=15, **bounds))


@pytest.mark.parametrize("opset", [7, 13, 21])
def test_size(opset: int) -> None:
    assert_equal(one_op("Size", [random(2, 3, 4)], opset=opset))


@pytest.mark.parametrize("opset", [7, 10, 12, 13, 22])
def test_dropout_of_inference(opset: int) -> None:
    assert_equal(one_op("Dropout", [random(2, 3)], opset=opset, outputs=2 if opset >= 10 else 1))


def test_dropout_in_training_mode() -> None:
    no, yes = Known(np.asarray(False)), Known(np.asarray(True))
    assert_equal(one_op("Dropout", [random(2, 3), Known(np.float32(0.5)), no], outputs=2, seed=3))
    assert_equal(one_op("Dropout", [random(2, 3), Known(np.float32(0)), yes], outputs=2))
    refused("drops at random", "Dropout", [random(2, 3), None, yes])


@pytest.mark.parametrize(
    "attributes",
    [
        {"value": numpy_helper.from_array(random(2, 3))},
        {"value": numpy_helper.from_array(np.asarray([1, 2], np.uint8))},
        {"value_float": 1.5},
        {"value_floats": [1.5, 2.0]},
        {"value_int": -3},
        {"value_ints": [1, 2, 3]},
    ],
)
def test_constant(attributes: dict[str, Any]) -> None:
    assert_equal(one_op("Constant", [], opset=13, **attributes))


def test_constants_of_four_bits_keep_their_type() -> None:
    four_bits = helper.make_tensor("w", TensorProto.INT4, [4], [-8, -1, 0, 7])
    module = imported(one_op("Constant", [], value=four_bits))
    assert "tensor<4xi4>" in str(module)


def test_constants_that_are_no_tensors_are_refused() -> None:
    refused("given by 'value_string'", "Constant", [], value_string="a")


@pytest.mark.parametrize("value", [None, np.asarray([7], np.int8), np.asarray([0.5], np.float32)])
@pytest.mark.parametrize("sizes", [(2, 3), (), (0,)])
def test_constant_of_shape(value: Any, sizes: tuple[int, ...]) -> None:
    attributes = {} if value is None else {"value": numpy_helper.from_array(value)}
    assert_equal(one_op("ConstantOfShape", [ints(*sizes)], opset=20, **attributes))


def test_a_shape_of_two_to_the_forty_is_refused() -> None:
    refused("more than 2\\^31 elements", "ConstantOfShape", [ints(2**40, 0)])
    refused("has a negative dimension", "ConstantOfShape", [ints(2, -1)])
    refused("a tensor of 40 dimensions", "ConstantOfShape", [ints(*[1] * 40)])
    refused("the shape .input 0. has elements of type float32", "ConstantOfShape", [Known(random(2))])
    refused("more than 2\\^31 elements", "ConstantOfShape", [ints(2**20, 2**20)])


@pytest.mark.parametrize(
    ("start", "limit", "delta", "dtype"),
    [
        (0, 10, 3, np.int64),
        (10, 0, -4, np.int32),
        (0, 1, 0.1, np.float32),
        (5, 0, 1, np.int16),
        (1, 2, 0.3, np.float64),
    ],
)
def test_range(start: float, limit: float, delta: float, dtype: Any) -> None:
    assert_equal(one_op("Range", [Known(dtype(value)) for value in (start, limit, delta)], opset=11))


def test_endless_ranges_are_refused() -> None:
    refused("from 0 to 1 in steps of 0", "Range", [ints(0), ints(1), ints(0)])
    refused("1099511627776 positions would be listed", "Range", [ints(0), ints(2**40), ints(1)])


PADS = [(1, 2, 3, 1), (0, 1, 0, 2), (-1, 0, 2, -2), (0, 0, 0, 0), (2, -3, 1, 1)]


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
@pytest.mark.parametrize("pads", PADS)
@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_pad(mode: str, pads: tuple[int, ...], dtype: Any) -> None:
    assert_equal(one_op("Pad", [random(4, 5, dtype=dtype), ints(*pads)], opset=19, mode=mode))


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
def test_pad_by_attributes(mode: str) -> None:
    assert_equal(one_op("Pad", [random(4, 5)], opset=9, mode=mode, pads=[1, 2, 0, 3], value=1.5))


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("opset", [11, 13, 18, 21])
def test_pad_with_a_value(known: bool, opset: int) -> None:
    value = np.asarray(2.5, np.float32)
    assert_equal(one_op("Pad", [random(4, 5), ints(1, 0, 0, 2), Known(value) if known else value], opset=opset))


@pytest.mark.parametrize("mode", ["constant", "reflect"])
def test_pad_of_some_axes(mode: str) -> None:
    assert_equal(one_op("Pad", [random(3, 4, 5), ints(1, 2, 0, 1), None, ints(-1, 0)], mode=mode))


def test_wrong_pads_are_refused() -> None:
    refused("a constant of type i8 to pad f32 with", "Pad", [random(3), ints(1, 1), Known(np.int8(1))])
    refused(r"pads \[1\] for axes \[0\]", "Pad", [random(3), ints(1)])
    refused("the mode 'mirror' is unknown", "Pad", [random(3), ints(1, 1)], mode="mirror")
    refused("removes more than", "Pad", [random(3), ints(-2, -2)])
    refused("would be listed at conversion", "Pad", [random(3), ints(2**40, 0)], mode="edge")


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("opset", [13, 25])
def test_cast(source: Any, target: Any, opset: int) -> None:
    data = random(50, dtype=source)
    if np.dtype(source).kind == "f" and np.dtype(target).kind == "u":
        data = np.abs(data)  # A negative float as an unsigned integer is undefined.
    to = helper.np_dtype_to_tensor_dtype(np.dtype(target))
    assert_equal(one_op("Cast", [data], opset=opset, to=to))


def test_cast_to_bfloat16() -> None:
    (found,) = ours(one_op("Cast", [random(50)], to=TensorProto.BFLOAT16))
    np.testing.assert_array_equal(found, random(50).astype(ml_dtypes.bfloat16))


def test_casts_outside_the_range_saturate() -> None:
    data = np.asarray([300.0, -300.0, np.inf, -np.inf, 1.9, -1.9], np.float32)
    (found,) = ours(one_op("Cast", [data], to=TensorProto.INT8))
    assert found.tolist() == [127, -128, 127, -128, 1, -1]


def test_casts_to_what_is_not_supported_are_refused() -> None:
    refused("a cast to the element type 8 is not supported", "Cast", [random(3)], to=TensorProto.STRING)
    refused("a cast to the element type 99 is not supported", "Cast", [random(3)], to=99)
    refused("a cast to i4 is not supported", "Cast", [random(3)], to=TensorProto.INT4)
    refused("elements of type float8_e4m3fn are not supported", "Cast", [random(3)], to=TensorProto.FLOAT8E4M3FN)


@pytest.mark.parametrize("opset", [15, 19, 24])
def test_cast_like(opset: int) -> None:
    assert_equal(one_op("CastLike", [random(2, 3), np.zeros(1, np.int32)], opset=opset))
