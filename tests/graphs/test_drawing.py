"""The random graphs themselves: the same for a seed, of all operators, and reduced by parts."""

from __future__ import annotations

from tests.graphs.case import Case
from tests.graphs.distribution import Distribution
from tests.graphs.onnx_cases import cut, random_graph

SEEDS = range(40)


def test_a_seed_gives_one_graph() -> None:
    one, same, other = random_graph(3), random_graph(3), random_graph(4)
    assert one is not None
    assert same is not None
    assert other is not None
    assert one.case().content == same.case().content != other.case().content


def test_the_distribution_counts_graphs() -> None:
    distribution = Distribution()
    for seed in SEEDS:
        graph = random_graph(seed)
        if graph is not None and graph.form != "float, quantized":
            distribution.add(graph.case())
    assert distribution.total > len(SEEDS) * 0.7
    assert len(distribution.operators) > 50
    assert "int8" in str(distribution)


def test_a_cut_keeps_what_an_output_needs() -> None:
    graph = next(graph for graph in map(random_graph, SEEDS) if graph is not None and len(graph.network.steps) > 5)
    middle = graph.network.steps[2].outputs[0]
    before = cut(graph.network, (), (middle,))
    after = cut(graph.network, (middle,), graph.network.outputs)
    assert before.outputs == (middle,)
    assert {step.outputs[0] for step in before.steps} <= {step.outputs[0] for step in graph.network.steps[:3]}
    assert all(middle not in step.outputs for step in after.steps)


def test_a_case_names_its_source() -> None:
    graph = random_graph(3)
    assert graph is not None
    assert isinstance(graph.case(), Case)
    assert graph.case().source.startswith("onnx")
