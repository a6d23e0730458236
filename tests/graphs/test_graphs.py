"""Random graphs of all sources become the same in every format: each file in the format's own tool, end to end."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest

from tests.graphs.case import Outcome
from tests.graphs.checking import examine
from tests.graphs.onnx_cases import pair_graph, random_graph
from tests.graphs.operators.registry import families
from tests.graphs.source import Source
from tests.graphs.stablehlo_source import stablehlo_source
from tests.graphs.table import rows
from tests.graphs.tflite_source import tflite_source

pytestmark = [pytest.mark.tosa, pytest.mark.litert, pytest.mark.stablehlo, pytest.mark.slow]

_TOGETHER = 20
_MAKERS: dict[str, Callable[[int], Source | None]] = {
    "onnx": random_graph,
    "tflite": tflite_source,
    "stablehlo": stablehlo_source,
}
_LONG = range(50_000, 50_400, _TOGETHER)
"""The first seeds of the groups of graphs that ``make test-long`` tries of each source."""
_ROWS_TOGETHER = 100
_QUICK = {"onnx": range(100, 124), "tflite": range(100, 108), "stablehlo": range(100, 112)}
_QUICK_PAIRS, _QUICK_ROWS = 20, 24


def faults(sources: list[Source | None]) -> dict[str, Outcome]:
    """Return what is wrong with sources, by their names and formats."""
    given = [source for source in sources if source is not None]
    found = zip(given, examine(given), strict=True)
    return {
        f"{source.label} to {to}": outcome
        for source, (_, outcomes) in found
        for to, outcome in outcomes.items()
        if outcome.is_fault
    }


def pairs(first: str) -> list[Source | None]:
    """Return a graph of each ordered pair of families that begins with ``first``; a pair that never fits has none."""
    return [pair_graph(first, second) for second in families()]


@pytest.mark.parametrize(("source", "seeds"), _QUICK.items(), ids=str)
def test_some_graphs(source: str, seeds: range) -> None:
    assert faults([_MAKERS[source](seed) for seed in seeds]) == {}


def test_some_pairs_of_families() -> None:
    every = list(product(families(), repeat=2))
    chosen = random.Random(1).sample(every, _QUICK_PAIRS)
    assert faults([pair_graph(*pair) for pair in chosen]) == {}


def test_some_operators_with_other_types_and_axes() -> None:
    assert faults([*random.Random(1).sample(rows(), _QUICK_ROWS)]) == {}


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("source", _MAKERS)
@pytest.mark.parametrize("first", _LONG)
def test_many_graphs(source: str, first: int) -> None:
    assert faults([_MAKERS[source](seed) for seed in range(first, first + _TOGETHER)]) == {}


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", families())
def test_every_pair_of_families(first: str) -> None:
    assert faults(pairs(first)) == {}


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", range(0, len(rows()), _ROWS_TOGETHER))
def test_every_operator_with_all_types_and_axes(first: int) -> None:
    assert faults([*rows()[first : first + _ROWS_TOGETHER]]) == {}
