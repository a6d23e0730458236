"""The difference of two models as text for a terminal, as Markdown, and as GitHub's annotations."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.text import Text

from qconvert.support.counting import counted
from qconvert.support.printable import printable
from qconvert.validation.parameters.outcome import Difference, Finding
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


def markdown(found: Difference) -> str:
    """Return a summary of a job in Markdown."""
    from qconvert.validation import github  # needed for these reports alone

    parts = [f"## qconvert diff: {verdict(found)}", github.bullets([summary(found)])]
    if found.findings:
        parts.append(github.table(COLUMNS, map(row, found.findings)))
    if found.hint:
        parts.append(found.hint)
    if found.on_purpose:
        parts += ["Changed on purpose:", github.bullets(found.on_purpose)]
    return "\n\n".join(parts) + "\n"


def workflow_commands(found: Difference) -> list[str]:
    """Return an annotation of the second file for each finding, or a notice."""
    from qconvert.validation import github  # needed for these reports alone

    file = found.second.file
    if found.equal:
        return [github.annotation("notice", file, f"{file} has the parameters of {found.first.file}", summary(found))]
    title = f"{file} differs from {found.first.file}"
    return [github.annotation("error", file, title, str(finding)) for finding in found.findings]
