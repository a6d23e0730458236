"""A report as one HTML page that needs no network, and a short form for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.support.counting import counted
from qconvert.validation.page import sections, validated
from qconvert.validation.page.content import Content
from qconvert.validation.page.markup import asset, document, escaped
from qconvert.validation.report import ReportFields

__all__ = ["html", "light", "page_of", "several_html"]


def html(report: ReportFields) -> str:
    """Return one self-contained page. The network and the charts need :attr:`ReportFields.details`."""
    return page_of(validated.title(report), validated.content(report))


def page_of(title: str, content: Content) -> str:
    """Return one self-contained page with a title and the content of one report."""
    return _live(title, sections.section(content, "r0"))


def several_html(reports: Sequence[ReportFields]) -> str:
    """Return one self-contained page with the reports one after the other, folded; failed ones are open."""
    failed = sum(not report.passed for report in reports)
    heading = f"{counted(len(reports), 'model')}, {failed} failed"
    parts = [
        f"<details class=model{'' if report.passed else ' open'}><summary>{escaped(validated.title(report))}</summary>"
        f"{sections.section(validated.content(report), f'r{number}')}</details>"
        for number, report in enumerate(reports)
    ]
    return _live(heading, f"<p class=several>{escaped(heading)}</p>{''.join(parts)}")


def light(report: ReportFields) -> str:
    """Return summary, outputs and layers for a notebook."""
    return sections.light(validated.content(report))


def _live(heading: str, body: str) -> str:
    return document(heading, body, asset("vendor/panzoom.min.js"), asset("report.js"))
