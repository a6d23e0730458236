"""The reports of several models: one table, one JSON list, one JUnit file."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from qconvert.support.json_text import json_text
from qconvert.support.printable import printable
from qconvert.validation.figures.report import ReportFields
from qconvert.validation.rendering import forms
from qconvert.validation.rendering.rows import MODEL_COLUMNS, model_row


def json(reports: Sequence[ReportFields]) -> str:
    """Return the reports as a JSON list."""
    return json_text([report.keys() for report in reports])


def junit(reports: Sequence[ReportFields]) -> str:
    """Return JUnit XML with one suite for each report."""
    return forms.xml(forms.suites([forms.suite(report) for report in reports]))


def print_reports(reports: Sequence[ReportFields], console: Console) -> None:
    """Print one row for each report, and the failures."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(MODEL_COLUMNS):
        table.add_column(column, justify="right" if 0 < i < len(MODEL_COLUMNS) - 1 else "left", overflow="fold")
    for report in reports:
        table.add_row(*map(printable, model_row(report)), style="" if report.passed else "red")
    console.print(table)
    for report in reports:
        for failure in report.failures:
            console.print(printable(f"{report.model.file}: {failure}"), style="red", markup=False, highlight=False)
