"""Makes a graph that a conversion spoils smaller, down to the fewest operators, and writes it as a finding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from qconvert import Format
from tests.graphs.case import Kind, Outcome
from tests.graphs.checking import check
from tests.graphs.network import Network, Step
from tests.graphs.onnx_cases import Graph

_MOST_ROUNDS = 12


def reduced(graph: Graph, to: Format) -> Graph:
    """Return a smallest graph that fails in a format in the same way: fewer operators, then fewer traits."""
    kind = outcome_of(graph, to).kind
    for _ in range(_MOST_ROUNDS):
        smaller = next((each for each in _smaller(graph) if _fails(each, to, kind)), None)
        if smaller is None:
            return graph
        graph = smaller
    return graph


def outcome_of(graph: Graph, to: Format) -> Outcome:
    """Return what becomes of one graph in one format; EQUAL if the source's own runtime refuses it."""
    return check([graph.case()], [to])[0].get(to, Outcome(Kind.EQUAL))


def _fails(graph: Graph, to: Format, kind: Kind) -> bool:
    return outcome_of(graph, to).kind is kind


def _smaller(graph: Graph) -> Iterator[Graph]:
    """Yield variants: one output alone, from the shortest; one value as an input; no open batch."""
    network = graph.network
    made = [name for step in network.steps for name in step.outputs]
    ends = [cut(network, (), (name,)) for name in made]
    starts = [cut(network, (name,), network.outputs) for name in made]
    found = [each for each in (*ends, *starts) if 0 < len(each.steps) < len(network.steps)]
    for smaller in sorted(found, key=lambda each: len(each.steps)):
        yield replace(graph, network=smaller)
    if len(network.outputs) > 1:
        yield from (replace(graph, network=replace(network, outputs=(name,))) for name in network.outputs)
    if graph.has_open_batch:
        yield replace(graph, has_open_batch=False)
    style = graph.style
    for changed in (
        replace(style, per_axis=False),
        replace(style, odd_zero_points=False),
        replace(style, mixed=0.0),
        replace(style, weight_zero_point=0 if style.weight_zero_point < 100 else 128),
        replace(style, integer_output=True),
    ):
        if changed != style:
            yield replace(graph, style=changed)


def cut(network: Network, starts: tuple[str, ...], outputs: tuple[str, ...]) -> Network:
    """Return the part of a network that some outputs need; ``starts`` become inputs in place of what computes them."""
    needed, kept = set(outputs) - set(starts), list[Step]()
    for step in reversed(network.steps):
        if needed & set(step.outputs):
            kept.append(step)
            needed |= set(step.operands) - set(starts)
    steps = tuple(reversed(kept))
    taken = {name for step in steps for name in step.operands}
    inputs = tuple(name for name in (*network.inputs, *starts) if name in taken)
    made = {name for step in steps for name in step.outputs}
    return replace(network, inputs=inputs, steps=steps, outputs=tuple(name for name in outputs if name in made))


def finding(graph: Graph, to: Format, folder: Path) -> str:
    """Write a graph's model and samples' seed into a folder; return a line that says what happens."""
    outcome, case = outcome_of(graph, to), graph.case()
    name = f"{to}-{'-'.join(case.op_types).lower()[:60]}-{graph.seed}"
    path = folder / f"{name}.onnx"
    path.write_bytes(case.content)
    facts = ", ".join(f"{key} {value}" for key, value in case.facts.items())
    line = f"{path.name}: {' -> '.join(case.op_types)} to {to}: {outcome.kind}: {outcome.text[-600:]} ({facts})"
    path.with_suffix(".txt").write_text(f"{case.label}\n{line}\n")
    return line
