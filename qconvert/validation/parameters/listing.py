"""The difference of two models as text for a terminal."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.text import Text

from qconvert.support.counting import counted
from qconvert.support.printable import printable
from qconvert.validation.parameters.findings import Difference, Finding
from qconvert.validation.tables import table

COLUMNS = ("layer", "operator", "parameter", "first against second")


def summary(found: Difference) -> str:
    """Return the files, the format in which they were compared with its options, and the number of operators."""
    files = " against ".join(f"{each.file} ({each.format})" for each in (found.first, found.second))
    first, second = found.operators
    operators = counted(first, "operator") if first == second else f"{first:,} operators against {second:,}"
    form = " ".join((found.compared_as, *found.options))
    return f"{files}, compared as {form}: {operators}"


def verdict(found: Difference) -> str:
    """Return whether the parameters are equal, and the number of those that are not."""
    return "equal" if found.equal else f"{counted(len(found.findings), 'difference')}"


def row(finding: Finding) -> tuple[str, ...]:
    """Return the cells of a finding; a layer that has two names has both."""
    names = [name for name in (finding.layer, finding.second_layer) if name is not None]
    return " / ".join(dict.fromkeys(names)), finding.op, finding.parameter, finding.text


def print_difference(found: Difference, console: Console) -> None:
    """Print the findings, what was changed on purpose, and the verdict."""
    parts: list[RenderableType] = [Text(printable(summary(found)))]
    if found.findings:
        parts += [Text(), table(COLUMNS, [row(finding) for finding in found.findings], len(COLUMNS))]
    if found.on_purpose:
        parts += [Text(), Text("changed on purpose, no difference:")]
        parts += [Text(printable(f"  {purpose}")) for purpose in found.on_purpose]
    if found.hint:
        parts += [Text(), Text(found.hint)]
    parts += [Text(), Text(verdict(found), style="green" if found.equal else "red")]
    console.print(Group(*parts))
