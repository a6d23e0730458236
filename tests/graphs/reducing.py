"""Makes a source that a conversion spoils smaller, down to the fewest operators, and writes it as a finding."""

from __future__ import annotations

from pathlib import Path

from qconvert import Format
from tests.graphs.case import Kind, Outcome
from tests.graphs.checking import examine
from tests.graphs.source import Source

_MOST_ROUNDS = 12


def reduced(source: Source, to: Format) -> Source:
    """Return a smallest source that fails in a format in the same way: fewer operators, then fewer traits."""
    kind = outcome_of(source, to).kind
    for _ in range(_MOST_ROUNDS):
        smaller = next((each for each in source.smaller() if _fails(each, to, kind)), None)
        if smaller is None:
            return source
        source = smaller
    return source


def outcome_of(source: Source, to: Format) -> Outcome:
    """Return what becomes of one source in one format; EQUAL if the source's own runtime refuses it."""
    return examine([source], [to])[0][1].get(to, Outcome(Kind.EQUAL))


def _fails(source: Source, to: Format, kind: Kind) -> bool:
    return outcome_of(source, to).kind is kind


def finding(source: Source, to: Format, folder: Path) -> str:
    """Write a source's model and samples' seed into a folder; return a line that says what happens."""
    outcome, case = outcome_of(source, to), source.case()
    name = f"{to}-{'-'.join(case.op_types).lower()[:60]}-{source.seed}"
    path = folder / f"{name}{source.suffix}"
    path.write_bytes(case.content)
    facts = ", ".join(f"{key} {value}" for key, value in case.facts.items())
    line = f"{path.name}: {' -> '.join(case.op_types)} to {to}: {outcome.kind}: {outcome.text[-600:]} ({facts})"
    path.with_suffix(".txt").write_text(f"{case.label}\n{line}\n")
    return line
