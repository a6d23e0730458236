"""The reports of the commands that compare two models: files, annotations, and tables on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer
from rich.console import Console

from qconvert.cli.comparison_options import ReportForm
from qconvert.cli.messages import EXIT_FAILED, show
from qconvert.support.files import write_text
from qconvert.support.json_text import json_text
from qconvert.validation import Report
from qconvert.validation.rendering import forms, github, page
from qconvert.validation.rendering.node_data import write_node_data
from qconvert.validation.tables import WIDTH


@dataclass(frozen=True)
class ReportFiles:
    """The files to write, ``-`` for JSON on standard output, and what is printed besides."""

    json: str | None
    junit: Path | None
    html: Path | None
    markdown: Path | None
    form: ReportForm
    node_data: Path | None = None

    def write(
        self,
        json: Callable[[], str],
        junit: Callable[[], str],
        html: Callable[[], str],
        reports: Sequence[Report],
        missing: Sequence[str] = (),
    ) -> None:
        """Write the files that are asked for; print JSON in place of ``-``, and annotations.

        ``missing`` has the models that could not be compared.
        """
        markdown = partial(github.markdown, reports, missing)
        if self.json == "-":
            show(json())
        elif self.json is not None:
            write_text(Path(self.json), json() + "\n")
        for file, text in ((self.junit, junit), (self.html, html), (self.markdown, markdown)):
            if file is not None:
                write_text(file, text())
        if self.node_data is not None:
            write_node_data(reports, self.node_data)
        if self.form is ReportForm.GITHUB:
            for line in github.workflow_commands(reports):
                show(line)


def publish(report: Report, files: ReportFiles, *, per_layer: bool) -> None:
    """Write the files of a report, print it, and exit with 1 if it failed."""
    files.write(report.json, partial(forms.junit, report), partial(page.html, report), [report])
    if files.json != "-":
        forms.print_report(report, _console(), per_layer=per_layer)
    if not report.passed:
        raise typer.Exit(EXIT_FAILED)


def publish_several(reports: Sequence[Report], missing: Sequence[str], files: ReportFiles) -> None:
    """Write the files of several reports, and print them; ``missing`` has the models that could not be compared."""

    def as_json() -> str:
        return json_text([report.keys() for report in reports])

    junit, html = partial(forms.junit_of_several, reports), partial(page.several_html, reports)
    files.write(as_json, junit, html, reports, missing)
    if files.json != "-":
        forms.print_reports(reports, _console())


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else WIDTH)
