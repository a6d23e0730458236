"""Activations against onnxruntime: floats closely, 8-bit results exactly over all 256 inputs."""

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
from tests.support.onnx_cases import (
    Case,
    Known,
    Quantization,
    Quantized,
    assert_close,
    assert_equal,
    imported,
    one_op,
    ours,
    random,
    theirs,
)

EXACT: list[tuple[str, Mapping[str, Any]]] = [
    ("Relu", {}),
    ("LeakyRelu", {}),
    ("LeakyRelu", {"alpha": 0.3}),
    ("HardSigmoid", {}),
    ("HardSigmoid", {"alpha": 0.7, "beta": 0.1}),
    ("HardSwish", {}),
    ("Reciprocal", {}),
    ("Softsign", {}),
    ("ThresholdedRelu", {}),
    ("ThresholdedRelu", {"alpha": 0.4}),
]
"""Made of operations that IEEE rounds correctly: every float32 result is onnxruntime's."""

CLOSE: list[tuple[str, Mapping[str, Any]]] = [
    ("Celu", {}),
    ("Celu", {"alpha": 0.7}),
    ("Elu", {}),
    ("Elu", {"alpha": 0.3}),
    ("Erf", {}),
    ("Gelu", {}),
    ("Gelu", {"approximate": "tanh"}),
    ("Mish", {}),
    ("Selu", {}),
    ("Selu", {"alpha": 1.1, "gamma": 0.9}),
    ("Softplus", {}),
    ("Swish", {}),
    ("Swish", {"alpha": 1.7}),
]
"""Through exp, log, tanh or erf, which libraries round differently in the last places."""


def _opset(op_type: str) -> int:
    return 24 if op_type == "Swish" else 21


def _every(dtype: type[np.generic]) -> Any:
    limits = np.iinfo(np.dtype(dtype).name)
    return np.arange(limits.min, limits.max + 1).astype(dtype)


@pytest.mark.parametrize(("op_type", "attributes"), EXACT)
def test_exact_floats(op_type: str, attributes: Mapping[str, Any]) -> None:
    assert_equal(one_op(op_type, [random(1000)], opset=_opset(op_type), **attributes))


@pytest.mark.parametrize(("op_type", "attributes"), CLOSE)
def test_close_floats(op_type: str, attributes: Mapping[str, Any]) -> None:
    assert_near(one_op(op_type, [random(1000)], opset=_opset(op_type), **attributes))


def assert_near(case: Case, tolerance: float = 1e-6) -> None:
    for found, expected in zip(ours(case), theirs(case), strict=True):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(("op_type", "attributes"), [*EXACT, *CLOSE])
def test_every_8_bit_input(op_type: str, attributes: Mapping[str, Any], dtype: type[np.generic]) -> None:
    """Several scales, odd and extreme zero points; a result scale of its own and the operand's."""
    lowest = int(np.iinfo(np.dtype(dtype).name).min)
    for scale, zero_point in ((0.1, lowest + 131), (0.0371, lowest), (1 / 16, lowest + 127)):
        source = Quantized(_every(dtype), Quantization(scale, zero_point, dtype))
        for result_scale in (scale, 0.013):
            result = Quantization(result_scale, zero_point, dtype)
            assert_equal(one_op(op_type, [source], result=result, opset=_opset(op_type), **attributes))


@pytest.mark.parametrize(("op_type", "attributes"), [*EXACT[1:], *CLOSE])
def test_every_8_bit_input_when_fused(op_type: str, attributes: Mapping[str, Any]) -> None:
    source, result = Quantized(_every(np.uint8), Quantization(0.0371, 131, np.uint8)), Quantization(0.013, 7, np.int8)
    case = one_op(op_type, [source], result=result, opset=_opset(op_type), **attributes)
    module = imported(case)
    assert not LegalizeQdqToQuantizedOp().apply(module).refusals
    module.verify()
    assert not any(isinstance(op, stablehlo.UniformDequantizeOp) for op in module.walk())
    np.testing.assert_array_equal(evaluate(module, list(case.feeds.values()))[0], theirs(case)[0])


@pytest.mark.parametrize(("op_type", "attributes"), [*EXACT[1:], *CLOSE])
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


@pytest.mark.parametrize("dtype", [np.int32, np.int8, np.uint8])
def test_relu_of_integers(dtype: type[np.generic]) -> None:
    values = random(100, dtype=dtype)
    if dtype is np.uint8:
        np.testing.assert_array_equal(ours(one_op("Relu", [values]))[0], values)  # onnxruntime has no such kernel
    else:
        assert_equal(one_op("Relu", [values]))


BOUNDS = [(-1.0, 1.5), (None, 1.5), (-1.0, None), (None, None), (2.0, 1.0)]


@pytest.mark.parametrize(("low", "high"), BOUNDS)
@pytest.mark.parametrize("known", [False, True])
def test_clip(low: float | None, high: float | None, known: bool) -> None:
    def bound(value: float | None) -> Any:
        if value is None:
            return None
        return Known(np.float32(value)) if known else np.float32(value)

    assert_equal(one_op("Clip", [random(4, 9), bound(low), bound(high)]))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int8, np.uint8])
def test_clip_of_integers(dtype: type[np.generic]) -> None:
    assert_equal(one_op("Clip", [random(50, dtype=dtype), Known(dtype(3)), Known(dtype(100))]))  # type: ignore[call-arg]


@pytest.mark.parametrize("attributes", [{"min": -1.0, "max": 1.5}, {"max": 6.0}, {"min": 0.0}, {}])
def test_clip_by_attributes(attributes: Mapping[str, Any]) -> None:
    assert_equal(one_op("Clip", [np.float32([-np.inf, *random(20), np.inf])], opset=10, **attributes))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_clip_of_every_8_bit_input(low: float | None, high: float | None, dtype: type[np.generic]) -> None:
    source = Quantized(_every(dtype), Quantization(0.021, 77, dtype))
    bounds = [None if value is None else Known(np.float32(value)) for value in (low, high)]
    assert_equal(one_op("Clip", [source, *bounds], result=Quantization(0.0173, 31, dtype)))


def test_a_bound_that_is_no_scalar_is_refused() -> None:
    with pytest.raises(ConversionError, match=r"a bound of shape \[2\] is not a scalar"):
        imported(one_op("Clip", [random(2), Known(np.zeros(2, np.float32))]))


def test_a_bound_of_another_type_is_refused() -> None:
    with pytest.raises(ConversionError, match="a bound of type i64 for f32"):
        imported(one_op("Clip", [random(2), Known(np.int64(1))]))


@pytest.mark.parametrize("sizes", [(5,), (1,), (), (4, 1), (3, 1, 1)])
def test_prelu(sizes: tuple[int, ...]) -> None:
    assert_equal(one_op("PRelu", [random(3, 4, 5), random(*sizes, seed=1)]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_prelu_of_every_8_bit_input(dtype: type[np.generic]) -> None:
    source = Quantized(np.stack([_every(dtype)] * 3), Quantization(0.05, 101, dtype))
    slope = Quantized(np.asarray([[30], [3], [90]]), Quantization(0.01, 9, dtype), known=True)
    assert_equal(one_op("PRelu", [source, slope], result=Quantization(0.031, 101, dtype)))


def test_a_slope_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ConversionError, match="a slope of type tensor<4xf32> for an input of type tensor<2x3xf32>"):
        imported(one_op("PRelu", [random(2, 3), random(4)]))


def test_an_unknown_approximation_is_refused() -> None:
    with pytest.raises(ConversionError, match="approximate is 'cubic'"):
        imported(one_op("Gelu", [random(3)], approximate="cubic"))


def test_an_integer_input_is_refused() -> None:
    with pytest.raises(ConversionError, match="float inputs are supported here, found tensor<3xi32>"):
        imported(one_op("Elu", [random(3, dtype=np.int32)]))
