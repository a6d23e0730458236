"""Fused and decomposed activations, and refused ones; those that convert are rows of ``tests/cases/activation.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.support.errors import ConversionError
from tests.cases.activation import CLOSE_FUNCTIONS, EXACT_FUNCTIONS, every, function
from tests.support.onnx_cases import (
    Known,
    Quantization,
    Quantized,
    assert_close,
    imported,
    one_op,
    ours,
    random,
    theirs,
)

COMPOSITES = [(op, attributes) for op, attributes in (*EXACT_FUNCTIONS, *CLOSE_FUNCTIONS) if op != "Relu"]


@pytest.mark.parametrize(("op_type", "attributes"), COMPOSITES)
def test_every_8_bit_input_when_fused(op_type: str, attributes: Mapping[str, Any]) -> None:
    source, result = Quantized(every(np.uint8), Quantization(0.0371, 131, np.uint8)), Quantization(0.013, 7, np.int8)
    case = function(op_type, source, attributes, result)
    module = imported(case)
    assert not LegalizeQdqToQuantizedOp().apply(module).refusals
    module.verify()
    assert not any(isinstance(op, stablehlo.UniformDequantizeOp) for op in module.walk())
    np.testing.assert_array_equal(evaluate(module, list(case.feeds.values()))[0], theirs(case)[0])


@pytest.mark.parametrize(("op_type", "attributes"), COMPOSITES)
def test_decomposition(op_type: str, attributes: Mapping[str, Any]) -> None:
    values = np.concatenate([random(1000), np.float32([0, -0.0, 20, -20, 90, -90])])
    case = one_op(op_type, [values[values != 0] if op_type == "Reciprocal" else values], opset=24, **attributes)
    module = imported(case)
    assert DecomposeComposites().apply(module).changed
    module.verify()
    (found,) = evaluate(module, list(case.feeds.values()))
    np.testing.assert_allclose(found, ours(case)[0], rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("op_type", ["Relu", "LeakyRelu", "Elu", "Erf", "HardSigmoid", "Selu", "Gelu", "Softplus"])
def test_nan_and_infinity(op_type: str) -> None:
    assert_close(one_op(op_type, [np.float32([np.nan, -np.inf, np.inf, 0, -0.0, 100, -100])]), ulps=4)


def test_relu_of_uint8() -> None:
    values = random(100, dtype=np.uint8)
    np.testing.assert_array_equal(ours(one_op("Relu", [values]))[0], values)  # onnxruntime has no such kernel


def test_a_bound_that_is_no_scalar_is_refused() -> None:
    with pytest.raises(ConversionError, match=r"a bound of shape \[2\] is not a scalar"):
        imported(one_op("Clip", [random(2), Known(np.zeros(2, np.float32))]))


def test_a_bound_of_another_type_is_refused() -> None:
    with pytest.raises(ConversionError, match="a bound of type i64 for f32"):
        imported(one_op("Clip", [random(2), Known(np.int64(1))]))


def test_a_slope_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ConversionError, match="a slope of type tensor<4xf32> for an input of type tensor<2x3xf32>"):
        imported(one_op("PRelu", [random(2, 3), random(4)]))


def test_an_unknown_approximation_is_refused() -> None:
    with pytest.raises(ConversionError, match="approximate is 'cubic'"):
        imported(one_op("Gelu", [random(3)], approximate="cubic"))


def test_an_integer_input_is_refused() -> None:
    with pytest.raises(ConversionError, match="float inputs are supported here, found tensor<3xi32>"):
        imported(one_op("Elu", [random(3, dtype=np.int32)]))
