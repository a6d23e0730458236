"""ONNX operators as TOSA: validated strictly, run by the reference model, beside onnxruntime on the same inputs."""

from __future__ import annotations

from typing import TypeAlias

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert import Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.support.errors import ConversionError, EngineError
from tests.cases import reduction
from tests.support.onnx_cases import Case, Input, Quantization, Quantized, one_op, random, theirs

Answers: TypeAlias = "dict[str, list[list[NDArray[np.generic]]] | EngineError]"

# scales without small common multiples, so that next to nothing is a tie
A, B = Quantization(0.037137, 3), Quantization(0.021391, -7)
WEIGHTS = Quantization(0.011, 0)
LARGE = Quantization(0.7, 5)
INT4 = Quantization(0.05, 0, ml_dtypes.int4)


def integers(*shape: int, seed: int = 0, quantization: Quantization = A, known: bool = False) -> Quantized:
    values = np.random.default_rng(seed).integers(-128, 128, shape)
    return Quantized(values, quantization, known)


VOLUMES: list[Input] = [integers(1, 4, 5, 7, 6), integers(5, 4, 3, 3, 3, seed=1, quantization=WEIGHTS, known=True)]

EXACT: dict[str, Case] = {
    "an average in its own type": one_op("AveragePool", [integers(1, 4, 11, 11)], result=A, kernel_shape=[3, 3]),
    "an average in another type": one_op("AveragePool", [integers(1, 4, 11, 11)], result=B, kernel_shape=[3, 3]),
    "a convolution over three dimensions": one_op(
        "Conv", VOLUMES, result=LARGE, pads=[1, 0, 1, 0, 1, 1], strides=[1, 2, 1]
    ),
    "weights of four bits": one_op(
        "Conv",
        [integers(1, 4, 7, 6), Quantized(np.random.default_rng(1).integers(-8, 8, (5, 4, 3, 3)), INT4, known=True)],
        result=LARGE,
    ),
}
NEAR: dict[str, Case] = {
    "an average of floats": one_op("AveragePool", [random(1, 3, 8, 8)], kernel_shape=[2, 3], strides=[2, 1]),
    "an average without its padding": one_op("AveragePool", [random(1, 3, 8, 8)], kernel_shape=[3, 3], pads=[1] * 4),
    "Gemm": one_op("Gemm", [random(3, 5), random(4, 5, seed=1), random(4, seed=2)], transB=1),
    "Softmax": one_op("Softmax", [random(3, 5)]),
}
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def answers() -> Answers:
    """What the reference model gives for every case, in one child."""
    cases = {**EXACT, **NEAR}
    texts = [convert(load(case.model), Format.TOSA).text for case in cases.values()]
    programs = [Program(text, [list(case.feeds.values())]) for text, case in zip(texts, cases.values(), strict=True)]
    return dict(zip(cases, tosa.run_many(programs), strict=True))


def found(answers: Answers, name: str) -> NDArray[np.generic]:
    answer = answers[name]
    assert not isinstance(answer, EngineError), str(answer)
    return answer[0][0]


@pytest.mark.tosa
@pytest.mark.parametrize("name", EXACT)
def test_the_same_values(name: str, answers: Answers) -> None:
    [expected] = theirs(EXACT[name])
    np.testing.assert_array_equal(found(answers, name), expected)


@pytest.mark.tosa
@pytest.mark.parametrize("name", NEAR)
def test_the_same_floats_but_for_their_last_bits(name: str, answers: Answers) -> None:
    [expected] = theirs(NEAR[name])
    np.testing.assert_allclose(found(answers, name), expected, rtol=TOLERANCE, atol=TOLERANCE)


def test_an_average_in_its_own_type_is_one_op() -> None:
    text = convert(load(EXACT["an average in its own type"].model), Format.TOSA).text
    assert '"tosa.avg_pool2d"' in text
    assert '"tosa.rescale"' not in text


def test_the_integers_are_compared_for_an_index() -> None:
    """A dequantize keeps their order, so that no float is left."""
    converted = convert(load(reduction.ONNX["ArgMax of bytes"].case.model), Format.TOSA, TosaOptions(Profile.INT))
    assert '"tosa.argmax"' in converted.text


def test_other_reductions_of_pairs_are_refused() -> None:
    last = one_op("ArgMax", [random(3, 4)], axis=0, select_last_index=1)
    with pytest.raises(ConversionError, match="only as the index of the first largest or smallest"):
        convert(load(last.model), Format.TOSA)
