"""Refused shapes, pads and casts, and elements that onnxruntime lacks; others are rows of ``tests/cases/shape.py``."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Known, imported, one_op, ours, random


def ints(*values: int) -> Known:
    return Known(np.asarray(values, np.int64))


def refused(match: str, op_type: str, inputs: list[Any], **attributes: Any) -> None:
    with pytest.raises(ConversionError, match=match):
        imported(one_op(op_type, inputs, **attributes))


def test_wrong_reshapes_are_refused() -> None:
    refused(r"shape \[-1, -1\] has negative sizes", "Reshape", [random(4), ints(-1, -1)])
    refused(r"shape \[-1, 3\] does not divide the 4 elements of \[4\]", "Reshape", [random(4), ints(-1, 3)])
    refused(r"shape \[4, 0\] copies a dimension that \[4\] lacks", "Reshape", [random(4), ints(4, 0)])
    refused("the counts of elements differ", "Reshape", [random(4), ints(3)])
    refused("the shape .* is computed at run time", "Reshape", [random(4), np.asarray([4])])


def test_too_many_dimensions_are_refused() -> None:
    refused("a tensor of 70 dimensions, the limit is 32", "Reshape", [Known(random(1)), ints(*[1] * 70)])


def test_only_dimensions_of_size_one_are_squeezed() -> None:
    refused(r"dimension 1 of \[1, 3\] is not of size 1", "Squeeze", [random(1, 3), ints(1)])


def test_an_expansion_that_fits_nowhere_is_refused() -> None:
    refused(r"shapes \[3\] and \[2\] do not broadcast together", "Expand", [random(3), ints(2)])
    refused("more than 2,147,483,648 elements", "Expand", [random(1), ints(2**20, 2**20)])


def test_dropout_in_training_mode_is_refused() -> None:
    refused("drops at random", "Dropout", [random(2, 3), None, Known(np.asarray(True))])


def test_constants_of_four_bits_keep_their_type() -> None:
    four_bits = helper.make_tensor("w", TensorProto.INT4, [4], [-8, -1, 0, 7])
    module = imported(one_op("Constant", [], value=four_bits))
    assert "tensor<4xi4>" in str(module)


def test_constants_that_are_no_tensors_are_refused() -> None:
    refused("given by 'value_string'", "Constant", [], value_string="a")


def test_a_shape_of_two_to_the_forty_is_refused() -> None:
    refused("more than 2,147,483,648 elements", "ConstantOfShape", [ints(2**40, 0)])
    refused("has a negative dimension", "ConstantOfShape", [ints(2, -1)])
    refused("a tensor of 40 dimensions", "ConstantOfShape", [ints(*[1] * 40)])
    refused("the shape .input 0. has elements of type float32", "ConstantOfShape", [Known(random(2))])
    refused("more than 2,147,483,648 elements", "ConstantOfShape", [ints(2**20, 2**20)])


def test_endless_ranges_are_refused() -> None:
    refused("from 0 to 1 in steps of 0", "Range", [ints(0), ints(1), ints(0)])
    refused("1099511627776 positions would be listed", "Range", [ints(0), ints(2**40), ints(1)])


def test_wrong_pads_are_refused() -> None:
    refused("a constant of type i8 to pad f32 with", "Pad", [random(3), ints(1, 1), Known(np.int8(1))])
    refused(r"pads \[1\] for axes \[0\]", "Pad", [random(3), ints(1)])
    refused("the mode 'mirror' is unknown", "Pad", [random(3), ints(1, 1)], mode="mirror")
    refused("removes more than", "Pad", [random(3), ints(-2, -2)])
    refused("would be listed at conversion", "Pad", [random(3), ints(2**40, 0)], mode="edge")


def test_cast_to_bfloat16() -> None:
    (found,) = ours(one_op("Cast", [random(50)], to=TensorProto.BFLOAT16))
    np.testing.assert_array_equal(found, random(50).astype(ml_dtypes.bfloat16))


def test_casts_outside_the_range_saturate() -> None:
    data = np.asarray([300.0, -300.0, np.inf, -np.inf, 1.9, -1.9], np.float32)
    (found,) = ours(one_op("Cast", [data], to=TensorProto.INT8))
    assert found.tolist() == [127, -128, 127, -128, 1, -1]


def test_casts_to_what_is_not_supported_are_refused() -> None:
    refused("elements of type STRING are not supported", "Cast", [random(3)], to=TensorProto.STRING)
    refused("elements of type 99 are not supported", "Cast", [random(3)], to=99)
    refused("a conversion to f8E8M0FNU is not supported", "Cast", [random(3)], to=TensorProto.FLOAT8E8M0)
