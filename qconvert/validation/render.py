"""Rendering of a report: a table for a terminal, JUnit XML for a CI system, and one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape as escape_html
from io import StringIO
from xml.etree import ElementTree as ET

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from qconvert.engines.base import EngineName
from qconvert.support.counting import counted
from qconvert.support.printable import printable
from qconvert.validation.report import FloatReport, InputReport, LayerReport, OutputReport, ReportFields

WIDTH = 200
"""Columns of a table that is not printed on a terminal."""

_FLOAT_COLUMNS = ("op", "exact", "max abs", "max rel", "elements")
_LAYER_COLUMNS = ("layer", "op", "family", "exact", "needed", "max LSB", "elements", "ties")


def output_columns(report: ReportFields) -> tuple[str, ...]:
    """Return the heads of the outputs' table; the last column is the reference's own optimised run."""
    numbers = ("exact", "max LSB", "max abs", "SQNR dB", "top-1", "distinct")
    return ("output", *numbers, f"optimised {report.reference.engine}")


def share(value: float | None) -> str:
    """Format a share with enough digits to distinguish it from 1."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value in (0.0, 1.0) or value < 0.9999 else f"{value:.7f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def output_row(output: OutputReport) -> tuple[str, ...]:
    """Return the cells of one output's row."""
    return (
        output.name,
        share(output.exact),
        "-" if output.max_lsb is None else str(output.max_lsb),
        f"{output.max_abs:.3g}",
        _number(output.sqnr_db) if output.exact < 1.0 else "inf",
        share(output.top1),
        f"{output.distinct:,}",
        share(output.exact_reference_optimised),
    )


def layer_row(layer: LayerReport) -> tuple[str, ...]:
    """Return the cells of one layer's row."""
    shares = (share(layer.exact), _needed(layer.needed))
    numbers = (str(layer.max_lsb), f"{layer.elements:,}", f"{layer.ties:,}", _proved(layer) or _rewritten([layer]))
    return (layer.node, layer.op, layer.family, *shares, *numbers)


def _rewritten(layers: Sequence[LayerReport]) -> str:
    """Return the share of equal elements and the largest LSB in the engine's other kernels, if they ran."""
    found = [(layer.rewritten, layer.elements) for layer in layers if layer.rewritten is not None]
    if not found:
        return ""
    elements = sum(count for _, count in found)
    equal = sum(round(part.exact * count) for part, count in found)
    return f"{share(equal / elements if elements else 1.0)}, {max(part.max_lsb for part, _ in found)} LSB"


def _needed(least: float) -> str:
    return f"{least:.4f}" if least else "non-ties"


def _proved(layer: LayerReport) -> str:
    """Return the number of inputs for which a layer is proved, or the distance from ties beyond which it is."""
    proof = layer.proof
    if proof is None and layer.measured is not None:
        return f"measured {layer.measured:.2g} LSB"
    if proof is None:
        return "" if layer.bound is None else f"{layer.bound:.2g} LSB from ties"
    return f"all {proof.inputs:,}" if proof.holds else f"{proof.inputs - proof.differing:,} of {proof.inputs:,}"


def float_row(node: FloatReport) -> tuple[str, ...]:
    """Return the cells of one node's row."""
    numbers = (share(node.exact), f"{node.max_abs:.3g}", f"{node.max_rel:.3g}", f"{node.elements:,}")
    return (node.node, node.op, *numbers)


def input_line(first: InputReport, engine: str) -> str:
    """Return a line with the share of an input's elements that are quantized as in the reference ``engine``."""
    return f"input '{first.name}': {share(first.exact)} of {first.elements:,} elements quantized as by {engine}"


def summary(report: ReportFields) -> str:
    """Return one line on the model, the engine, the reference and the samples."""
    reference = report.reference
    setting = "kernels" if reference.engine == EngineName.LITERT else "graph optimisation"
    against = f"{reference.engine} {reference.version}, {setting} {reference.optimisation}"
    engine = f"{report.engine.name} {report.engine.version}"
    return f"{report.model.file} as {report.to} on {engine}, against {against}; {report.samples} samples"


def family_rows(report: ReportFields) -> list[tuple[str, ...]]:
    """Return one row for the layers of each family."""
    rows: list[tuple[str, ...]] = []
    for family in dict.fromkeys(layer.family for layer in report.layers):
        layers = [layer for layer in report.layers if layer.family == family]
        elements = sum(layer.elements for layer in layers)
        equal = sum(round(layer.exact * layer.elements) for layer in layers)
        largest = max(layer.max_lsb for layer in layers)
        ties = sum(layer.ties for layer in layers)
        shares = (share(equal / elements if elements else 1.0), _needed(min(layer.needed for layer in layers)))
        numbers = (str(largest), f"{elements:,}", f"{ties:,}")
        proofs = [layer.proof for layer in layers if layer.proof is not None]
        proved = counted(sum(proof.holds for proof in proofs), "layer") if proofs else ""
        rows.append((counted(len(layers), "layer"), "", family, *shares, *numbers, proved or _rewritten(layers)))
    return rows


def layer_columns(report: ReportFields) -> tuple[str, ...]:
    """Return the heads of the layers' table.

    ``proved`` counts the inputs for which a layer's integers were proved during the conversion. Only ``tosa`` and
    ``tosa-rescale`` have proofs. Only LiteRT has ``default kernels`` besides those that the other columns are of.
    """
    if any(layer.rewritten is not None for layer in report.layers):
        return (*_LAYER_COLUMNS, "default kernels")
    return (*_LAYER_COLUMNS, "proved") if any(map(_proved, report.layers)) else _LAYER_COLUMNS


def _text(content: str, style: str = "") -> Text:
    return Text(printable(content), style)


def table(columns: tuple[str, ...], rows: list[tuple[str, ...]], left: int) -> Table:
    """Return a table for a terminal whose first ``left`` columns are text."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(_text(cell) for cell in row[: len(columns)]))
    return table


def _inner_table(report: ReportFields, *, per_layer: bool) -> Table:
    """Return the table of the layers, or of the nodes of a model without layers: each, or by family or the worst."""
    if not report.floats:
        layers = [layer_row(layer) for layer in report.layers] if per_layer else []
        return table(layer_columns(report), [*layers, *family_rows(report)], 3)
    shown = report.floats if per_layer else [max(report.floats, key=lambda node: node.max_rel)]
    head = "node" if per_layer else f"worst of {counted(len(report.floats), 'node')}"
    return table((head, *_FLOAT_COLUMNS), [float_row(node) for node in shown], 2)


def print_report(report: ReportFields, console: Console, *, per_layer: bool) -> None:
    """Print the summary, the outputs, the layers (each, or by family) and the verdict."""
    verdict = Text("passed", style="green") if report.passed else Text("failed", style="red")
    parts: list[RenderableType] = [
        _text(summary(report)),
        Text(),
        table(output_columns(report), [output_row(output) for output in report.outputs], 1),
        Text(),
        *((_inner_table(report, per_layer=per_layer), Text()) if report.layers or report.floats else ()),
        *(_text(input_line(first, report.reference.engine)) for first in report.inputs),
        *(_text(note) for note in report.notes),
        *(_text(failure, style="red") for failure in report.failures),
        verdict,
    ]
    console.print(Group(*parts))


def text(report: ReportFields) -> str:
    """Return what :func:`print_report` prints, with layers by family, as text."""
    stream = StringIO()
    print_report(report, Console(file=stream, width=WIDTH, color_system=None), per_layer=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def junit(report: ReportFields) -> str:
    """Return JUnit XML with one case for each layer and output, which fails if a failure names it."""
    return xml(suite(report))


def suite(report: ReportFields) -> ET.Element:
    """Return the suite of a report: one case for each layer and output."""
    cases = [("layer", layer.node) for layer in report.layers] + [("output", output.name) for output in report.outputs]
    return suite_of(f"qconvert {report.model.file}", report.engine.name, cases, report.failures)


def suite_of(title: str, engine: str, cases: Sequence[tuple[str, str]], failures: Sequence[str]) -> ET.Element:
    """Return a suite with a case for each kind and name, which fails if a failure names it."""
    found = ET.Element("testsuite", name=printable(title), tests=str(len(cases)), errors="0")
    for kind, name in cases:
        case = ET.SubElement(found, "testcase", classname=f"{engine}.{kind}", name=printable(name))
        for failure in failures:
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


def escaped(content: str) -> str:
    """Return printable text for HTML."""
    return escape_html(printable(content))


_STYLE = (
    "body{font:14px system-ui;margin:2em}table{border-collapse:collapse;margin:1em 0}"
    "td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}"
    "td:first-child,th:first-child{text-align:left}"
    ".bad{color:#b00}"
)


def html(report: ReportFields) -> str:
    """Return one self-contained HTML page."""
    return page(_title(report), section(report))


def page(title: str, body: str) -> str:
    """Return a page of HTML with a title and a body."""
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escaped(title)}</title>"
        f"<style>{_STYLE}</style>{body}</html>\n"
    )


def section(report: ReportFields) -> str:
    """Return the part of a page on one report."""
    failures = "".join(f"<p class=bad>{escaped(failure)}</p>" for failure in (*report.failures, *report.notes))
    return (
        f"<h1>{escaped(_title(report))}</h1><p>{escaped(summary(report))}</p>"
        f"{failures}{_html_table(output_columns(report), [output_row(output) for output in report.outputs])}"
        f"{_html_table(layer_columns(report), [layer_row(layer) for layer in report.layers])}"
        f"{_html_table(('node', *_FLOAT_COLUMNS), [float_row(node) for node in report.floats])}"
    )


def _title(report: ReportFields) -> str:
    return f"{report.model.file}: {'passed' if report.passed else 'failed'}"


def _html_table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table, or nothing for no rows."""
    if not rows:
        return ""
    head = "".join(f"<th>{escaped(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row[: len(columns)]) + "</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"
