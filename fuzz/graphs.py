"""``python -m fuzz graphs``: random graphs in every format, each file in the format's own tool, end to end.

A graph that becomes wrong is reduced to the fewest operators and written as a model file beside a line that says what
happens.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path

from qconvert import Format
from tests.graphs.case import FORMATS, Kind
from tests.graphs.checking import examine
from tests.graphs.distribution import Distribution
from tests.graphs.onnx_cases import random_graph
from tests.graphs.reducing import finding, reduced
from tests.graphs.source import Source
from tests.graphs.stablehlo_source import stablehlo_source
from tests.graphs.tflite_source import tflite_source

ROOT = Path(__file__).parents[1]
MAKERS: dict[str, Callable[[int], Source | None]] = {
    "onnx": random_graph,
    "tflite": tflite_source,
    "stablehlo": stablehlo_source,
}
_CANDIDATES = 6
"""The number of sources of which two are examined: the last one, and that with the rarest operator."""
_TOGETHER = 48
"""Graphs that share the processes of the formats' tools."""


def main(given: list[str]) -> int:
    """Run for the given seconds; return 1 if there are findings."""
    arguments = _arguments(given)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    started, distribution, tally = time.monotonic(), Distribution(), Counter[tuple[Format, Kind]]()
    sources, faults = _balanced(_sources(arguments.seed, arguments.sources)), 0
    while time.monotonic() - started < arguments.seconds:
        batch = list(islice(sources, _TOGETHER))
        for source, (case, outcomes) in zip(batch, examine(batch, arguments.formats), strict=True):
            if case is not None:
                distribution.add(case)
            tally.update((to, outcome.kind) for to, outcome in outcomes.items())
            for to in [to for to, outcome in outcomes.items() if outcome.is_fault]:
                faults += 1
                print(finding(reduced(source, to), to, arguments.folder), flush=True)
    print(distribution)
    print(_table(tally, distribution.total, time.monotonic() - started))
    return 1 if faults else 0


def _arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz graphs", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="the first graph's seed; by default from the clock")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz" / "graphs", help="for findings")
    parser.add_argument("--formats", type=Format, nargs="*", default=FORMATS)
    parser.add_argument("--sources", nargs="*", default=[*MAKERS], choices=[*MAKERS])
    found = parser.parse_args(given)
    found.seed = found.seed if found.seed is not None else int(time.time()) * 1000
    return found


def _sources(seed: int, kinds: list[str]) -> Iterator[Source]:
    """Yield sources of the given kinds; those of ONNX, which has most forms, are half of all."""
    order = [kind for kind in ("onnx", "tflite", "onnx", "stablehlo") if kind in kinds]
    for number in count(seed):
        source = MAKERS[order[number % len(order)]](number)
        if source is not None:
            yield source


def _balanced(sources: Iterator[Source]) -> Iterator[Source]:
    """Yield every second source that is drawn as it is, and between them those of the rarest operators so far.

    Few networks fit some operators: one of ``_CANDIDATES`` sources is taken, the others are left.
    """
    graphs = Counter[str]()
    drawn = ((source, _operators(source)) for source in sources)

    def rarest(candidate: tuple[Source, set[str]]) -> int:
        return min((graphs[operator] for operator in candidate[1]), default=0)

    for candidates in iter(lambda: list(islice(drawn, _CANDIDATES)), []):
        for source, operators in (candidates.pop(), min(candidates, key=rarest)):
            graphs.update(operators)
            yield source


def _operators(source: Source) -> set[str]:
    try:
        return set(source.case().op_types)
    except Exception:  # noqa: BLE001 - who examines the source says what it is
        return set()


def _table(tally: Counter[tuple[Format, Kind]], graphs: int, seconds: float) -> str:
    rows = [("format", *map(str, Kind))]
    rows += [(str(to), *(str(tally[to, kind]) for kind in Kind)) for to in FORMATS]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([*lines, f"{graphs} graphs in {seconds:.0f} s, {graphs / seconds:.2f} a second"])
