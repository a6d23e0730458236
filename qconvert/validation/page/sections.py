"""The parts of a report's page: summary, outputs, network, layers, the columns' meaning, how to make it again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from qconvert.support.counting import counted
from qconvert.validation.page.data import layers_data
from qconvert.validation.page.markup import asset, embedded, escaped, table
from qconvert.validation.page.mismatch import LEGEND, Mismatch, mismatches
from qconvert.validation.page.network import network
from qconvert.validation.page.words import COLUMNS, OUTPUT_COLUMNS
from qconvert.validation.report import LayerReport, ReportFields
from qconvert.validation.rows import (
    FLOAT_COLUMNS,
    float_row,
    input_line,
    layer_columns,
    layer_row,
    output_columns,
    output_row,
    share,
    summary,
)

_TEXT_COLUMNS = 3
"""The number of columns of the layers' table that are texts."""


def title(report: ReportFields) -> str:
    """Return the file and the verdict."""
    return f"{report.model.file}: {'passed' if report.passed else 'failed'}"


def section(report: ReportFields, prefix: str) -> str:
    """Return the part of a page on one report; ``prefix`` distinguishes its layers' addresses from other reports'."""
    classes = mismatches(report)
    parts = [_head(report, classes), _outputs(report), _network(report, classes, prefix)]
    parts += [_layers(report, classes, prefix), _floats(report), _words(report), _again(report)]
    data = "" if report.details is None else f"<script type=application/json>{embedded(layers_data(report))}</script>"
    return f"<main class=report data-prefix={prefix}>{''.join(parts)}{data}</main>"


def light(report: ReportFields) -> str:
    """Return summary, outputs and layers for a notebook: no script, and a style for this part alone."""
    classes = mismatches(report)
    rows = _rows(report, classes, None)
    layers = _table_of_layers(report, rows) if rows else _floats(report)
    return (
        f"<style>@scope{{{asset('report.css')}}}</style><div class=report>{_head(report, classes)}{_outputs(report)}"
        f"<details><summary>{escaped(_inside(report))}</summary>{layers}</details></div>"
    )


def _inside(report: ReportFields) -> str:
    return counted(len(report.floats), "node") if report.floats else counted(len(report.layers), "layer")


def _head(report: ReportFields, classes: Mapping[str, Mismatch]) -> str:
    verdict = "passed" if report.passed else "failed"
    failures = "".join(f"<li>{escaped(failure)}</li>" for failure in report.failures)
    notes = [*(input_line(each, report.reference.engine) for each in report.inputs), *report.notes]
    return (
        f"<header><h1>{escaped(Path(report.model.file).name)} <span class={verdict}>{verdict}</span></h1>"
        f"<p>{escaped(summary(report))}</p>{_cards(report)}{_skyline(report, classes)}"
        + (f"<ul class=failures>{failures}</ul>" if failures else "")
        + "".join(f"<p class=note>{escaped(note)}</p>" for note in notes)
        + "</header>"
    )


def _cards(report: ReportFields) -> str:
    """Return the figures that matter first."""
    exact = min((output.exact for output in report.outputs), default=None)
    cards = [("outputs equal, end to end", share(exact))]
    if report.layers:
        equal = sum(layer.exact >= 1.0 for layer in report.layers)
        largest = max(layer.max_lsb for layer in report.layers)
        cards += [("layers equal, in isolation", f"{equal} of {len(report.layers)}")]
        cards += [("largest difference of a layer", f"{largest} LSB")]
    cards.append(("samples", f"{report.samples:,}"))
    inside = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>" for name, value in cards)
    return f"<dl class=cards>{inside}</dl>"


def _skyline(report: ReportFields, classes: Mapping[str, Mismatch]) -> str:
    """Return a bar for each layer in order: its height is the logarithm of the share of elements that differ."""
    if not report.layers:
        return ""
    bars = "".join(
        f"<rect class={classes[layer.tensor]} x={number} y={40 - _height(layer):.1f} width=.85 "
        f"height={_height(layer):.1f}><title>{escaped(f'{layer.node}: {share(layer.exact)}')}</title></rect>"
        for number, layer in enumerate(report.layers)
    )
    count = len(report.layers)
    label = f"{counted(count, 'layer')} from input to output; the higher a bar, the more elements differ"
    return (
        f'<figure><svg class=skyline viewBox="0 0 {max(count, 40)} 40" preserveAspectRatio=none role=img '
        f'aria-label="{escaped(label)}">{bars}</svg><figcaption>{escaped(label)}</figcaption></figure>'
    )


def _height(layer: LayerReport) -> float:
    differing = 1.0 - layer.exact
    return 3.0 if differing <= 0.0 else 8.0 + 32.0 * min(1.0, max(0.0, (math.log10(differing) + 6.0) / 6.0))


def _outputs(report: ReportFields) -> str:
    rows = table(output_columns(report), map(output_row, report.outputs))
    return f"<section><h2>Outputs</h2><p>The whole model, from the inputs on.</p>{rows}</section>"


def _network(report: ReportFields, classes: Mapping[str, Mismatch], prefix: str) -> str:
    if report.details is None or not report.details.layers:
        return ""
    found = {*classes.values(), *([Mismatch.UNKNOWN] if len(report.details.layers) > len(classes) else [])}
    legend = "".join(f"<li class={each}>{escaped(LEGEND[each])}</li>" for each in Mismatch if each in found)
    return (
        "<section class=explorer><h2>Network</h2><p>Each layer is fed the reference's own integers, so that its "
        "colour shows what the layer itself changes. Choose a layer in the drawing or in the table.</p>"
        f"<ul class=legend>{legend}</ul><div class=panes><div class=canvas>{network(report, classes, prefix)}"
        "<div class=tools><button data-do=out aria-label='zoom out'>&minus;</button>"
        "<button data-do=in aria-label='zoom in'>+</button><button data-do=fit>Fit</button>"
        "<button data-do=previous aria-label='previous layer that differs'>↑ differs</button>"
        "<button data-do=next aria-label='next layer that differs'>↓ differs</button></div></div>"
        "<aside class=details aria-live=polite></aside></div></section>"
    )


def _layers(report: ReportFields, classes: Mapping[str, Mismatch], prefix: str) -> str:
    rows = _rows(report, classes, prefix)
    if not rows:
        return ""
    options = "".join(
        f"<option value={value}>{text}</option>"
        for value, text in (("", "all layers"), ("differs", "that differ"), ("beyond", "that differ beyond ties"))
    )
    return (
        "<section class=layers><h2>Layers</h2><form class=filters role=search>"
        "<input type=search placeholder='Search names, operators, families' aria-label='search layers' />"
        f"<select aria-label='which layers'>{options}<option value=failed>that miss their limit</option></select>"
        f"<output>{len(rows)} of {len(rows)}</output></form>{_table_of_layers(report, rows)}</section>"
    )


def _table_of_layers(report: ReportFields, rows: Sequence[str]) -> str:
    heads = "".join(
        f'<th title="{escaped(COLUMNS[column])}"><button>{escaped(column)}</button></th>'
        for column in layer_columns(report)
    )
    body = f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f"<div class=wide><table class=by-layer>{body}</table></div>"


def _rows(report: ReportFields, classes: Mapping[str, Mismatch], prefix: str | None) -> list[str]:
    """Return a row for each layer that was compared, with links to its details if there is a ``prefix``."""
    numbers: dict[str, int] = {}
    if prefix is not None and report.details is not None:
        numbers = {layer.tensor: number for number, layer in enumerate(report.details.layers)}
    columns = len(layer_columns(report))
    return [_row(layer, classes[layer.tensor], columns, prefix, numbers.get(layer.tensor)) for layer in report.layers]


def _row(layer: LayerReport, style: Mismatch, columns: int, prefix: str | None, number: int | None) -> str:
    name, *cells = layer_row(layer)[:columns]
    keys = (layer.exact, layer.needed, layer.max_lsb, layer.elements, layer.ties)
    texts = "".join(f"<td>{escaped(cell)}</td>" for cell in cells[: _TEXT_COLUMNS - 1])
    figures = "".join(
        f"<td data-key={key!r}>{escaped(cell)}</td>"
        for key, cell in zip(keys, cells[_TEXT_COLUMNS - 1 :], strict=False)
    )
    rest = "".join(f"<td>{escaped(cell)}</td>" for cell in cells[_TEXT_COLUMNS - 1 + len(keys) :])
    shown = escaped(name) if number is None else f'<a href="#{prefix}-l{number}">{escaped(name)}</a>'
    mark = "" if number is None else f" data-layer={number}"
    return f'<tr class={style}{mark}><td title="{escaped(name)}">{shown}</td>{texts}{figures}{rest}</tr>'


def _floats(report: ReportFields) -> str:
    rows = table(("node", *FLOAT_COLUMNS), [float_row(node) for node in report.floats])
    return f"<section><h2>Nodes</h2>{rows}</section>" if rows else ""


def _words(report: ReportFields) -> str:
    described = [(column, OUTPUT_COLUMNS.get(column, "")) for column in output_columns(report)]
    described[-1] = (described[-1][0], OUTPUT_COLUMNS["optimised"])
    parts = ["<h3>Outputs</h3>", _explained(described)]
    if report.layers:
        parts += ["<h3>Layers</h3>", _explained((column, COLUMNS[column]) for column in layer_columns(report))]
    return f"<section><details><summary>What the columns mean</summary>{''.join(parts)}</details></section>"


def _explained(words: Iterable[tuple[str, str]]) -> str:
    return "<dl class=words>" + "".join(f"<dt>{escaped(a)}</dt><dd>{escaped(b)}</dd>" for a, b in words) + "</dl>"


def _again(report: ReportFields) -> str:
    command = None if report.details is None else report.details.command
    limits = ", ".join(f"{name} {value:g}" for name, value in report.limits.items())
    seed = "none: the samples were given" if report.seed is None else str(report.seed)
    pairs = [
        ("seed", seed),
        ("samples", f"{report.samples:,}"),
        ("limits", limits or "the defaults"),
        ("qconvert", report.qconvert),
        (f"reference: {report.reference.engine}", report.reference.version),
        (f"engine: {report.engine.name}", report.engine.version),
        ("model's SHA-256", report.model.sha256),
    ]
    shown = "" if command is None else f"<pre><code>{escaped(command)}</code></pre>"
    return f"<section><h2>To make this report again</h2>{shown}{_explained(pairs)}</section>"
