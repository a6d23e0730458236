"""Normalizations by mean and variance in TOSA's integers, against onnxruntime and against real numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qconvert import Converted, Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.interpreter import evaluate
from qconvert.support.errors import EngineError, FloatsRemainError
from tests.support.boundary_rows import KINDS, drawn_rows
from tests.support.ethos_u import PROCESSORS, compile_for
from tests.support.onnx_cases import Array, Case, Known, Quantization, Quantized, one_op, random, theirs
from tests.support.parameters import few

INTEGERS = TosaOptions(Profile.INT)
LEAST_EQUAL = 0.98
EPSILONS = (1e-5, 0.1, 1e-3)
"""onnxruntime's float32 mean leaves a rest of equal numbers. A small epsilon amplifies it: 1e-5 to 0.2 LSB, 1e-12 to
1 LSB and more, so that 1e-12 is compared with real numbers only."""

BOUNDS = {1: 2.0**-8, 2: 2.0**-5}
"""The error before rounding that ``backends/tosa/variance.py`` states, in LSB, by the bytes of the result."""

SPREAD = ("uniform", "extremes")
"""Rows with a large variance: onnxruntime subtracts two means in GroupNormalization, which leaves errors of a small
one, up to the root of a negative number."""

BYTES = (np.int8, np.uint8)


@dataclass(frozen=True)
class Normalization:
    """An operator on a matrix of rows in the shape ``sizes``: ``rows`` of them have a mean and a variance of their own.

    ``parameters`` is the shape of each of ``count`` constants, ``along`` that shape in the rank of the operand.
    """

    op_type: str
    sizes: tuple[int, ...]
    rows: int
    parameters: tuple[int, ...]
    along: tuple[int, ...]
    count: int = 2
    options: dict[str, Any] = field(default_factory=dict)
    kinds: tuple[str, ...] = tuple(KINDS)
    """The rows on which onnxruntime computes the operator to less than 1 LSB."""


OPERATORS = {
    "LayerNormalization": Normalization("LayerNormalization", (4, 12, 64), 48, (64,), (64,)),
    "LayerNormalization of one dimension": Normalization("LayerNormalization", (48, 1), 48, (1,), (1,)),
    "LayerNormalization of two dimensions": Normalization(
        "LayerNormalization", (48, 7, 11), 48, (7, 11), (7, 11), options={"axis": 1}
    ),
    "LayerNormalization without bias": Normalization("LayerNormalization", (16, 768), 16, (768,), (768,), 1),
    "RMSNormalization": Normalization("RMSNormalization", (4, 12, 64), 48, (64,), (64,), 1, {"opset": 23}),
    "SimplifiedLayerNormalization": Normalization("SimplifiedLayerNormalization", (4, 12, 64), 48, (64,), (64,), 1),
    "LpNormalization": Normalization("LpNormalization", (4, 12, 64), 48, (), (), 0),
    "GroupNormalization": Normalization(
        "GroupNormalization", (3, 16, 9, 7), 12, (16,), (16, 1, 1), options={"num_groups": 4}, kinds=SPREAD
    ),
    "InstanceNormalization": Normalization("InstanceNormalization", (3, 16, 9, 7), 48, (16,), (16, 1, 1)),
}


@dataclass(frozen=True)
class Trial:
    """A model of one normalization with its numbers."""

    case: Case
    source: Quantization
    result: Quantization
    constants: list[Array]

    @classmethod
    def of(cls, op: Normalization, kind: str, epsilon: float, dtype: type[np.generic], seed: int = 0) -> Trial:
        """Draw operand, types and constants."""
        rng = np.random.default_rng(seed)
        middle, finer = 128 if dtype is np.uint8 else 0, 256 if dtype is np.int16 else 1
        choices = [1e-4, 0.003, 0.05, 0.4], [0.01, 0.03, 0.1]
        scales = [float(np.float32(rng.choice(choice) / finer)) for choice in choices]
        points = [0 if finer > 1 else int(rng.integers(-low, low)) + middle for low in (128, 20)]
        source, result = (Quantization(*pair, dtype) for pair in zip(scales, points, strict=True))
        constants = [rng.normal(1 - i, 0.4, op.parameters).astype(np.float32) for i in range(op.count)]
        array = drawn_rows(kind, rng, (op.rows, int(np.prod(op.sizes)) // op.rows), dtype).reshape(op.sizes)
        inputs = [Quantized(array, source), *map(Known, constants)]
        options = op.options if op.op_type == "LpNormalization" else {"opset": 21, "epsilon": epsilon, **op.options}
        return cls(one_op(op.op_type, inputs, result=result, **options), source, result, constants)

    def converted(self) -> Converted:
        """Return the model in TOSA's integers."""
        return convert(load(self.case.model), Format.TOSA, INTEGERS)

    @property
    def arguments(self) -> list[Array]:
        """The operand as signless integers."""
        return [array.view(f"i{array.itemsize}") for array in self.case.feeds.values()]

    @property
    def bound(self) -> float:
        """The error before rounding."""
        return BOUNDS[np.dtype(self.result.dtype).itemsize]

    def real(self, op: Normalization, epsilon: float) -> Array:
        """Return the results in LSB, before they are rounded, in float64."""
        [array] = self.case.feeds.values()
        rows = (array.astype(np.float64) - self.source.zero_point).reshape(op.rows, -1) * np.float32(self.source.scale)
        if op.op_type not in {"RMSNormalization", "SimplifiedLayerNormalization", "LpNormalization"}:
            rows = rows - rows.mean(axis=1, keepdims=True)
        squares = (rows**2).sum(axis=1, keepdims=True)
        if op.op_type != "LpNormalization":
            squares = squares / rows.shape[1] + np.float32(epsilon)
        normal = np.divide(rows, np.sqrt(squares), where=squares > 0, out=np.zeros_like(rows))
        parameters = [constant.astype(np.float64).reshape(op.along) for constant in self.constants]
        found = normal.reshape(op.sizes) * (parameters[0] if parameters else 1) + (parameters[1] if op.count > 1 else 0)
        return found / np.float32(self.result.scale) + self.result.zero_point


@pytest.mark.slow
@pytest.mark.parametrize("name", few(OPERATORS, 1))
def test_results_are_those_of_onnxruntime_within_one(name: str) -> None:
    equal = total = 0
    for kind, (epsilon, dtype) in product(OPERATORS[name].kinds, zip(EPSILONS, cycle(BYTES))):
        trial = Trial.of(OPERATORS[name], kind, epsilon, dtype)
        expected = theirs(trial.case)[0]
        [found] = evaluate(trial.converted().module, trial.arguments)
        apart = np.abs(found.view(expected.dtype).astype(int) - expected)
        assert apart.max() <= 1, (kind, epsilon)
        equal, total = equal + np.count_nonzero(apart == 0), total + apart.size
    assert equal / total >= LEAST_EQUAL


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", few(OPERATORS, 1))
def test_results_are_the_rounded_real_numbers_up_to_the_bound(name: str, kind: str) -> None:
    for epsilon, dtype in ((1e-5, np.uint8), (1e-12, np.int8), (1e-3, np.int16)):
        trial = Trial.of(OPERATORS[name], kind, epsilon, dtype, seed=1)
        [found] = evaluate(trial.converted().module, trial.arguments)
        limits = np.iinfo(trial.result.dtype)
        real = trial.real(OPERATORS[name], epsilon).clip(limits.min, limits.max)
        assert np.abs(found.view(trial.result.dtype) - real).max() <= 0.5 + trial.bound


@pytest.mark.tosa
def test_the_reference_model_computes_the_same() -> None:
    given = product(OPERATORS.values(), KINDS, [1e-5], (np.int8, np.int16))
    trials = [Trial.of(*each) for each in given]
    texts = [trial.converted().text for trial in trials]
    answers = tosa.run_many([Program(text, [trial.arguments]) for text, trial in zip(texts, trials, strict=True)])
    for text, trial, answer in zip(texts, trials, answers, strict=True):
        assert not isinstance(answer, EngineError), answer
        np.testing.assert_array_equal(answer[0][0], evaluate(load(text.encode()).module, trial.arguments)[0])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("name", OPERATORS)
def test_vela_compiles_it(name: str, processor: str, dtype: type[np.generic], tmp_path: Path) -> None:
    compile_for(processor, Trial.of(OPERATORS[name], "uniform", 1e-5, dtype).case.model, tmp_path)


def layer_normalization(
    sizes: tuple[int, ...] = (4, 8), *, scale: float = 1.0, is_known: bool = True, result: float = 0.05
) -> Case:
    source = Quantized(random(*sizes, dtype=np.int8), Quantization(scale, 0))
    parameters = [random(sizes[-1], seed=seed) for seed in (1, 2)]
    given = [Known(array) for array in parameters] if is_known else parameters
    return one_op("LayerNormalization", [source, *given], result=Quantization(result, 0))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(layer_normalization(is_known=False), id="a computed scale"),
        pytest.param(layer_normalization((1, 200_000)), id="long rows"),
        pytest.param(layer_normalization(result=1e-6), id="results far beyond 8 bits"),
    ],
)
def test_what_exceeds_32_bits_is_computed_in_floats(case: Case) -> None:
    assert "tosa.rsqrt" in convert(load(case.model), Format.TOSA).text
    with pytest.raises(FloatsRemainError, match=r"has no integer form|of its quantizer off"):
        convert(load(case.model), Format.TOSA, INTEGERS)


def test_an_epsilon_far_beyond_the_variance_takes_the_integers_of_any_floats() -> None:
    case = layer_normalization(scale=1e-15)
    assert "tosa.rsqrt" in convert(load(case.model), Format.TOSA).text
    text = convert(load(case.model), Format.TOSA, INTEGERS).text
    assert "tosa.rsqrt" not in text
    assert "tosa.clz" not in text


def test_what_fits_is_computed_in_integers() -> None:
    text = convert(load(layer_normalization().model), Format.TOSA).text
    assert "tosa.rsqrt" not in text
    assert "tosa.clz" in text
