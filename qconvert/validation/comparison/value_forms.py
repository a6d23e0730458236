"""Rendering of a comparison: tables for a terminal, JUnit XML, Markdown and GitHub's annotations."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.text import Text

from qconvert.support.printable import printable
from qconvert.validation import github
from qconvert.validation.comparison.value_report import ComparisonFields, LayerPair
from qconvert.validation.comparison.value_rows import (
    OUTPUT_COLUMNS,
    advice,
    lasting,
    layer_columns,
    layer_row,
    matched,
    summary,
)
from qconvert.validation.render import suite_of, xml
from qconvert.validation.rows import output_row
from qconvert.validation.tables import WIDTH, table

_SHOWN = 10
"""The number of layers around the first difference, or of the worst ones, that are printed unless all are asked for."""


def _shown(report: ComparisonFields, *, per_layer: bool) -> Sequence[LayerPair]:
    """Return the layers to print: all, else the worst ones of a quantized model, else the first that differ."""
    if per_layer:
        return report.layers
    if report.higher_precision:
        return sorted(report.layers, key=lasting)[:_SHOWN]
    return [layer for layer in report.layers if layer.differs][:_SHOWN]


def print_comparison(report: ComparisonFields, console: Console, *, per_layer: bool) -> None:
    """Print the summary, the outputs, the layers that differ (or each) and the verdict."""
    layers = [layer_row(layer, is_cost=report.is_cost) for layer in _shown(report, per_layer=per_layer)]
    parts: list[RenderableType] = [
        Text(printable(summary(report))),
        Text(),
        table(OUTPUT_COLUMNS, [output_row(output)[: len(OUTPUT_COLUMNS)] for output in report.outputs], 1),
        Text(),
        Text(matched(report)),
        *((table(layer_columns(report), layers, 4), Text()) if layers else ()),
        *(Text(printable(note)) for note in (*advice(report), *report.notes)),
        *(Text(printable(failure), style="red") for failure in report.failures),
        Text("passed", style="green") if report.passed else Text("failed", style="red"),
    ]
    console.print(Group(*parts))


def text(report: ComparisonFields) -> str:
    """Return what :func:`print_comparison` prints, as text."""
    stream = StringIO()
    print_comparison(report, Console(file=stream, width=WIDTH, color_system=None), per_layer=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def junit(report: ComparisonFields) -> str:
    """Return JUnit XML with a case for each layer and output; the first layer that differs fails with the outputs."""
    cases = [("layer", layer.first.node) for layer in report.layers] + [("output", o.name) for o in report.outputs]
    return xml(suite_of(f"qconvert compare {_files(report)}", report.engine.engine, cases, report.failures))


def _files(report: ComparisonFields) -> str:
    return f"{report.first.file} and {report.second.file}"


def workflow_commands(report: ComparisonFields) -> list[str]:
    """Return an annotation of the second file for each failure, or a notice."""
    file = report.second.file
    if report.passed:
        return [github.annotation("notice", file, f"{file} computes the same as {report.first.file}", summary(report))]
    title = f"{file} differs from {report.first.file}"
    return [github.annotation("error", file, title, failure) for failure in report.failures]


def markdown(report: ComparisonFields) -> str:
    """Return a summary of a job in Markdown: failures, outputs and layers."""
    verdict = "passed" if report.passed else "failed"
    parts = [
        f"## qconvert compare: {verdict}",
        github.bullets([summary(report), *report.failures, *advice(report), *report.notes]),
        github.table(OUTPUT_COLUMNS, map(output_row, report.outputs)),
        github.table(layer_columns(report), [layer_row(layer, is_cost=report.is_cost) for layer in report.layers]),
    ]
    return "\n\n".join(parts) + "\n"
