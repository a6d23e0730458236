"""Results with far finer steps than their operands, as behind a RELU whose results were all 0 in calibration.

Factors far above 1 leave the range of RESCALE and of LiteRT's kernels, where all but a few integers saturate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from qconvert import EngineName, Format, Settings, load, validate
from tests.support.onnx_cases import Case, Known, Quantization, Quantized, one_op, random

OPERATORS: dict[str, Callable[[Quantized, Quantization], Case]] = {
    "Conv": lambda x, fine: one_op("Conv", [_shaped(x, 1, 16, 6, 6), _weights(8, 16, 3, 3)], result=fine),
    "MatMul": lambda x, fine: one_op("MatMul", [_shaped(x, 4, 64), _weights(64, 8)], result=fine),
    "Add": lambda x, fine: one_op("Add", [_shaped(x, 4, 8), _shaped(x, 4, 8)], result=fine),
    "Sub": lambda x, fine: one_op("Sub", [_shaped(x, 4, 8), _shaped(x, 8)], result=fine),
    "Mul": lambda x, fine: one_op("Mul", [_shaped(x, 4, 8), _shaped(x, 4, 8)], result=fine),
    "Max": lambda x, fine: one_op("Max", [_shaped(x, 4, 8), _shaped(x, 4, 8)], result=fine),
    "Relu": lambda x, fine: one_op("Relu", [_shaped(x, 4, 8)], result=fine),
    "Reshape": lambda x, fine: one_op("Reshape", [_shaped(x, 4, 8), Known(np.array([8, 4]))], result=fine),
    "AveragePool": lambda x, fine: one_op("AveragePool", [_shaped(x, 1, 4, 6, 6)], result=fine, kernel_shape=[2, 2]),
}
ENGINES = {Format.TOSA: EngineName.TOSA, Format.TFLITE: EngineName.LITERT}


def _shaped(x: Quantized, *shape: int) -> Quantized:
    return Quantized(random(*shape, dtype=x.quantization.dtype), x.quantization)


def _weights(*shape: int) -> Quantized:
    return Quantized(random(*shape, dtype=np.int8), Quantization(0.01, 0, np.int8), known=True)


@pytest.mark.parametrize(
    "to", [pytest.param(to, marks=getattr(pytest.mark, engine.value)) for to, engine in ENGINES.items()]
)
@pytest.mark.parametrize(("kind", "zero_point"), [(np.int8, 3), (np.uint8, 100), (np.int16, 0)])
@pytest.mark.parametrize("op_type", OPERATORS)
def test_a_fine_result_is_computed(op_type: str, kind: type[np.integer], zero_point: int, to: Format) -> None:
    coarse = Quantization(1e-3 if kind is np.int16 else 0.05, zero_point, kind)
    case = OPERATORS[op_type](Quantized(np.zeros(1, kind), coarse), Quantization(1e-6, zero_point, kind))
    report = validate(load(case.model), settings=Settings(to=to, engine=ENGINES[to], samples=1))
    assert report.passed, report.failures


@pytest.mark.tosa
@pytest.mark.parametrize("kind", [np.int8, np.int16])
@pytest.mark.parametrize("op_type", ["Conv", "Mul", "Max", "Reshape"])
def test_the_finest_result_is_computed_in_tosa(op_type: str, kind: type[np.integer]) -> None:
    case = OPERATORS[op_type](Quantized(np.zeros(1, kind), Quantization(1e-3, 0, kind)), Quantization(1e-11, 0, kind))
    report = validate(load(case.model), settings=Settings(to=Format.TOSA, engine=EngineName.TOSA, samples=1))
    assert report.passed, report.failures
