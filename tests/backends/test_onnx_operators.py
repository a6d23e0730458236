"""ONNX's own node tests, read and written again: onnxruntime gives the expected outputs for what is written."""

from __future__ import annotations

import re

import numpy as np
import pytest
from onnx import numpy_helper

from qconvert import Format, convert, load
from qconvert.api import Model
from qconvert.backends.onnx import OnnxOptions
from qconvert.engines import onnxruntime
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Case, theirs
from tests.support.onnx_node_tests import DIFFERENT, TESTS, NodeTest, compare, read, refusal

NEWEST = OnnxOptions(25)
SMALL = r"(U?INT[24]|FLOAT4E2M1|FLOAT8E8M0)"
UNFED = re.compile(
    rf"cast(like)?_(e8m0_)?(no_saturate_)?({SMALL}_to_.*|.*_to_{SMALL}(_expanded)?|BFLOAT16_to_.*|FLOAT_to_BFLOAT16(_expanded)?)"
    r"|(de)?quantizelinear_(u?int[24]|float4e2m1)"
)
"""Of elements that onnxruntime takes and gives no arrays of: the model is checked and not run."""
FLOAT8 = re.compile(r"cast(like)?_.*FLOAT8E[45]M.*|(de)?quantizelinear_e[45]m.*")
"""Of floats of 8 bits, which numpy lacks: the engine hands them over."""
WITHOUT_KERNEL = re.compile(r"convinteger_with_padding")
"""Operators of ONNX that onnxruntime has no kernel for."""
WITHOUT_TYPE = re.compile(r".*float4e2m1.*", re.IGNORECASE)
"""Models with a type that none of onnxruntime's kernels takes."""
READ = [
    pytest.param(
        test,
        id=test.name,
        marks=[pytest.mark.slow] if test.name.endswith("_expanded") or FLOAT8.fullmatch(test.name) else [],
    )
    for test in TESTS
    if refusal(test.name) is None and test.name not in DIFFERENT
]
"""Expanded tests are an operator's definition in other operators, each of which has a test of its own."""


def written(test: NodeTest) -> Case:
    module, inputs = read(test)
    converted = convert(Model(module, Format.ONNX, test.name), Format.ONNX, NEWEST)
    assert converted.content is not None
    return Case(converted.content, {name: numpy_helper.to_array(proto) for name, proto in inputs.items()})


@pytest.mark.quick(180)
@pytest.mark.parametrize("test", READ)
def test_comes_back_with_the_expected_outputs(test: NodeTest) -> None:
    if WITHOUT_TYPE.fullmatch(test.name):
        with pytest.raises(ConversionError, match=r"onnxruntime's \w+ does not take elements of type float4e2m1"):
            written(test)
        return
    case = written(test)
    if UNFED.fullmatch(test.name):
        return
    if WITHOUT_KERNEL.fullmatch(test.name):
        with pytest.raises(Exception, match=r"lacks this operator|Non per-tensor quantization"):
            theirs(case)
        return
    outputs = (
        onnxruntime.run_samples(case.model, [case.feeds])[0].values() if FLOAT8.fullmatch(test.name) else theirs(case)
    )
    compare(test, [np.asarray(array) for array in outputs])


def test_a_formula_stands_for_what_an_older_opset_lacks() -> None:
    gelu = next(test for test in TESTS if test.name == "gelu_default_1")
    module, inputs = read(gelu)
    converted = convert(Model(module, Format.ONNX, gelu.name), Format.ONNX, OnnxOptions(13))
    assert converted.content is not None
    feeds = {name: numpy_helper.to_array(proto) for name, proto in inputs.items()}
    compare(gelu, [np.asarray(array) for array in theirs(Case(converted.content, feeds))])


def test_an_integer_convolution_is_named() -> None:
    text = b"""func.func @main(%0: tensor<1x4x4x1xi32>, %1: tensor<2x2x1x1xi32>) -> tensor<1x3x3x1xi32> {
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x1xi32>, tensor<2x2x1x1xi32>) -> tensor<1x3x3x1xi32>
  func.return %2 : tensor<1x3x3x1xi32>
}"""
    with pytest.raises(ConversionError, match="ConvInteger supports only 8-bit operands and a 32-bit result"):
        convert(load(text), Format.ONNX)
