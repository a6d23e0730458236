"""Rendering of reports: tables for a terminal, and JUnit XML for a CI system."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from xml.etree import ElementTree as ET

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from qconvert.support.counting import counted
from qconvert.support.printable import printable
from qconvert.validation.figures.report import ReportFields, ValueReport
from qconvert.validation.parameters.listing import COLUMNS as DIFFERENCE_COLUMNS
from qconvert.validation.parameters.listing import row as difference_row
from qconvert.validation.rendering.conclusion import verdict_line
from qconvert.validation.rendering.rows import (
    MODEL_COLUMNS,
    WHOLE_COLUMNS,
    family_rows,
    input_line,
    judged_line,
    lasting,
    layer_columns,
    layer_row,
    model_row,
    moved,
    output_columns,
    output_row,
    summary,
    value_columns,
    value_row,
    whole_row,
)
from qconvert.validation.tables import WIDTH, table


def _text(content: str, style: str = "") -> Text:
    return Text(printable(content), style)


def _inner_table(report: ReportFields, *, per_layer: bool) -> Table:
    """Return the table of the layers, or of the values where no layer is compared: each, by family or the worst."""
    if report.layers:
        layers = [layer_row(layer) for layer in report.layers] if per_layer else []
        return table(layer_columns(report), [*layers, *family_rows(report)], 3)
    shown = report.values if per_layer else _worst(report)
    columns = value_columns(report)
    head, *rest = columns
    if len(shown) < len(report.values):
        head = f"{'worst' if len(shown) == 1 else len(shown)} of {counted(len(report.values), head)}"
    return table((head, *rest), [value_row(value, columns) for value in shown], columns.index("exact"))


_MOST_VALUES = 10
"""The number of values that are printed unless all are asked for."""


def _worst(report: ReportFields) -> Sequence[ValueReport]:
    """Return the noisiest values against a float original, else the first that differ, else the farthest one."""
    if report.is_cost:
        return sorted(report.values, key=lasting)[:_MOST_VALUES]
    differing = [value for value in report.values if value.differs]
    return differing[:_MOST_VALUES] or [max(report.values, key=lambda value: value.max_rel)]


_MOST_PARAMETERS = 10
"""The number of parameters that differ which a report shows."""


def _parameters(report: ReportFields) -> list[RenderableType]:
    """Return the table of the parameters that differ, in front of all that was run; none for equal ones."""
    found = report.parameters
    rest = len(found) - _MOST_PARAMETERS
    more = [_text(f"... and {rest:,} more: qconvert diff lists them")] if rest > 0 else []
    rows = [difference_row(each) for each in found[:_MOST_PARAMETERS]]
    return [table(DIFFERENCE_COLUMNS, rows, len(DIFFERENCE_COLUMNS)), *more, Text()] if found else []


def print_report(report: ReportFields, console: Console, *, per_layer: bool) -> None:
    """Print the verdict in a sentence, the summary, the outputs, the layers (each, or by family) and the verdict."""
    verdict, style = ("passed", "green") if report.passed else ("failed", "red")
    parts: list[RenderableType] = [
        _text(verdict_line(report), style),
        _text(summary(report)),
        Text(),
        *_parameters(report),
        table(output_columns(report), [output_row(output) for output in report.outputs], 1),
        Text(),
        *((table(WHOLE_COLUMNS, list(map(whole_row, report.whole)), 1), Text()) if moved(report) else ()),
        *((_inner_table(report, per_layer=per_layer), Text()) if report.compared else ()),
        *(_text(input_line(first, report.reference.name)) for first in report.inputs),
        *([] if report.ops is None else [_text(judged_line(report.ops))]),
        *(_text(note) for note in report.notes),
        *(_text(failure, style="red") for failure in report.failures),
        Text(verdict, style=style),
    ]
    console.print(Group(*parts))


def print_reports(reports: Sequence[ReportFields], console: Console) -> None:
    """Print one row for each report, and the failures."""
    rows = Table(box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(MODEL_COLUMNS):
        rows.add_column(column, justify="right" if 0 < i < len(MODEL_COLUMNS) - 1 else "left", overflow="fold")
    for report in reports:
        rows.add_row(*map(printable, model_row(report)), style="" if report.passed else "red")
    console.print(rows)
    for report in reports:
        for failure in report.failures:
            console.print(printable(f"{report.model.file}: {failure}"), style="red", markup=False, highlight=False)


def text(report: ReportFields) -> str:
    """Return what :func:`print_report` prints, with layers by family, as text."""
    stream = StringIO()
    print_report(report, Console(file=stream, width=WIDTH, color_system=None), per_layer=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def junit(report: ReportFields) -> str:
    """Return JUnit XML with one case for each layer and output, which fails if a failure names it."""
    return xml(suite(report))


def junit_of_several(reports: Sequence[ReportFields]) -> str:
    """Return JUnit XML with one suite for each report."""
    return xml(suites([suite(report) for report in reports]))


def suite(report: ReportFields) -> ET.Element:
    """Return the suite of a report: one case for each layer or value, and each output."""
    cases = [("layer", each.node) for each in report.compared] + [("output", output.name) for output in report.outputs]
    title = " ".join(filter(None, ("qconvert", report.model.file, report.file)))
    found = ET.Element("testsuite", name=printable(title), tests=str(len(cases)), errors="0")
    for kind, name in cases:
        case = ET.SubElement(found, "testcase", classname=f"{report.engine.name}.{kind}", name=printable(name))
        for failure in report.failures:
            if f"{kind} '{name}'" in failure:
                ET.SubElement(case, "failure", message=printable(failure))
    found.set("failures", str(sum(case.find("failure") is not None for case in found)))
    return found


def suites(found: Sequence[ET.Element]) -> ET.Element:
    """Return one element of several suites, with their sums."""
    sums = {name: str(sum(int(each.get(name, "0")) for each in found)) for name in ("tests", "failures", "errors")}
    whole = ET.Element("testsuites", sums)
    whole.extend(found)
    return whole


def xml(element: ET.Element) -> str:
    """Return an element as the text of an XML file."""
    return ET.tostring(element, encoding="unicode", xml_declaration=True) + "\n"
