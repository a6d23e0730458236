"""Random quantized graphs are converted to the same network: every layer alone within its limit of onnxruntime."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from onnx import numpy_helper

from qconvert import EngineName, Format, load, validate
from qconvert.backends.tosa import HalfRounding, TosaOptions
from qconvert.support.content import Content
from qconvert.validation import Settings
from qconvert.validation.layers import Family
from tests.support.random_graphs import operator_types, random_graph, side_by_side

SEEDS = range(60)
TOGETHER = 10
"""Graphs in one model: starting onnxruntime takes as long as converting a few of them."""
SETTINGS = Settings(samples=3)
ALWAYS = {"Add", "AveragePool", "Concat", "Conv", "Gemm", "MatMul", "MaxPool", "Mul", "Relu", "Reshape", "Softmax"}


@pytest.mark.slow
@pytest.mark.parametrize("first", SEEDS[::TOGETHER])
def test_every_layer_is_within_its_limit(first: int) -> None:
    """Names begin with the seed: ``random_graph(12)`` alone shows what fails in ``12/``."""
    models = {str(seed): random_graph(seed) for seed in range(first, first + TOGETHER)}
    report = validate(load(side_by_side(models).SerializeToString()), settings=SETTINGS)
    assert report.passed, report.failures
    families = Counter(layer.family for layer in report.layers)
    assert families.total() > 6 * TOGETHER
    assert min(families[family] for family in Family if family is not Family.RECURRENT) > 0, (
        "no LSTM among the operators"
    )
    assert sum(layer.elements for layer in report.layers) > 10_000


@pytest.mark.usual(3)
@pytest.mark.tosa
@pytest.mark.slow
@pytest.mark.parametrize("first", SEEDS[::TOGETHER])
def test_every_layer_is_within_its_limit_in_tosa(first: int) -> None:
    """With halves to even: the graphs have scales whose quotients are powers of two."""
    models = {str(seed): random_graph(seed) for seed in range(first, first + TOGETHER)}
    options = TosaOptions(rounding=HalfRounding.EVEN)
    settings = Settings(to=Format.TOSA, engine=EngineName.TOSA, options=options, samples=2)
    report = validate(load(side_by_side(models).SerializeToString()), settings=settings)
    assert report.passed, report.failures
    assert max(layer.max_lsb for layer in report.layers) <= 1


def test_the_graphs_are_of_many_operators() -> None:
    found = operator_types(random_graph(seed) for seed in SEEDS)
    assert found >= ALWAYS
    assert len(found) >= 60


def test_a_seed_gives_one_graph() -> None:
    assert random_graph(7) == random_graph(7)
    assert random_graph(7) != random_graph(8)


def test_a_scale_a_hundredth_off_shows() -> None:
    model = random_graph(3)
    right = model.SerializeToString()
    scales = [array for array in model.graph.initializer if array.name.endswith("_q_scale")]
    scales[-1].CopyFrom(numpy_helper.from_array(numpy_helper.to_array(scales[-1]) * np.float32(1.01), scales[-1].name))
    wrong = replace(load(model.SerializeToString()), opened=Content.of(right))
    report = validate(wrong, settings=SETTINGS)
    assert len(report.failures) >= 1
    assert scales[-1].name.removesuffix("_q_scale") in str(report.failures)
