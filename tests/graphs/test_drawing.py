"""The random graphs themselves: the same for a seed, of all operators, and reduced by parts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from qconvert.frontends.onnx.context import OPERATORS
from qconvert.frontends.tflite.context import OPERATORS as TFLITE_OPERATORS
from tests.graphs.case import Case
from tests.graphs.distribution import Distribution
from tests.graphs.drawing import grow, input_shape, observed
from tests.graphs.network import Drawing, Network
from tests.graphs.onnx_cases import Graph, cut, random_graph
from tests.graphs.operator_writer import WRITERS, OperatorWriter
from tests.graphs.operators.registry import families
from tests.graphs.style import Style
from tests.graphs.tflite_source import rows, tflite_source
from tests.support.paths import ROOT

SEEDS = range(40)
ROUNDS = 40
NOT_DRAWN = {
    "FakeQuantize": "onnxruntime has no kernel",
    "QLinearReduceMean": "onnxruntime has no kernel for processors",
    "Upsample": "opset 9 was its last, which has no quantizers",
    "QuantizeLinear": "in every graph that is quantized, of both domains",
    "DequantizeLinear": "in every graph that is quantized, of both domains",
}
"""ONNX operators that are read, and that no family draws, with the reason."""
NOT_DRAWN_IN_TFLITE = {
    **dict.fromkeys(("CALL", "IF", "STABLEHLO_COMPOSITE"), "it has a graph of its own: tests/frontends"),
    **dict.fromkeys(("CEIL", "ELU", "ROUND"), "LiteRT's reference kernels lack it"),
    **dict.fromkeys(("POW", "RSQRT", "SQRT"), "it is not defined for all integers: tests/cases/elementwise.py"),
    **dict.fromkeys(("SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"), "it has a state: tests/cases/recurrent.py"),
    "FAKE_QUANT": "it is read for float models only: tests/frontends",
}
"""TFLite operators that are read, and that neither rows nor networks draw, with the reason."""

ON_INTEGERS = {key.op_type for key in OPERATORS if key.op_type.startswith(("QLinear", "QGemm"))}


@cache
def first_graph(after: int = 0) -> Graph:
    """Return the first graph of a seed of at least ``after``, of those that ``quantize`` need not make."""
    graphs = filter(None, map(random_graph, range(after, after + 40)))
    return next(graph for graph in graphs if graph.form != "float, quantized")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["graphs", "--seconds", "0"], ["table", "--help"]])
def test_the_long_searches_start_with_the_repository_alone(arguments: list[str], tmp_path: Path) -> None:
    folder = ["--folder", str(tmp_path)] if "--seconds" in arguments else []
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "fuzz", *arguments, *folder]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_seed_gives_one_graph() -> None:
    graph = first_graph()
    same, other = random_graph(graph.seed), first_graph(graph.seed + 1)
    assert same is not None
    assert graph.case().content == same.case().content != other.case().content


def test_the_distribution_counts_graphs() -> None:
    distribution = Distribution()
    for seed in SEEDS:
        graph = random_graph(seed)
        if graph is not None and graph.form != "float, quantized":
            distribution.add(graph.case())
    assert distribution.total > len(SEEDS) * 0.7
    assert len(distribution.operators) > 50
    assert "int8" in str(distribution)


def drawn() -> Iterator[Network]:
    """Yield networks of one maker each, of every family."""
    rng = np.random.default_rng(0)
    for _ in range(ROUNDS):
        for family, makers in families().items():
            for maker, share in makers:
                for _ in range(2 + 2 * share):
                    net = Drawing.start(rng, input_shape(rng))
                    if grow(net, family, maker):
                        yield net.finished()


def on_integers(network: Network) -> set[str]:
    """Return the operators of a network whose operators are those on integers."""
    rng = np.random.default_rng(1)
    ranges = observed(network, rng)
    model = None if ranges is None else OperatorWriter(network, Style(np.uint8, np.int8), ranges).model()
    return set() if model is None else {node.op_type for node in model.graph.node}


def test_every_operator_that_is_read_is_drawn() -> None:
    missing = {key.op_type for key in OPERATORS} - set(NOT_DRAWN)
    for network in drawn():
        missing -= set(network.op_types)
        if any(op_type in WRITERS for op_type in network.op_types) and missing & ON_INTEGERS:
            missing -= on_integers(network)
        if not missing:
            break
    assert missing == set()


def test_every_operator_of_tflite_is_drawn() -> None:
    networks = {node.op for seed in range(1, 60, 2) for node in tflite_source(seed).graph.nodes}
    assert set(TFLITE_OPERATORS) - networks - set(rows()) == set(NOT_DRAWN_IN_TFLITE)


def test_a_cut_keeps_what_an_output_needs() -> None:
    graph = next(graph for graph in map(random_graph, SEEDS) if graph is not None and len(graph.network.steps) > 5)
    middle = graph.network.steps[2].outputs[0]
    before = cut(graph.network, (), (middle,))
    after = cut(graph.network, (middle,), graph.network.outputs)
    assert before.outputs == (middle,)
    assert {step.outputs[0] for step in before.steps} <= {step.outputs[0] for step in graph.network.steps[:3]}
    assert all(middle not in step.outputs for step in after.steps)


def test_a_case_names_its_source() -> None:
    case = first_graph().case()
    assert isinstance(case, Case)
    assert case.source.startswith("onnx")


def test_a_part_that_begins_with_a_scalar_has_no_open_batch() -> None:
    for graph in filter(None, map(random_graph, range(400))):
        for step in graph.network.steps:
            names = [name for name in step.outputs if graph.network.shapes[name] == ()]
            part = cut(graph.network, tuple(names), graph.network.outputs)
            if names and part.inputs and graph.network.shapes[part.inputs[0]] == ():
                assert replace(graph, network=part, has_open_batch=True).case().dims == {}
                return
    raise AssertionError("no graph has a scalar")
