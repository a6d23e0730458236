"""Decides whether a graph was refused for a node that is refused alone, with the same types, ranks and attributes."""

from __future__ import annotations

import re
from dataclasses import replace

from qconvert import Format
from tests.graphs.case import Case, Kind, Outcome
from tests.graphs.network import Network
from tests.graphs.onnx_cases import Graph, cut
from tests.graphs.source import Source
from tests.graphs.targets import Attempt, opened

_NODE = re.compile(
    r"node '([^']+)'|<bytes>:\d+:\d+: |<bytes>: (?:stablehlo|qconvert)\.\w+: "
    r"|<bytes>: output '[^']+' |(?:ports|outputs) have the name '"
)
"""A node of the source, a place in a text, the op of a text without places, or a port that no op computes.

An op of qconvert's own may stand for a few.
"""
_MOST_CHARACTERS = 300
"""The length of a refusal that fits in a few lines."""
_PARTS = re.compile(r"(_q|_dq|_in\d+|_dq_q)+$")


def checked(source: Source, case: Case, outcome: Outcome, to: Format) -> Outcome:
    """Return a refusal's outcome, as a fault where it is long, names no node, or where the node alone converts."""
    if outcome.kind is not Kind.REFUSED or "--dim" in outcome.text:
        return outcome
    if len(outcome.text) > _MOST_CHARACTERS:
        return Outcome(Kind.REFUSED_TOGETHER, f"{len(outcome.text)} characters: {outcome.text}")
    named = _NODE.search(outcome.text)
    if named is None:
        return Outcome(Kind.REFUSED_TOGETHER, f"no node is named: {outcome.text}")
    if named[1] is None or not isinstance(source, Graph) or case.made is not None:
        return outcome
    parts = _parts(source, _PARTS.sub("", named[1]))
    if parts and not any(_is_refused(part, to) for part in parts):
        return Outcome(Kind.REFUSED_TOGETHER, f"the node alone converts: {outcome.text}")
    return outcome


def _parts(graph: Graph, value: str) -> list[Graph]:
    """Return the parts of a graph between quantizers, and those up to its outputs, that compute or take a value."""
    network = graph.network
    outputs = set(network.outputs)
    borders = [name for step in network.steps if step.is_quantized for name in step.outputs]
    ends = [step.outputs for step in network.steps if step.is_quantized or outputs.intersection(step.outputs)]
    found = []
    for names in ends:
        part = cut(network, tuple(name for name in borders if name not in names), names)
        touched = {name for step in part.steps for name in (*step.outputs, *step.operands)}
        if value in touched and len(part.steps) < len(network.steps):
            origins = {name: _origin(network, name) for name in part.inputs}
            found.append(replace(graph, network=part, origins=origins))
    return found


def _origin(network: Network, name: str) -> str:
    """Return the value whose scale and zero point a value has: operators that keep them pass them on."""
    steps = {made: step for step in network.steps for made in step.outputs}
    while name in steps and steps[name].keeps and isinstance(first := steps[name].inputs[0], str):
        name = first
    return name


def _is_refused(graph: Graph, to: Format) -> bool:
    model = opened(graph.case())
    if isinstance(model, Outcome):
        return model.kind is Kind.REFUSED
    attempt = Attempt(graph.case(), to, model, [])
    attempt.convert()
    return attempt.outcome is not None and attempt.outcome.kind is Kind.REFUSED
