"""``python -m fuzz table``: operators by element types, granularity and groups, in every format.

Each row is one operator between quantizers. A format accepts it, and its own tool computes the same from the file, or
it refuses the row by node; anything else is a finding.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from qconvert import Format
from tests.graphs.case import FORMATS, Kind, Outcome
from tests.graphs.checking import examine
from tests.graphs.table import Row, rows

_TOGETHER = 40


def main(given: list[str]) -> int:
    """Try the rows; return 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m fuzz table", description=__doc__)
    parser.add_argument("--rows", type=int, default=0, help="so many rows at random; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="rows whose names contain this")
    parser.add_argument("--formats", type=Format, nargs="*", default=FORMATS)
    arguments = parser.parse_args(given)
    chosen = [row for row in rows() if arguments.only in row.label]
    if arguments.rows:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.rows, len(chosen)))
    table, faults = Table(), 0
    for row, outcomes in tried(chosen, arguments.formats):
        table.add(row, outcomes)
        for to, outcome in outcomes.items():
            if outcome.is_fault:
                faults += 1
                print(f"{row.label} to {to}: {outcome.kind}: {outcome.text[-300:]}", flush=True)
    print(table)
    return 1 if faults else 0


def tried(chosen: Sequence[Row], formats: Sequence[Format] = FORMATS) -> Iterator[tuple[Row, dict[Format, Outcome]]]:
    """Yield rows with their outcomes in each format."""
    for first in range(0, len(chosen), _TOGETHER):
        part = chosen[first : first + _TOGETHER]
        for row, (_, outcomes) in zip(part, examine(part, formats), strict=True):
            yield row, outcomes


class Table:
    """The numbers of rows, of accepted, refused and faulty ones, by operator and format."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[tuple[Format, str]]] = {}
        self._rows: Counter[str] = Counter()

    def add(self, row: Row, outcomes: dict[Format, Outcome]) -> None:
        """Count a row."""
        self._rows[row.operator] += 1
        counts = self._counts.setdefault(row.operator, Counter())
        counts.update((to, _verdict(outcome)) for to, outcome in outcomes.items())

    def __str__(self) -> str:
        lines = [
            f"{'operator':26}{'rows':>6}  "
            + "  ".join(f"{to:>18}" for to in FORMATS)
            + "   (accepted / refused / faulty)"
        ]
        total: Counter[tuple[Format, str]] = Counter()
        for operator, counts in sorted(self._counts.items()):
            total.update(counts)
            lines.append(_line(operator, self._rows[operator], counts))
        return "\n".join([*lines, _line("all", self._rows.total(), total)])


def _verdict(outcome: Outcome) -> str:
    return "faulty" if outcome.is_fault else "refused" if outcome.kind is Kind.REFUSED else "accepted"


def _line(name: str, count: int, counts: Counter[tuple[Format, str]]) -> str:
    cells = (" / ".join(str(counts[to, verdict]) for verdict in ("accepted", "refused", "faulty")) for to in FORMATS)
    return f"{name:26}{count:6}  " + "  ".join(f"{cell:>18}" for cell in cells)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
