"""Weights with scales along any dimension: LiteRT and TOSA's reference model give onnxruntime's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert.api import convert, load
from qconvert.api.running import run
from qconvert.engines import litert
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from tests.support.onnx_cases import Case, Quantization, Quantized, one_op, random, theirs

SIZE = 6
FINE, SUMS = Quantization(0.05, 3), Quantization(0.4, -7)
SCALES = [float(scale) for scale in np.geomspace(0.001, 0.02, SIZE)]
"""Far apart: scales that are read along another dimension give other numbers."""

IMAGE, ROWS = (1, SIZE, 7, 8), (5, SIZE)
OPERATORS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], Mapping[str, Any]]] = {
    "convolution": ("Conv", IMAGE, (SIZE, SIZE, 3, 3), {"pads": [1, 1, 1, 1]}),
    "depthwise": ("Conv", IMAGE, (SIZE, 1, 3, 3), {"group": SIZE}),
    "transposed convolution": ("ConvTranspose", IMAGE, (SIZE, SIZE, 3, 3), {"strides": [2, 2]}),
    "matrix product": ("MatMul", ROWS, (SIZE, SIZE), {}),
    "matrix product of a transposed matrix": ("Gemm", ROWS, (SIZE, SIZE), {"transB": 1}),
    "batched product": ("MatMul", (2, *ROWS), (SIZE, SIZE), {}),
    "product of batches": ("MatMul", (2, *ROWS), (2, SIZE, SIZE), {}),
}
ALONG = [(name, axis) for name, (_, _, sizes, _) in OPERATORS.items() for axis in range(len(sizes)) if sizes[axis] > 3]


def case(name: str, axis: int, result: Quantization | None) -> Case:
    op, sizes, kernel, attributes = OPERATORS[name]
    quantization = Quantization(SCALES, [0] * SIZE, axis=axis)
    operands = [
        Quantized(random(*sizes, dtype=np.int8, seed=1), FINE),
        Quantized(random(*kernel, dtype=np.int8, seed=2), quantization, known=True),
    ]
    return one_op(op, operands, result=result, **attributes)


def check(found: NDArray[Any], expected: NDArray[Any], result: Quantization | None) -> None:
    """Assert that floats are equal but for their rounding, and that few integers are off by one."""
    differences = np.abs(found.astype(np.float64) - expected)
    if result is None:
        assert differences.max() < 1e-6 * np.abs(expected).max()
    else:
        assert differences.max() <= 1
        assert np.mean(differences == 0) > 0.97


@pytest.mark.litert
@pytest.mark.quick(7)
@pytest.mark.parametrize(("name", "axis"), ALONG)
def test_litert(name: str, axis: int) -> None:
    for result in (SUMS, None):
        made = case(name, axis, result)
        content, [expected] = convert(load(made.model), Format.TFLITE).content, theirs(made)
        assert content is not None
        for resolver in litert.Resolver:
            [found] = litert.run(content, made.feeds, resolver=resolver).values()
            check(found, expected, result)


@pytest.mark.tosa
@pytest.mark.parametrize(("name", "axis"), ALONG)
def test_the_reference_model(name: str, axis: int) -> None:
    for result in (SUMS, None):
        made = case(name, axis, result)
        [expected] = theirs(made)
        [found] = run(load(made.model), made.feeds, engine=EngineName.TOSA).values()
        check(found, expected, result)
