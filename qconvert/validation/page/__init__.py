"""The report of a validation as one HTML page that needs no network, and a short form for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.support.counting import counted
from qconvert.validation.page.markup import asset, document, escaped
from qconvert.validation.page.sections import light, section, title
from qconvert.validation.report import ReportFields

__all__ = ["html", "light", "several_html"]


def html(report: ReportFields) -> str:
    """Return one self-contained page. The network and the charts need :attr:`ReportFields.details`."""
    return _live(title(report), section(report, "r0"))


def several_html(reports: Sequence[ReportFields]) -> str:
    """Return one self-contained page with the reports one after the other, folded; failed ones are open."""
    failed = sum(not report.passed for report in reports)
    heading = f"{counted(len(reports), 'model')}, {failed} failed"
    parts = [
        f"<details class=model{'' if report.passed else ' open'}><summary>{escaped(title(report))}</summary>"
        f"{section(report, f'r{number}')}</details>"
        for number, report in enumerate(reports)
    ]
    return _live(heading, f"<p class=several>{escaped(heading)}</p>{''.join(parts)}")


def _live(heading: str, body: str) -> str:
    return document(heading, body, asset("vendor/panzoom.min.js"), asset("report.js"))
