"""``python -m fuzz graphs``: random graphs in every format, each file in the format's own tool, end to end.

A graph that becomes wrong is reduced to the fewest operators and written as a model file beside a line that says what
happens.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from qconvert import Format
from tests.graphs.case import FORMATS, Case, Kind
from tests.graphs.checking import check
from tests.graphs.distribution import Distribution
from tests.graphs.onnx_cases import Graph, random_graph
from tests.graphs.reducing import finding, reduced

ROOT = Path(__file__).parents[1]
_TOGETHER = 24
"""Graphs that share the processes of the formats' tools."""


def main(given: list[str]) -> int:
    """Run for the given seconds; return 1 if there are findings."""
    arguments = _arguments(given)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    started, distribution, tally = time.monotonic(), Distribution(), Counter[tuple[Format, Kind]]()
    graphs, faults = _graphs(arguments.seed), 0
    while time.monotonic() - started < arguments.seconds:
        batch = list(islice(graphs, _TOGETHER))
        for (case, graph), outcomes in zip(batch, check([case for case, _ in batch], arguments.formats), strict=True):
            distribution.add(case)
            tally.update((to, outcome.kind) for to, outcome in outcomes.items())
            for to in [to for to, outcome in outcomes.items() if outcome.is_fault]:
                faults += 1
                print(finding(reduced(graph, to), to, arguments.folder), flush=True)
    print(distribution)
    print(_table(tally, distribution.total, time.monotonic() - started))
    return 1 if faults else 0


def _arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz graphs", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="the first graph's seed; by default from the clock")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz" / "graphs", help="for findings")
    parser.add_argument("--formats", type=Format, nargs="*", default=FORMATS)
    found = parser.parse_args(given)
    found.seed = found.seed if found.seed is not None else int(time.time()) * 1000
    return found


def _graphs(seed: int) -> Iterator[tuple[Case, Graph]]:
    for number in count(seed):
        graph = random_graph(number)
        if graph is not None:
            yield graph.case(), graph


def _table(tally: Counter[tuple[Format, Kind]], graphs: int, seconds: float) -> str:
    rows = [("format", *map(str, Kind))]
    rows += [(str(to), *(str(tally[to, kind]) for kind in Kind)) for to in FORMATS]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([*lines, f"{graphs} graphs in {seconds:.0f} s, {graphs / seconds:.2f} a second"])
