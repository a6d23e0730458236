"""The content of a report's page: summary, outputs, and the layers or values that were compared."""

from __future__ import annotations

from pathlib import Path

from qconvert.validation.figures.report import Matched, ReportFields
from qconvert.validation.rendering.conclusion import conclusion
from qconvert.validation.rendering.page import compared_values, judged_layers
from qconvert.validation.rendering.page.content import Content, Shown, Table
from qconvert.validation.rendering.page.drawing import drawing
from qconvert.validation.rendering.page.meanings import OUTPUT_COLUMNS
from qconvert.validation.rendering.rows import (
    WHOLE_COLUMNS,
    input_line,
    moved,
    output_columns,
    output_row,
    ran_by,
    share,
    shares_right,
    summary,
    whole_row,
)


def title(report: ReportFields) -> str:
    """Return the file, its source and the verdict."""
    against = f"{report.file} against " if report.file else ""
    return f"{against}{report.model.file}: {'passed' if report.passed else 'failed'}"


def content(report: ReportFields) -> Content:
    """Return the content of a report; the drawing needs :attr:`ReportFields.details`."""
    shown = compared_values.shown(report) if report.values else judged_layers.shown(report)
    rows, details = () if shown.table is None else shown.table.rows, report.details
    against = f"{Path(report.file).name} against " if report.file else ""
    outputs = [output_row(output) for output in report.outputs]
    return Content(
        name=f"{against}{Path(report.model.file).name}",
        passed=report.passed,
        summary=summary(report),
        cards=_cards(report, shown),
        failures=report.failures,
        notes=[*(input_line(each, report.reference.name) for each in report.inputs), *report.notes],
        outputs=Table("Outputs", "The whole model, from the inputs on.", output_columns(report), outputs),
        drawing=None if details is None else drawing(shown.drawn, details, rows),
        layers=shown.table,
        legend=shown.legend,
        meanings=_meanings(report, shown),
        again=_again(report),
        conclusion=conclusion(report),
        command=None if details is None else details.command,
        marked=shown.marked,
        tables=(*_whole(report), *_unmatched(report)),
    )


def _cards(report: ReportFields, shown: Shown) -> list[tuple[str, str]]:
    """Return the figures that matter first."""
    exact = min((output.exact for output in report.outputs), default=None)
    cards = [("outputs equal, end to end", share(exact)), *shown.cards]
    if report.accuracy is not None:
        cards.append(("accuracy of source and file", " and ".join(shares_right(report.accuracy))))
    return [*cards, ("samples", f"{report.samples:,}")]


def _whole(report: ReportFields) -> list[Table]:
    """Return the table of whole outputs and their limits, if these were measured."""
    what = "The limits are the worst of the reference's own runs in which each layer's integers move, with 3 dB."
    rows = [whole_row(output) for output in report.whole]
    return [Table("From end to end", what, WHOLE_COLUMNS, rows)] if moved(report) else []


def _unmatched(report: ReportFields) -> list[Table]:
    """Return the table of the values that one of the models has alone, if there are any."""
    sides = zip((report.model.file, report.file), report.unmatched, strict=True)
    rows = [(place.node, place.op, place.tensor, file) for file, places in sides for place in places]
    hint = f"These values have no counterpart by {', '.join(Matched)}, and are not compared."
    return [Table("Without a counterpart", hint, ("node", "op", "tensor", "model"), rows, is_text=True)] if rows else []


def _meanings(report: ReportFields, shown: Shown) -> dict[str, list[tuple[str, str]]]:
    """Return the meanings of columns; the column of the optimised reference has the reference's name in its head."""
    columns = zip(output_columns(report), OUTPUT_COLUMNS.values(), strict=False)
    found = {"Outputs": list(columns)}
    if shown.table is not None:
        found["Layers"] = [(column.name, column.meaning) for column in shown.table.columns]
    return found


def _again(report: ReportFields) -> list[tuple[str, str]]:
    limits = ", ".join(f"{name} {value:g}" for name, value in report.limits.items())
    return [
        ("seed", "none: the samples were given" if report.seed is None else str(report.seed)),
        ("samples", f"{report.samples:,}"),
        ("limits", limits or "the defaults"),
        ("qconvert", report.qconvert),
        ("reference", ran_by(report.reference)),
        ("engine", ran_by(report.engine)),
        ("model's SHA-256", report.model.sha256),
        *([("file's SHA-256", report.file_sha256)] if report.file else []),
    ]
