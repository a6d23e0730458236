"""Near-ties that onnxruntime's float32 decides: sums with results of 16 bits, kernels that divide scales."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import Format, Report, load, validate
from qconvert.validation import LayerReport, Settings
from qconvert.validation.limits.limits import WIDE_SHARE
from tests.support.onnx_cases import Known, Quantization, Quantized, one_op, random

U8, U16, I8 = np.uint8, np.uint16, np.int8


def convolution(weights: Quantization, features: int, scale: float) -> LayerReport:
    """A pointwise convolution whose sums rise to many times their results and fall again."""
    inputs = Quantized(random(1, features, 40, 40, dtype=U16), Quantization(1e-4, 0, U16))
    zero_point = np.max(weights.zero_point)
    kernel = np.sort(random(16, features, 1, 1, seed=1, dtype=weights.dtype).astype(int) - zero_point, axis=1)
    known = Quantized(kernel + zero_point, weights, known=True)
    case = one_op("Conv", [inputs, known], result=Quantization(scale, 30000, U16))
    report = validate(load(case.model), inputs=case.feeds)
    assert report.passed, report.failures
    [layer] = report.layers
    assert f"{layer.needed:.4f}" in str(report)
    return layer


@pytest.mark.parametrize(
    "weights", [Quantization([0.01] * 16, [0] * 16, I8, axis=0), Quantization(0.01, 120, U8)], ids=["s8", "u8"]
)
@pytest.mark.row("U15")
def test_the_limit_of_16_bits_follows_from_the_sums(weights: Quantization) -> None:
    """More elements differ than a float32 that holds 16 bits explains."""
    layer = convolution(weights, 256, 1e-3)
    assert layer.exact < WIDE_SHARE
    assert layer.float_error is not None
    assert layer.needed == pytest.approx(1 - 2 * layer.float_error.mean)
    assert layer.needed < layer.exact


@pytest.mark.slow
@pytest.mark.parametrize(("features", "scale"), [(1, 6e-5), (2, 1e-4), (16, 3e-4), (2048, 4e-3)])
def test_every_length_of_sums_is_within_its_limit(features: int, scale: float) -> None:
    convolution(Quantization(0.01, 120, U8), features, scale)


def test_the_limit_is_sharper_where_a_step_is_large() -> None:
    assert convolution(Quantization(0.01, 120, U8), 1, 1e-2).needed > 0.9998


def test_no_limit_of_8_bits_follows_from_the_sums() -> None:
    inputs = Quantized(random(1, 8, 9, 9, dtype=U8), Quantization(0.1, 128, U8))
    kernel = Quantized(random(4, 8, 3, 3, seed=1, dtype=I8), Quantization(0.01, 0, I8), known=True)
    case = one_op("Conv", [inputs, kernel], result=Quantization(0.5, 30, U8))
    [layer] = validate(load(case.model), inputs=case.feeds).layers
    assert (layer.float_error, layer.needed) == (None, 0.9999)


def all_pairs(op_type: str, *ports: Quantization) -> Report:
    """A QLinear operator of two tensors on all pairs of bytes."""
    kinds = [np.arange(256, dtype=np.uint8).view(port.dtype) for port in ports[:2]]
    pairs = np.meshgrid(*kinds, indexing="ij")
    scales = [
        [Known(np.float32(port.scale)), Known(np.asarray(port.zero_point, port.dtype))]  # type: ignore[arg-type]
        for port in ports
    ]
    case = one_op(op_type, [pairs[0], *scales[0], pairs[1], *scales[1], *scales[2]], domain="com.microsoft")
    return validate(load(case.model), inputs=case.feeds)


@pytest.mark.row("U16")
def test_qlinear_add_differs_near_ties() -> None:
    """The scales are of a ResNet-50. Some sums are 7e-6 of a step from a tie."""
    ports = [Quantization(0.050376128, 121, U8), Quantization(0.051560722, 123, U8), Quantization(0.037177477, 0, U8)]
    report = all_pairs("QLinearAdd", *ports)
    assert report.passed, report.failures
    [layer] = report.layers
    assert 0 < layer.elements * (1 - layer.exact) <= layer.ties < 100


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [U8, I8])
@pytest.mark.parametrize("op_type", ["QLinearAdd", "QLinearMul"])
def test_other_scales_of_qlinear_operators(op_type: str, dtype: type[np.generic]) -> None:
    rng = np.random.default_rng(0)
    lowest = 0 if dtype is U8 else -128
    for _ in range(2):
        scales = rng.uniform(0.02, 0.06, 3) * ([1, 1, 1] if op_type == "QLinearAdd" else [1, 1, 0.02])
        ports = [Quantization(float(scale), int(rng.integers(256)) + lowest, dtype) for scale in scales]
        report = all_pairs(op_type, *ports)
        assert report.passed, report.failures
        assert report.layers[0].ties < 0.01 * report.layers[0].elements


@pytest.mark.slow
@pytest.mark.row("U11")
def test_a_sum_that_is_halfway_in_float32_is_a_tie() -> None:
    """The scales are of a ShuffleNet. The real sums are up to 7e-7 of a step from halfway, on either side."""
    every = np.arange(-128, 128, dtype=I8)
    lhs, rhs = np.meshgrid(every, every, indexing="ij")
    inputs = [
        Quantized(lhs, Quantization(0.054550603, 17, I8)),
        Quantized(rhs, Quantization(0.042325575, -128, I8)),
    ]
    case = one_op("Add", inputs, result=Quantization(0.052383874, -128, I8))
    for to in (Format.TOSA, Format.STABLEHLO):
        report = validate(load(case.model), inputs=case.feeds, settings=Settings(to))
        assert report.passed, report.failures
        [layer] = report.layers
        assert layer.elements * (1 - layer.exact) <= layer.ties < (10 if to is Format.TOSA else 20)


def test_a_bias_is_not_added_by_quotients_of_scales() -> None:
    """The sum of an integer contraction and its bias is no QLinearAdd."""
    image = [random(1, 4, 8, 8, dtype=U8), Known(np.float32(0.05)), Known(np.asarray(3, U8))]
    scales = Known(np.linspace(0.01, 0.03, 8).astype(np.float32))
    kernel = [Known(random(8, 4, 3, 3, seed=1, dtype=I8)), scales, Known(np.zeros(8, I8))]
    result = [Known(np.float32(0.8)), Known(np.asarray(5, U8))]
    case = one_op("QLinearConv", [*image, *kernel, *result, Known(np.arange(8, dtype=np.int32) * 500)])
    report = validate(load(case.model), inputs=case.feeds)
    assert report.passed, report.failures
    assert len(report.layers) == 1
