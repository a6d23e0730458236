"""How close LiteRT's kernels come to onnxruntime on operators that are written for it, in both sets of kernels."""

from __future__ import annotations

from collections import Counter

import ml_dtypes
import numpy as np
import pytest
import tflite

from qconvert.api import convert, load
from qconvert.backends.tflite import contraction
from qconvert.engines import child, wire
from qconvert.engines.base import EngineName
from qconvert.engines.litert import Resolver
from qconvert.formats import Format
from qconvert.support.errors import EngineError
from tests.support.onnx_cases import Case, Known, Quantization, Quantized, one_op, random, theirs
from tests.support.tflite_forms import FORMS

pytestmark = pytest.mark.litert

FINE, HALF, ODD = Quantization(0.05, 3), Quantization(0.1, -7), Quantization(0.083, 5)
COARSE = Quantization(0.137, -9)
POWER = Quantization(2.0**-4, 3)


def activations(quantization: Quantization, *shape: int) -> Quantized:
    return Quantized(random(*shape, dtype=quantization.dtype, seed=sum(shape)), quantization)


def weights(*shape: int, largest: int, zero_point: int = 0) -> Quantized:
    quantization = Quantization(0.01 / largest, zero_point)
    return Quantized(random(*shape, dtype=np.int8) // (128 // largest), quantization, known=True)


def nibbles(*shape: int) -> Quantized:
    held = random(*shape, dtype=np.int8) // 16
    return Quantized(held.astype(ml_dtypes.int4), Quantization(0.01, 0, ml_dtypes.int4), known=True)


IMAGE = (1, 8, 16, 16)
WIDE = Quantization(0.001, 0, np.int16)

CASES = {
    "mean of 4, of frequent ties": (
        one_op("AveragePool", [activations(POWER, *IMAGE)], result=POWER, kernel_shape=[2, 2], strides=[2, 2]),
        {"DEPTHWISE_CONV_2D": 2, "ADD": 1},
        (1.0, 1.0),
    ),
    "mean of 9, without ties": (
        one_op("AveragePool", [activations(FINE, *IMAGE)], result=FINE, kernel_shape=[3, 3]),
        {"AVERAGE_POOL_2D": 1},
        (0.999, 0.999),
    ),
    "mean of another scale": (
        one_op("AveragePool", [activations(ODD, *IMAGE)], result=FINE, kernel_shape=[2, 2], strides=[2, 2]),
        {"DEPTHWISE_CONV_2D": 1},
        (0.99, 0.999),
    ),
    "slope of another scale": (
        one_op("LeakyRelu", [activations(FINE, 64, 64)], result=ODD, alpha=0.1),
        {"PRELU": 1},
        (0.99, 0.99),
    ),
    "slope of a scale that is more than twice as large": (
        one_op("LeakyRelu", [activations(FINE, 64, 64)], result=COARSE, alpha=0.3),
        {"MUL": 2, "MAXIMUM": 1},
        (0.99, 0.99),
    ),
    "magnitude of a scale that is more than twice as large": (
        one_op("Abs", [activations(FINE, 64, 64)], result=COARSE),
        {"ABS": 1, "MUL": 1},
        (0.99, 0.99),
    ),
    "slope of 16 bits": (
        one_op("LeakyRelu", [activations(WIDE, 64, 64)], result=Quantization(0.0009, 0, np.int16), alpha=0.3),
        {"MUL": 2, "MAXIMUM": 1},
        (0.998, 0.998),
    ),
    "another scale of 16 bits": (
        one_op("Relu", [activations(WIDE, 64, 64)], result=Quantization(0.0031, 0, np.int16)),
        {"MUL": 1},
        (0.998, 0.998),
    ),
    "root of values from 0 on": (
        one_op("Sqrt", [activations(Quantization(0.05, -128), 64, 64)], result=Quantization(0.014, -128)),
        {"CAST": 1, "ADD": 1, "GATHER": 1},
        (1.0, 1.0),
    ),
    "sum, of frequent ties": (
        one_op("Add", [activations(FINE, 64, 64), activations(FINE, 64, 64)], result=HALF),
        {"ADD": 2, "SUB": 1, "QUANTIZE": 4},
        (0.999, 0.999),
    ),
    "sum": (
        one_op("Add", [activations(FINE, 64, 64), activations(ODD, 64, 64)], result=HALF),
        {"ADD": 1},
        (0.98, 0.98),
    ),
    "another scale": (
        one_op("Concat", [activations(FINE, 64, 64), activations(ODD, 64, 64)], result=ODD, axis=1),
        {"MUL": 1, "CONCATENATION": 1},
        (0.99, 0.999),
    ),
    "softmax of another scale": (
        one_op("Softmax", [activations(FINE, 64, 16)], result=Quantization(1 / 255, -128)),
        {"QUANTIZE": 2, "SOFTMAX": 1},
        (0.98, 0.98),
    ),
    "softmax of many values, with smaller steps": (
        one_op("Softmax", [activations(FINE, 16, 300)], result=Quantization(1 / 640, -128)),
        {"QUANTIZE": 2, "SOFTMAX": 1},
        (0.98, 0.98),
    ),
    **{
        f"softmax of {count} values, with far smaller steps": (
            one_op("Softmax", [activations(FINE, 16, count)], result=Quantization(1 / 4653, -128)),
            {"DEQUANTIZE": 1, "REDUCE_MAX": 1, "SUB": 1, "EXP": 1, "SUM": 1, "DIV": 1, "QUANTIZE": 1},
            (0.999, 0.999),
        )
        for count in (40, 300)
    },
    "softmax of channels": (
        one_op("Softmax", [activations(FINE, *IMAGE)], result=Quantization(1 / 256, -128), axis=1),
        {"SOFTMAX": 1},
        (0.98, 0.98),
    ),
    "logistic of another scale": (
        one_op("Sigmoid", [activations(FINE, 64, 64)], result=Quantization(0.0038, -128)),
        {"QUANTIZE": 2, "LOGISTIC": 1},
        (0.98, 0.98),
    ),
    "small weights": (
        one_op(
            "Conv", [activations(FINE, *IMAGE), weights(8, 1, 3, 3, largest=8)], result=Quantization(0.021), group=8
        ),
        {"DEPTHWISE_CONV_2D": 1},
        (0.99, 0.999),
    ),
    "bias of floats": (
        one_op(
            "Conv",
            [activations(FINE, *IMAGE), weights(8, 8, 3, 3, largest=64), Known(random(8) / 7)],
            result=Quantization(0.021),
        ),
        {"CONV_2D": 1},
        (0.99, 0.999),
    ),
    "weights of 4 bits": (
        one_op("Conv", [activations(FINE, *IMAGE), nibbles(8, 8, 3, 3)], result=Quantization(0.021)),
        {"CONV_2D": 1},
        (0.98, 0.98),
    ),
    "weights of 4 bits, transposed": (
        one_op(
            "ConvTranspose",
            [activations(FINE, *IMAGE), nibbles(8, 8, 2, 2)],
            result=Quantization(0.021),
            strides=[2, 2],
        ),
        {"TRANSPOSE_CONV": 1},
        (0.98, 0.98),
    ),
    "small weights, transposed": (
        one_op(
            "ConvTranspose",
            [activations(FINE, *IMAGE), weights(8, 8, 2, 2, largest=8)],
            result=Quantization(0.021),
            strides=[2, 2],
        ),
        {"TRANSPOSE_CONV": 1},
        (0.99, 0.99),
    ),
    "weights of 4 bits by 16": (
        one_op("Conv", [activations(WIDE, *IMAGE), nibbles(8, 8, 3, 3)], result=WIDE),
        {"CONV_2D": 1},
        (0.98, 0.98),
    ),
    "16 bits": (
        one_op("Conv", [activations(WIDE, *IMAGE), weights(8, 8, 3, 3, largest=64)], result=WIDE),
        {"CONV_2D": 1},
        (0.98, 0.98),
    ),
    "16 bits, each channel": (
        one_op("Conv", [activations(WIDE, *IMAGE), weights(8, 1, 3, 3, largest=64)], result=WIDE, group=8),
        {"CONV_2D": 1},
        (0.98, 0.98),
    ),
    **FORMS,
}
"""Each case with the operators that it is written in, and the least shares of equal elements: reference, default."""

MOVES = ("TRANSPOSE", "RESHAPE")


@pytest.fixture(scope="module")
def contents() -> dict[str, bytes]:
    return {name: written(case) for name, (case, _, _) in CASES.items()}


def written(case: Case) -> bytes:
    content = convert(load(case.model), Format.TFLITE).content
    assert content is not None
    return content


@pytest.fixture(scope="module")
def answers(contents: dict[str, bytes]) -> dict[tuple[str, Resolver], wire.Message | EngineError]:
    keys = [(name, resolver) for name in CASES for resolver in Resolver]
    tasks = [
        wire.Message({"resolver": str(resolver)}, (), contents[name], (CASES[name][0].feeds,))
        for name, resolver in keys
    ]
    return dict(zip(keys, child.run_tasks(EngineName.LITERT, tasks), strict=True))


@pytest.mark.parametrize("resolver", Resolver)
@pytest.mark.parametrize("name", CASES)
def test_a_share_of_elements_is_onnxruntimes(
    answers: dict[tuple[str, Resolver], wire.Message | EngineError], name: str, resolver: Resolver
) -> None:
    case, _, needed = CASES[name]
    (expected,), answer = theirs(case), answers[name, resolver]
    assert isinstance(answer, wire.Message)
    (found,) = answer.samples[0].values()
    differences = np.abs(found.astype(np.int64) - expected)
    assert differences.max() <= 1
    assert np.mean(differences == 0) >= needed[list(Resolver).index(resolver)]


@pytest.mark.parametrize("name", CASES)
def test_the_operators(contents: dict[str, bytes], name: str) -> None:
    found = operators(contents[name])
    assert {code: count for code, count in found.items() if code not in MOVES} == CASES[name][1]


def operators(content: bytes) -> Counter[str]:
    names = {code: name for name, code in vars(tflite.BuiltinOperator).items() if isinstance(code, int)}
    model = tflite.Model.GetRootAs(content, 0)
    graph = model.Subgraphs(0)
    codes = [model.OperatorCodes(graph.Operators(i).OpcodeIndex()) for i in range(graph.OperatorsLength())]
    return Counter(names[code.BuiltinCode()] for code in codes)


def test_enlarged_weights_keep_their_values(contents: dict[str, bytes]) -> None:
    model = tflite.Model.GetRootAs(contents["small weights"], 0)
    graph = model.Subgraphs(0)
    tensor = next(t for i in range(graph.TensorsLength()) if (t := graph.Tensors(i)).Shape(0) == 1 and t.Buffer())
    held = model.Buffers(tensor.Buffer()).DataAsNumpy().view(np.int8).reshape(3, 3, 8)
    given = random(8, 1, 3, 3, dtype=np.int8) // 16
    scales = tensor.Quantization().ScaleAsNumpy()
    assert scales.size == 8
    assert np.abs(held).max() > 60
    np.testing.assert_array_equal(held * scales, given[:, 0].transpose(1, 2, 0) * np.float32(0.01 / 8))


def test_weights_of_a_source_in_tflite_are_not_enlarged(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["small weights"][0]
    with monkeypatch.context() as patch:
        patch.setattr(contraction, "enlarged", lambda operands, *_: operands)
        small = written(case)
    assert small != written(case)
    again = convert(load(small), Format.TFLITE).content
    assert again is not None
    assert largest_weight(again) == largest_weight(small) == 8


def largest_weight(content: bytes) -> int:
    model = tflite.Model.GetRootAs(content, 0)
    graph = model.Subgraphs(0)
    tensors = [graph.Tensors(i) for i in range(graph.TensorsLength())]
    arrays = [model.Buffers(t.Buffer()).DataAsNumpy() for t in tensors if t.Type() == tflite.TensorType.INT8]
    return max(int(np.abs(array.view(np.int8)).max()) for array in arrays if isinstance(array, np.ndarray))


@pytest.mark.parametrize("name", ["mean of 4, of frequent ties", "16 bits, each channel"])
def test_what_is_written_is_read_and_written_again(contents: dict[str, bytes], name: str) -> None:
    again = convert(load(contents[name]), Format.TFLITE).content
    assert again is not None
    first, second = (operators(content) for content in (contents[name], again))
    assert {code: first[code] for code in first if code not in MOVES} == {
        code: second[code] for code in second if code not in MOVES
    }
