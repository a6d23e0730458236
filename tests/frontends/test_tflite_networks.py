"""Random networks of TFLite operators: the interpreter and TOSA have LiteRT's integers, whatever feeds whatever."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from qconvert.api import convert, load
from qconvert.engines import child, modules, tosa, wire
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.interpreter.program import evaluate
from qconvert.support.errors import EngineError
from tests.support.litert_reference import drawn, signless
from tests.support.tflite_cases import Array, Graph, write
from tests.support.tflite_networks import network

NETWORKS, SAMPLES = 120, 3
WRITTEN_AGAIN = 8
FOUND = (1079, 1086, 1142, 1257)
"""Networks whose transposes and requantizations once went past an interpolation."""

pytestmark = pytest.mark.litert


@pytest.fixture(scope="module")
def networks() -> dict[int, Graph]:
    return {seed: network(seed) for seed in (*range(NETWORKS), *FOUND)}


@pytest.fixture(scope="module")
def samples(networks: dict[int, Graph]) -> dict[int, list[dict[str, Array]]]:
    made = {}
    for seed, graph in networks.items():
        rng = np.random.default_rng((seed, 1))
        made[seed] = [{name: drawn(graph.tensors[name], rng) for name in graph.inputs} for _ in range(SAMPLES)]
    return made


@pytest.fixture(scope="module")
def expected(networks: dict[int, Graph], samples: dict[int, list[dict[str, Array]]]) -> dict[int, list[list[Array]]]:
    """LiteRT's outputs, all in one child."""
    tasks = [
        wire.Message({"resolver": "reference"}, (), write(graph), tuple(samples[seed]))
        for seed, graph in networks.items()
    ]
    answers = child.run_tasks(EngineName.LITERT, tasks)
    found = {}
    for seed, answer in zip(networks, answers, strict=True):
        assert not isinstance(answer, EngineError), f"network {seed}: {answer}"
        found[seed] = [list(sample.values()) for sample in answer.samples]
    return found


def differing(found: list[list[Array]], wanted: list[list[Array]]) -> int:
    """How many elements differ, over all samples and outputs."""
    pairs = ((a, b) for ours, theirs in zip(found, wanted, strict=True) for a, b in zip(ours, theirs, strict=True))
    return sum(int((a.view(b.dtype) != b).sum()) for a, b in pairs)


def test_the_interpreter_has_every_integer(
    networks: dict[int, Graph], samples: dict[int, list[dict[str, Array]]], expected: dict[int, list[list[Array]]]
) -> None:
    wrong = []
    for seed, graph in networks.items():
        module = load(write(graph)).module
        found = [list(evaluate(module, list(sample.values()))) for sample in samples[seed]]
        if differing(found, expected[seed]):
            wrong.append(seed)
    assert not wrong


@pytest.mark.tosa
def test_tosa_has_every_integer(
    networks: dict[int, Graph], samples: dict[int, list[dict[str, Array]]], expected: dict[int, list[list[Array]]]
) -> None:
    programs = {
        seed: modules.Program(
            convert(load(write(graph)), Format.TOSA).text, [signless(sample.values()) for sample in samples[seed]]
        )
        for seed, graph in networks.items()
    }
    wrong = []
    for seed, answer in zip(programs, tosa.run_many(programs.values()), strict=True):
        assert not isinstance(answer, EngineError), f"network {seed}: {answer}"
        if differing(answer, expected[seed]):
            wrong.append(seed)
    assert not wrong


def test_litert_has_every_integer_of_what_is_written_again(
    networks: dict[int, Graph], samples: dict[int, list[dict[str, Array]]], expected: dict[int, list[list[Array]]]
) -> None:
    seeds = list(networks)[:WRITTEN_AGAIN]
    contents = {seed: convert(load(write(networks[seed])), Format.TFLITE).content or b"" for seed in seeds}
    tasks = [wire.Message({"resolver": "reference"}, (), contents[seed], tuple(samples[seed])) for seed in seeds]
    for seed, answer in zip(seeds, child.run_tasks(EngineName.LITERT, tasks), strict=True):
        assert not isinstance(answer, EngineError), f"network {seed}: {answer}"
        assert not differing([list(sample.values()) for sample in answer.samples], expected[seed]), f"network {seed}"


def _values(expected: dict[int, list[list[Array]]]) -> Iterator[int]:
    for outputs in expected.values():
        yield from (np.unique(np.stack(arrays)).size for arrays in zip(*outputs, strict=True))


def test_the_networks_say_something(networks: dict[int, Graph], expected: dict[int, list[list[Array]]]) -> None:
    """Operators take what others make, and outputs have many values."""
    operators = {node.op for graph in networks.values() for node in graph.nodes}
    assert len(operators) >= 28
    assert np.mean([len(graph.nodes) for graph in networks.values()]) > 5
    assert np.mean(list(_values(expected))) > 30
