"""The HTML page of a batch: a heat map of models and families of layers, and a table of tasks that sorts by a click."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from qconvert.batch.outcome import Outcome, Status
from qconvert.support.counting import counted
from qconvert.validation import Report
from qconvert.validation.layers import Family
from qconvert.validation.page.markup import document, escaped
from qconvert.validation.rows import share as shown_share

_COLUMNS = ("model", "target", "engine", "first sample", "samples", "result", "outputs exact", "layers", "differing")
_NOTE = (
    "A cell is the share of equal elements over all layers of a family, each fed the reference's own integers, and "
    "over all outputs end to end. Green is equal; red is one element in ten that differs. The colours between them "
    "follow the logarithm."
)
_STYLE = (
    "table{font-variant-numeric:tabular-nums}.sorted th{cursor:pointer}td.bad{text-align:left}"
    "td.heat{text-align:center;min-width:6em;color:#111}"
)
_SCRIPT = """
for (const head of document.querySelectorAll('.sorted th')) head.onclick = () => {
  const body = head.closest('table').tBodies[0], up = head.dataset.up !== 'yes';
  const key = row => row.cells[head.cellIndex].dataset.key ?? row.cells[head.cellIndex].textContent;
  const order = new Intl.Collator('en', {numeric: true}).compare;
  const number = text => text === '' || isNaN(text) ? null : Number(text);
  const compare = (a, b) => number(a) === null || number(b) === null ? order(a, b) : number(a) - number(b);
  body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) * compare(key(a), key(b))));
  head.dataset.up = up ? 'yes' : 'no';
};
"""

_WORST_DIGITS, _BEST_DIGITS = 1.0, 6.0
"""Decimal digits of agreement of the colours' ends: one element in ten, and one in a million, that differs."""


def page(outcomes: Sequence[Outcome]) -> str:
    """Return one self-contained page."""
    models = len({outcome.task.model for outcome in outcomes})
    passed = sum(outcome.status is Status.PASSED for outcome in outcomes)
    title = f"{counted(models, 'model')}, {counted(len(outcomes), 'task')}, {passed} passed"
    body = (
        f"<style>{_STYLE}</style><main class=report><h1>{escaped(title)}</h1><p>{_NOTE}</p>{_heat_map(outcomes)}"
        f"<h2>Tasks</h2><p>A click on a column's head sorts by it.</p>{_tasks(outcomes)}</main>"
    )
    return document(title, body, _SCRIPT)


def _heat_map(outcomes: Sequence[Outcome]) -> str:
    """Return a table with a row for each model, target and engine, over all ranges of samples."""
    groups: dict[tuple[str, ...], list[Report]] = {}
    for outcome in outcomes:
        task = outcome.task
        if outcome.report is not None:
            groups.setdefault((task.model, task.target, task.engine), []).append(outcome.report)
    rows = [[*map(_cell, names), *map(_heat, _shares(reports))] for names, reports in groups.items()]
    return _table(("model", "target", "engine", *Family, "outputs"), rows)


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
    return _table((*_COLUMNS, "reasons"), [_row(outcome) for outcome in outcomes])


def _row(outcome: Outcome) -> list[str]:
    task, report = outcome.task, outcome.report
    names = [task.model, task.target, task.engine, str(task.samples.first)]
    if report is None:
        cells = [*names, "", outcome.status, "", "", ""]
        reasons: Iterable[str] = [outcome.error or ""]
    else:
        exact = min((output.exact for output in report.outputs), default=None)
        differing = sum(layer.exact < 1 for layer in report.layers)
        shown = [outcome.status, shown_share(exact), str(len(report.layers)), str(differing)]
        cells = [*names, str(report.samples), *shown]
        reasons = report.failures
    why = "<br>".join(map(escaped, reasons))
    return [*map(_cell, cells), f"<td class=bad>{why}</td>"]


def _cell(content: str) -> str:
    return f"<td>{escaped(content)}</td>"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escaped(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<div class=wide><table class=sorted><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
