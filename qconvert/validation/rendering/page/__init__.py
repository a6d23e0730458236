"""A report as one HTML page that needs no network, and a short form for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.support.counting import counted
from qconvert.validation.figures.report import ReportFields
from qconvert.validation.rendering.page import sections, validated
from qconvert.validation.rendering.page.content import Content
from qconvert.validation.rendering.page.markup import asset, document, escaped
from qconvert.validation.rendering.rows import MODEL_COLUMNS, model_row

__all__ = ["html", "light", "page_of", "several_html"]


def html(report: ReportFields) -> str:
    """Return one self-contained page. The network and the charts need :attr:`ReportFields.details`."""
    return page_of(validated.title(report), validated.content(report))


def page_of(title: str, content: Content) -> str:
    """Return one self-contained page with a title and the content of one report."""
    return _live(title, sections.section(content, "r0"))


def several_html(reports: Sequence[ReportFields]) -> str:
    """Return one self-contained page: a table that leads to the reports, and these folded; failed ones are open."""
    failed = sum(not report.passed for report in reports)
    heading = f"{counted(len(reports), 'model')}, {failed} failed"
    parts = [
        f"<details class=model id=model{number}{'' if report.passed else ' open'}>"
        f"<summary>{escaped(validated.title(report))}</summary>"
        f"{sections.section(validated.content(report), f'r{number}')}</details>"
        for number, report in enumerate(reports)
    ]
    return _live(heading, f"<p class=several>{escaped(heading)}</p>{_overview(reports)}{''.join(parts)}")


_CHOICES = (("all models", ()), ("that failed", ("failed",)), ("that passed", ("passed",)))


def _overview(reports: Sequence[ReportFields]) -> str:
    """Return a table with a row for each report, which leads to it, and the fields that filter it."""
    lines = []
    for number, (name, *figures, verdict) in enumerate(map(model_row, reports)):
        link = f'<a href="#model{number}" data-opens=model{number}>{escaped(name)}</a>'
        cells = "".join(f"<td>{escaped(cell)}</td>" for cell in figures)
        style = "passed" if reports[number].passed else "failed"
        lines.append(f"<tr class={style}><td>{link}</td>{cells}<td>{escaped(verdict)}</td></tr>")
    form = sections.filters("Search models", "models", _CHOICES, len(reports))
    head = sections.heads((column, "") for column in MODEL_COLUMNS)
    table = f"<table class='by-layer told'>{head}<tbody>{''.join(lines)}</tbody></table>"
    return f"<nav class=report>{form}<div class=wide>{table}</div></nav>"


def light(report: ReportFields) -> str:
    """Return summary, outputs and layers for a notebook."""
    return sections.light(validated.content(report))


def _live(heading: str, body: str) -> str:
    return document(heading, body, asset("vendor/panzoom.min.js"), asset("report.js"))
