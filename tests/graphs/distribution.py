"""What a run's graphs are made of: operators, families, types, granularity and sources."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.graphs.case import Case


@dataclass
class Distribution:
    """The numbers of graphs that have an operator, and the numbers of graphs by each fact."""

    total: int = 0
    operators: Counter[str] = field(default_factory=Counter)
    facts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, case: Case) -> None:
        """Count a case."""
        self.total += 1
        self.operators.update(set(case.op_types))
        for name, value in {"source": case.source, "operators": str(len(case.op_types)), **case.facts}.items():
            self.facts.setdefault(name, Counter())[value] += 1

    def __str__(self) -> str:
        lines = [f"{self.total} graphs", _line("with the operator", self.operators)]
        return "\n".join([*lines, *(_line(name, counts) for name, counts in self.facts.items())])


def _line(name: str, counts: Counter[str]) -> str:
    return f"{name}: " + ", ".join(f"{value} {count}" for value, count in counts.most_common())
