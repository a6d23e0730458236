"""The content of the page of a validation: each layer in isolation, its family, limit and ties."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qconvert.validation.conclusion import conclusion
from qconvert.validation.page.content import (
    BEYOND,
    Cell,
    Column,
    Content,
    Drawing,
    LayerRow,
    LayersTable,
    Mismatch,
    Table,
)
from qconvert.validation.page.figures import Told, by_share, drawing, height, settings_lines
from qconvert.validation.page.words import COLUMNS, OUTPUT_COLUMNS
from qconvert.validation.report import LayerReport, ReportFields
from qconvert.validation.rows import (
    FLOAT_COLUMNS,
    WHOLE_COLUMNS,
    float_row,
    input_line,
    layer_columns,
    layer_row,
    moved,
    output_columns,
    output_row,
    share,
    summary,
    whole_row,
)

LEGEND = {
    Mismatch.EQUAL: "all elements equal",
    Mismatch.TIES: "only ties differ",
    Mismatch.LITTLE: "up to 0.1 % differ",
    Mismatch.SOME: "up to 1 % differ",
    Mismatch.MUCH: "more than 1 % differ",
    Mismatch.FAILED: "misses its limit",
    Mismatch.UNKNOWN: "not compared",
}
"""The meaning of each class."""

_CHOICES = (
    ("that differ", (Mismatch.TIES, *BEYOND)),
    ("that differ beyond ties", BEYOND),
    ("that miss their limit", (Mismatch.FAILED,)),
)
_TEXTS = 3
"""The number of columns of the layers' table that are texts."""


def title(report: ReportFields) -> str:
    """Return the file and the verdict."""
    return f"{report.model.file}: {'passed' if report.passed else 'failed'}"


def content(report: ReportFields) -> Content:
    """Return the content of a report; the drawing needs :attr:`ReportFields.details`."""
    classes = _classes(report)
    notes = [*(input_line(each, report.reference.engine) for each in report.inputs), *report.notes]
    outputs = Table(
        "Outputs",
        "The whole model, from the inputs on.",
        output_columns(report),
        [output_row(output) for output in report.outputs],
    )
    floats = Table("Nodes", "", ("node", *FLOAT_COLUMNS), [float_row(node) for node in report.floats])
    return Content(
        name=Path(report.model.file).name,
        passed=report.passed,
        summary=summary(report),
        cards=_cards(report),
        failures=report.failures,
        notes=notes,
        outputs=outputs,
        drawing=_drawing(report, classes),
        layers=_layers(report, classes),
        legend=LEGEND,
        meanings=_meanings(report),
        again=_again(report),
        conclusion=conclusion(report),
        command=None if report.details is None else report.details.command,
        tables=(*((_whole(report),) if moved(report) else ()), *((floats,) if report.floats else ())),
    )


def _whole(report: ReportFields) -> Table:
    """Return the table of whole outputs and their limits."""
    what = "The limits are the worst of the reference's own runs in which each layer's integers move, with 3 dB."
    return Table("From end to end", what, WHOLE_COLUMNS, [whole_row(output) for output in report.whole])


def _classes(report: ReportFields) -> Mapping[str, Mismatch]:
    """Return the class of each layer that was compared, by its tensor."""
    return {layer.tensor: _mismatch(layer, _failed(report, layer)) for layer in report.layers}


def _failed(report: ReportFields, layer: LayerReport) -> bool:
    return any(f"layer '{layer.node}'" in failure for failure in report.failures)


def _mismatch(layer: LayerReport, failed: bool) -> Mismatch:
    if failed:
        return Mismatch.FAILED
    if layer.exact < 1.0 <= layer.exact_non_ties:
        return Mismatch.TIES
    return by_share(layer.exact)


def _cards(report: ReportFields) -> list[tuple[str, str]]:
    """Return the figures that matter first."""
    exact = min((output.exact for output in report.outputs), default=None)
    cards = [("outputs equal, end to end", share(exact))]
    if report.layers:
        equal = sum(layer.exact >= 1.0 for layer in report.layers)
        largest = max(layer.max_lsb for layer in report.layers)
        cards += [("layers equal, in isolation", f"{equal} of {len(report.layers)}")]
        cards += [("largest difference of a layer", f"{largest} LSB")]
    return [*cards, ("samples", f"{report.samples:,}")]


def _drawing(report: ReportFields, classes: Mapping[str, Mismatch]) -> Drawing | None:
    if report.details is None:
        return None
    measured = {layer.tensor: layer for layer in report.layers}

    def told(tensor: str) -> Told:
        found = measured.get(tensor)
        if found is None:
            return Told("not compared", "not compared")
        figure = "" if found.exact >= 1.0 else f"{found.max_lsb} LSB"
        return Told(f"{share(found.exact)} equal", figure, _facts(found, report))

    hint = "Each layer is fed the reference's own integers, so that its colour shows what the layer itself changes. "
    return drawing(hint, report.details, classes, told)


def _facts(found: LayerReport, report: ReportFields) -> list[tuple[str, str]]:
    facts = list(zip(layer_columns(report), layer_row(found), strict=False))[2:]
    facts.append(("exact without ties", f"{found.exact_non_ties:.7g}"))
    if found.float_error is not None:
        error = found.float_error
        facts.append(("reference's float error", f"{error.mean:.2g} LSB mean, {error.largest:.2g} LSB largest"))
    return facts


def _layers(report: ReportFields, classes: Mapping[str, Mismatch]) -> LayersTable | None:
    if not report.layers:
        return None
    columns = tuple(Column(name, COLUMNS[name]) for name in layer_columns(report))
    rows = tuple(
        LayerRow(
            layer.tensor,
            classes[layer.tensor],
            _cells(layer)[: len(columns)],
            height(layer.exact),
            f"{layer.node}: {share(layer.exact)}",
        )
        for layer in report.layers
    )
    bars = "from input to output; the higher a bar, the more elements differ"
    return LayersTable(columns, rows, _TEXTS, _CHOICES, bars)


def _cells(layer: LayerReport) -> tuple[Cell, ...]:
    keys = (layer.exact, layer.needed, layer.max_lsb, layer.elements, layer.ties)
    cells = layer_row(layer)
    figures = zip(cells[_TEXTS:], keys, strict=False)
    return (
        *map(Cell, cells[:_TEXTS]),
        *(Cell(text, key) for text, key in figures),
        *map(Cell, cells[_TEXTS + len(keys) :]),
    )


def _meanings(report: ReportFields) -> dict[str, list[tuple[str, str]]]:
    described = [(column, OUTPUT_COLUMNS.get(column, "")) for column in output_columns(report)]
    described[-1] = (described[-1][0], OUTPUT_COLUMNS["optimised"])
    found = {"Outputs": described}
    if report.layers:
        found["Layers"] = [(column, COLUMNS[column]) for column in layer_columns(report)]
    return found


def _again(report: ReportFields) -> list[tuple[str, str]]:
    return [
        *settings_lines(report.seed, report.samples, report.limits, report.qconvert),
        (f"reference: {report.reference.engine}", report.reference.version),
        (f"engine: {report.engine.name}", report.engine.version),
        ("model's SHA-256", report.model.sha256),
    ]
