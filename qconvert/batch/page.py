"""The HTML page of a batch: a heat map of models and families of layers, and the tasks with links to their reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from qconvert.batch.outcome import Outcome, Status
from qconvert.batch.tasks import Task
from qconvert.support.counting import counted
from qconvert.validation import Report
from qconvert.validation.layers import Family
from qconvert.validation.rendering.conclusion import conclusion
from qconvert.validation.rendering.page.markup import asset, document, escaped
from qconvert.validation.rendering.page.sections import filters, heads
from qconvert.validation.rendering.rows import share as shown_share

_COLUMNS = ("model", "target", "engine", "first sample", "samples", "result", "outputs exact", "layers", "differing")
_NOTE = (
    "A cell is the share of equal elements over all layers of a family, each fed the reference's own integers, and "
    "over all outputs end to end. Green is equal; red is one element in ten that differs. The colours between them "
    "follow the logarithm."
)
_STYLE = "td.bad{text-align:left;white-space:normal;min-width:20em}td.heat{text-align:center;min-width:6em;color:#111}"
_HINT = "A model's name leads to its report. A click on a column's head sorts by it."
_CHOICES = (
    ("all tasks", ()),
    ("that did not pass", tuple(status for status in Status if status is not Status.PASSED)),
    *((f"that ended as {status}", (status,)) for status in Status),
)

_WORST_DIGITS, _BEST_DIGITS = 1.0, 6.0
"""Decimal digits of agreement of the colours' ends: one element in ten, and one in a million, that differs."""


def page(outcomes: Sequence[Outcome]) -> str:
    """Return one page, whose links lead to :func:`report_name` beside it."""
    models = len({outcome.task.model for outcome in outcomes})
    passed = sum(outcome.status is Status.PASSED for outcome in outcomes)
    title = f"{counted(models, 'model')}, {counted(len(outcomes), 'task')}, {passed} passed"
    body = (
        f"<style>{_STYLE}</style><main class=report><h1>{escaped(title)}</h1><p>{_NOTE}</p>{_heat_map(outcomes)}"
        f"<h2>Tasks</h2><p>{_HINT}</p>{filters('Search models, targets, reasons', 'tasks', _CHOICES, len(outcomes))}"
        f"{_tasks(outcomes)}</main>"
    )
    return document(title, body, asset("report.js"))


def report_name(task: Task) -> str:
    """Return the name of the page of a task's report, from the folder of results."""
    return f"reports/{task.key}.html"


def _heat_map(outcomes: Sequence[Outcome]) -> str:
    """Return a table with a row for each model, target and engine, over all ranges of samples."""
    groups: dict[tuple[str, ...], list[Report]] = {}
    for outcome in outcomes:
        task = outcome.task
        if outcome.report is not None:
            groups.setdefault((task.model, task.target, task.engine), []).append(outcome.report)
    rows = [_row("", [*map(_cell, names), *map(_heat, _shares(reports))]) for names, reports in groups.items()]
    return _table("sorted", ("model", "target", "engine", *Family, "outputs"), rows)


def _shares(reports: Sequence[Report]) -> list[float | None]:
    """Return the share of equal elements of each family's layers, None without layers, and of the outputs."""
    shares = []
    for family in Family:
        layers = [layer for report in reports for layer in report.layers if layer.family == family]
        elements = sum(layer.elements for layer in layers)
        shares.append(math.fsum(layer.exact * layer.elements for layer in layers) / elements if elements else None)
    samples = sum(report.samples for report in reports)
    exact = math.fsum(
        output.exact * report.samples / len(report.outputs) for report in reports for output in report.outputs
    )
    return [*shares, min(1.0, exact / samples) if any(report.outputs for report in reports) else None]


def _heat(share: float | None) -> str:
    if share is None:
        return "<td class=heat></td>"
    digits = _BEST_DIGITS if share >= 1 else -math.log10(1 - share)
    part = min(1.0, max(0.0, (digits - _WORST_DIGITS) / (_BEST_DIGITS - _WORST_DIGITS)))
    style = f"background:hsl({120 * part:.0f} 70% 80%)"
    return f'<td class=heat style="{style}" data-key={share!r}>{shown_share(share)}</td>'


def _tasks(outcomes: Sequence[Outcome]) -> str:
    return _table("by-layer", (*_COLUMNS, "reasons"), map(_task, outcomes))


def _task(outcome: Outcome) -> str:
    task, report = outcome.task, outcome.report
    names = [task.target, task.engine, str(task.samples.first)]
    name = escaped(task.model)
    if report is None:
        cells = [*names, "", outcome.status, "", "", ""]
        reasons: Iterable[str] = [outcome.error or ""]
    else:
        name = f'<a href="{report_name(task)}">{name}</a>'
        exact = min((output.exact for output in report.outputs), default=None)
        differing = sum(layer.exact < 1 for layer in report.layers)
        cells = [*names, str(report.samples), outcome.status, shown_share(exact), str(len(report.layers))]
        cells.append(str(differing))
        reasons = report.failures or [conclusion(report)]
    why = "<br>".join(map(escaped, reasons))
    return _row(outcome.status, [f"<td>{name}</td>", *map(_cell, cells), f"<td class=bad>{why}</td>"])


def _cell(content: str) -> str:
    return f"<td>{escaped(content)}</td>"


def _row(status: str, cells: Sequence[str]) -> str:
    return f"<tr class={status or 'unknown'}>{''.join(cells)}</tr>"


def _table(style: str, columns: Sequence[str], rows: Iterable[str]) -> str:
    head = heads((column, "") for column in columns)
    return f"<div class=wide><table class={style}>{head}<tbody>{''.join(rows)}</tbody></table></div>"
