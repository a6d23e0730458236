"""Unsigned 16-bit activations in TOSA, at the edges of the model and inside, beside onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import EngineName, Format, convert, load, validate
from qconvert.dialects import tosa
from qconvert.validation import Settings
from tests.support.onnx_cases import Case, Input, Known, Quantization, Quantized, one_op, random

pytestmark = pytest.mark.slow

U8, U16, I8 = np.uint8, np.uint16, np.int8
ENGINES = [EngineName.REFERENCE, pytest.param(EngineName.TOSA, marks=pytest.mark.tosa)]


def values(scale: float, zero_point: int, seed: int = 0, channels: int = 4) -> Quantized:
    return Quantized(random(1, channels, 8, 8, seed=seed, dtype=U16), Quantization(scale, zero_point, U16))


def kernel(zero_point: int, dtype: type[np.generic], channels: int = 4, outputs: int = 8) -> Quantized:
    return Quantized(random(outputs, channels, 3, 3, seed=1, dtype=dtype), Quantization(0.01, zero_point, dtype), True)


X, Y = values(1.1e-4, 31883), values(1.3e-4, 3883, seed=3)
POOL = {"kernel_shape": [2, 2], "strides": [2, 2]}
BOUNDS: list[Input] = [Known(np.float32(0)), Known(np.float32(6))]
CASES = {
    "relu": one_op("Relu", [X], result=Quantization(5e-5, 0, U16)),
    "clip": one_op("Clip", [X, *BOUNDS], result=Quantization(6 / 65535, 0, U16)),
    "add": one_op("Add", [X, Y], result=Quantization(2e-4, 20000, U16)),
    "mul": one_op("Mul", [X, Y], result=Quantization(5e-4, 20000, U16)),
    "concat": one_op("Concat", [X, Y], result=Quantization(1.7e-4, 20000, U16), axis=1),
    "average": one_op("AveragePool", [X], result=Quantization(0.9e-4, 31983, U16), **POOL),
    "max": one_op("MaxPool", [X], result=Quantization(1.1e-4, 31883, U16), **POOL),
    "mean": one_op("GlobalAveragePool", [X], result=Quantization(0.5e-4, 31983, U16)),
    "hardsigmoid": one_op("HardSigmoid", [X], result=Quantization(1 / 65535, 0, U16), alpha=1 / 6),
    "sigmoid": one_op("Sigmoid", [X], result=Quantization(1 / 65535, 0, U16)),
    "erf": one_op("Erf", [X], result=Quantization(2 / 65535, 32768, U16)),
    "matmul": one_op("MatMul", [X, Y], result=Quantization(6e-3, 20000, U16)),
}


def assert_validated(case: Case, engine: EngineName) -> None:
    report = validate(load(case.model), inputs=case.feeds, settings=Settings(Format.TOSA, engine))
    assert report.passed, report.failures
    assert [layer.max_lsb <= 1 for layer in report.layers] == [True]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.row("U18")
def test_operators(case: Case, engine: EngineName) -> None:
    assert_validated(case, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("zero_point", [0, 31883])
@pytest.mark.parametrize("weights", [(0, I8), (120, U8), (128, U8)], ids=["s8", "u8", "u8 of 128"])
@pytest.mark.row("U18")
def test_convolutions(weights: tuple[int, type[np.generic]], zero_point: int, engine: EngineName) -> None:
    """The sum of the weights less their zero point belongs to the bias."""
    inputs = [values(1e-4, zero_point), kernel(*weights)]
    assert_validated(one_op("Conv", inputs, result=Quantization(2e-3, 30000, U16), pads=[1] * 4), engine)


@pytest.mark.parametrize("weights", [(0, I8), (120, U8)], ids=["s8", "u8"])
def test_depthwise_convolutions(weights: tuple[int, type[np.generic]]) -> None:
    inputs = [values(1e-4, 31883), kernel(*weights, channels=1, outputs=4)]
    case = one_op("Conv", inputs, result=Quantization(1e-3, 30000, U16), pads=[1] * 4, group=4)
    assert_validated(case, EngineName.REFERENCE)


def test_a_convolution_that_overflows_32_bits_stays_in_float() -> None:
    """Its bias is a broadcast constant, which is dequantized in the shape (1, 1, 1, outputs)."""
    bias = Quantized(np.arange(8, dtype=np.int32) * 1000, Quantization(1e-6, 0, np.int32), known=True)
    inputs = [values(1e-4, 0, channels=160), kernel(120, U8, channels=160), bias]
    assert_validated(one_op("Conv", inputs, result=Quantization(2e-2, 30000, U16), pads=[1] * 4), EngineName.REFERENCE)


def test_a_function_is_gathered_where_a_table_is_not_exact() -> None:
    module = convert(load(CASES["erf"].model), Format.TOSA).module
    assert [type(op) for op in module.walk() if isinstance(op, tosa.TableOp | tosa.GatherOp)] == [tosa.GatherOp]
