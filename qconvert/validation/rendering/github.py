"""Reports for GitHub: annotations of a workflow's run, and a summary of a job in Markdown.

Workflow commands and their escapes: docs.github.com, "Workflow commands for GitHub Actions".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from qconvert.support.counting import counted
from qconvert.support.printable import escaped, printable
from qconvert.validation.figures.report import ReportFields
from qconvert.validation.rendering import rows
from qconvert.validation.rendering.conclusion import verdict_line

_MARKS = re.compile(r"([\\`*_\[\]<>#|~&:@])")
"""Characters that mean something in Markdown."""


def workflow_commands(reports: Sequence[ReportFields]) -> list[str]:
    """Return an annotation of a model's file for each failure, and a notice for each model that passed."""
    lines: list[str] = []
    for report in reports:
        lines += [_command("error", report, "differs from", failure) for failure in report.failures]
        if report.passed:
            lines.append(_command("notice", report, "computes the same as", _told(report)))
    return lines


def _told(report: ReportFields) -> str:
    return f"{verdict_line(report)}. {rows.summary(report)}"


def _command(kind: str, report: ReportFields, verdict: str, message: str) -> str:
    source = report.model.file
    what, other = (report.file, source) if report.file else (f"{source} as {report.to}", "its source")
    return annotation(kind, report.file or source, f"{what} {verdict} {other}", message)


def annotation(kind: str, file: str, title: str, message: str) -> str:
    """Return a workflow command that shows a message at a file; ``kind`` is error, warning or notice."""
    return f"::{kind} file={_property(file)},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def markdown(reports: Sequence[ReportFields], missing: Sequence[str] = ()) -> str:
    """Return a summary of a job: a table with a row for each model, the failures, and the outputs and layers.

    ``missing`` has the models without a report, which could not be compared.
    """
    failed = sum(not report.passed for report in reports)
    counts = f"{counted(len(reports) + len(missing), 'model')}, {failed} failed"
    head = f"## qconvert: {counts}, {len(missing)} not compared" if missing else f"## qconvert: {counts}"
    parts = [head, table(rows.MODEL_COLUMNS, map(rows.model_row, reports))]
    parts += [f"- {_marked(f'{model}: could not be compared; the log has the error')}" for model in missing]
    for report in reports:
        parts += [f"- {_marked(f'{report.model.file}: {failure}')}" for failure in report.failures]
    return "\n\n".join([*parts, *map(_details, reports)]) + "\n"


def _details(report: ReportFields) -> str:
    tables = [table(rows.output_columns(report), map(rows.output_row, report.outputs))]
    if report.layers:
        tables.append(table(rows.layer_columns(report), map(rows.layer_row, report.layers)))
    if report.values:
        columns = rows.value_columns(report)
        tables.append(table(columns, (rows.value_row(value, columns) for value in report.values)))
    head = f"<details><summary>{escaped(_told(report))}</summary>"
    return "\n\n".join([head, *filter(None, [bullets(report.notes)]), *tables, "</details>"])


def table(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    head, *body = (f"| {' | '.join(map(_marked, cells[: len(columns)]))} |" for cells in (columns, *lines))
    return "\n".join([head, f"|{'---|' * len(columns)}", *body])


def bullets(lines: Iterable[str]) -> str:
    """Return a list in Markdown."""
    return "\n".join(f"- {_marked(line)}" for line in lines)


def _marked(text: str) -> str:
    return _MARKS.sub(r"\\\1", printable(text))
