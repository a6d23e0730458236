"""A layered drawing of a directed graph without cycles: ranks from top to bottom, few crossings, straight edges.

The steps are those of Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures"
(1981): ranks, an order within each rank by the means of neighbours, and positions. A position is the least-squares fit
to the neighbours' positions that keeps order and distances (isotonic regression).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]

_SWEEPS = 6
"""The number of passes over all ranks, down and up, that improve order and positions."""

_MOST_BENDS = 20_000
"""The largest number of bends that edges over several ranks have together; the longest edges get none beyond it."""

_BEND = 0.25
"""The width of a bend, where a node has the width 1."""


@dataclass(frozen=True)
class Drawing:
    """Positions in units of a node's width (x) and of ranks (y), the least of which is 0.

    ``points`` has the centre of each node, ``edges`` a line of points for each edge, from its source to its target.
    """

    points: tuple[Point, ...]
    edges: tuple[tuple[Point, ...], ...]


@dataclass
class _Graph:
    """Nodes and bends, numbered; each has a rank, and neighbours in the ranks above and below."""

    ranks: list[int]
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)

    def join(self, source: int, target: int) -> None:
        self.above[target].append(source)
        self.below[source].append(target)


def layered(count: int, edges: Sequence[tuple[int, int]]) -> Drawing:
    """Return a drawing of ``count`` nodes, numbered such that each edge leads from a smaller number to a larger."""
    ranks = _ranks(count, edges)
    graph = _Graph(ranks, [[] for _ in ranks], [[] for _ in ranks])
    paths = _paths(graph, edges)
    rows: list[list[int]] = [[] for _ in range(max(graph.ranks, default=-1) + 1)]
    for node, rank in enumerate(graph.ranks):
        rows[rank].append(node)
    _order(graph, rows)
    widths = [1.0 if node < count else _BEND for node in range(len(graph.ranks))]
    places = _places(graph, rows, widths)
    least = min((place - width / 2 for place, width in zip(places, widths, strict=True)), default=0.0)
    points = [(place - least, float(rank)) for place, rank in zip(places, graph.ranks, strict=True)]
    lines = tuple(tuple(points[node] for node in path) for path in paths)
    return Drawing(tuple(points[:count]), lines)


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the length of the longest path to each node; a source stands right above its first target."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        assert source < target, "edges lead to larger numbers"
        above[target].append(source)
        below[source].append(target)
    ranks = [0] * count
    for node in range(count):
        ranks[node] = max((ranks[each] + 1 for each in above[node]), default=0)
    for node in range(count):
        if not above[node] and below[node]:
            ranks[node] = min(ranks[each] for each in below[node]) - 1
    return ranks


def _paths(graph: _Graph, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Add bends to edges over several ranks, the shortest first; return the nodes and bends of each edge."""
    paths: dict[int, list[int]] = {}
    left = _MOST_BENDS
    spans = [graph.ranks[target] - graph.ranks[source] for source, target in edges]
    for i in sorted(range(len(edges)), key=spans.__getitem__):
        source, target = edges[i]
        left -= spans[i] - 1
        if left < 0:
            paths[i] = [source, target]
            continue
        path = [source]
        for rank in range(graph.ranks[source] + 1, graph.ranks[target]):
            path.append(len(graph.ranks))
            graph.ranks.append(rank)
            graph.above.append([])
            graph.below.append([])
        path.append(target)
        for upper, lower in pairwise(path):
            graph.join(upper, lower)
        paths[i] = path
    return [paths[i] for i in range(len(edges))]


def _order(graph: _Graph, rows: list[list[int]]) -> None:
    """Sort each rank by the mean place of the neighbours in the rank before, down and up."""
    places = [0.0] * len(graph.ranks)
    for row in rows:
        _number(row, places)
    for _ in range(_SWEEPS):
        for row, neighbours in _passes(graph, rows):
            means = {node: _mean([places[each] for each in neighbours[node]], places[node]) for node in row}
            row.sort(key=means.__getitem__)
            _number(row, places)


def _number(row: list[int], places: list[float]) -> None:
    for i, node in enumerate(row):
        places[node] = i - len(row) / 2


def _passes(graph: _Graph, rows: list[list[int]]) -> list[tuple[list[int], list[list[int]]]]:
    """Return all ranks downwards with the neighbours above, then upwards with those below."""
    return [*((row, graph.above) for row in rows), *((row, graph.below) for row in reversed(rows))]


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _places(graph: _Graph, rows: list[list[int]], widths: list[float]) -> list[float]:
    """Return the centres of all nodes and bends, those of a rank in order and without overlap."""
    places = [0.0] * len(graph.ranks)
    for row in rows:
        _spread(row, [0.0] * len(row), widths, places)
    for _ in range(_SWEEPS):
        for row, neighbours in _passes(graph, rows):
            wanted = [_mean([places[each] for each in neighbours[node]], places[node]) for node in row]
            _spread(row, wanted, widths, places)
    return places


def _spread(row: list[int], wanted: list[float], widths: list[float], places: list[float]) -> None:
    """Place a rank's nodes as near to the wanted centres as their order and widths permit, by least squares."""
    offsets, offset = list[float](), 0.0
    for i, node in enumerate(row):
        offset += (widths[node] + widths[row[i - 1]]) / 2 if i else 0.0
        offsets.append(offset)
    groups: list[tuple[float, int]] = []
    for place, shift in zip(wanted, offsets, strict=True):
        total, size = place - shift, 1
        while groups and groups[-1][0] / groups[-1][1] >= total / size:
            before, number = groups.pop()
            total, size = total + before, size + number
        groups.append((total, size))
    means = [total / size for total, size in groups for _ in range(size)]
    for node, mean, shift in zip(row, means, offsets, strict=True):
        places[node] = mean + shift
