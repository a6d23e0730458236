"""The difference of two models as Markdown, and as GitHub's annotations."""

from __future__ import annotations

from qconvert.validation.parameters import Difference
from qconvert.validation.parameters.listing import COLUMNS, row, summary, verdict
from qconvert.validation.rendering import github


def markdown(found: Difference) -> str:
    """Return a summary of a job in Markdown."""
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
    file = found.second.file
    if found.equal:
        return [github.annotation("notice", file, f"{file} has the parameters of {found.first.file}", summary(found))]
    title = f"{file} differs from {found.first.file}"
    return [github.annotation("error", file, title, str(finding)) for finding in found.findings]
