"""The content of the page of a validation: each layer in isolation, its family, limit and ties."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qconvert.validation.conclusion import conclusion, percent
from qconvert.validation.page.content import (
    Cell,
    Column,
    Content,
    Drawing,
    LayerRow,
    LayersTable,
    Mismatch,
    Table,
)
from qconvert.validation.page.figures import BARS, Told, drawing, height, settings_lines
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
    Mismatch.WITHIN: "differs within its limit",
    Mismatch.FAILED: "beyond its limit",
    Mismatch.UNKNOWN: "not compared",
}
"""The meaning of each class."""

_CHOICES = (
    ("that differ", (Mismatch.TIES, Mismatch.WITHIN, Mismatch.FAILED)),
    ("that differ beyond ties", (Mismatch.WITHIN, Mismatch.FAILED)),
    ("beyond their limit", (Mismatch.FAILED,)),
)
_TEXTS = 3
"""The number of columns of the layers' table that are texts."""

_MAIN = ("layer", "op", "alone", "differ", "max LSB", "ties")
"""The columns of the page; the details of a layer have the others."""

_MARKED = 3
"""The number of layers beyond their limits that have a badge."""


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
        marked=_marked(report),
        tables=(*((_whole(report),) if moved(report) else ()), *((floats,) if report.floats else ())),
    )


def _whole(report: ReportFields) -> Table:
    """Return the table of whole outputs and their limits."""
    what = "The limits are the worst of the reference's own runs in which each layer's integers move, with 3 dB."
    return Table("From end to end", what, WHOLE_COLUMNS, [whole_row(output) for output in report.whole])


def _classes(report: ReportFields) -> Mapping[str, Mismatch]:
    """Return the class of each layer that was compared, by its tensor."""
    return {layer.tensor: _mismatch(layer) for layer in report.layers}


def _mismatch(layer: LayerReport) -> Mismatch:
    if not layer.passed:
        return Mismatch.FAILED
    if layer.exact >= 1.0:
        return Mismatch.EQUAL
    return Mismatch.TIES if layer.exact_non_ties >= 1.0 else Mismatch.WITHIN


def _ranked(report: ReportFields) -> list[LayerReport]:
    """Return the layers by what they do alone, the worst first."""
    return sorted(report.layers, key=lambda layer: layer.rank)


def _marked(report: ReportFields) -> dict[str, str]:
    """Return the badges of the worst layers beyond their limits, by their tensors."""
    wrong = [layer.tensor for layer in _ranked(report) if not layer.passed][:_MARKED]
    return {tensor: f"worst no. {number}" if len(wrong) > 1 else "worst" for number, tensor in enumerate(wrong, 1)}


def _cards(report: ReportFields) -> list[tuple[str, str]]:
    """Return the figures that matter first."""
    exact = min((output.exact for output in report.outputs), default=None)
    cards = [("outputs equal, end to end", share(exact))]
    if report.layers:
        equal = sum(layer.exact_non_ties >= 1.0 for layer in report.layers)
        wrong = sum(not layer.passed for layer in report.layers)
        cards += [("layers equal alone, ties aside", f"{equal:,} of {len(report.layers):,}")]
        cards += [("layers beyond their limit", f"{wrong:,}")]
    return [*cards, ("samples", f"{report.samples:,}")]


def _drawing(report: ReportFields, classes: Mapping[str, Mismatch]) -> Drawing | None:
    if report.details is None:
        return None
    measured = {layer.tensor: layer for layer in report.layers}

    def told(tensor: str) -> Told:
        found = measured.get(tensor)
        if found is None:
            return Told("not compared", "not compared")
        figure = "" if found.exact >= 1.0 else f"{found.max_lsb:,} LSB"
        return Told(f"{LEGEND[classes[tensor]]}, {share(found.exact)} equal", figure, _facts(found, report))

    hint = "Each layer is fed the reference's own integers, so that its colour shows what the layer itself changes. "
    return drawing(hint, report.details, classes, told)


def _facts(found: LayerReport, report: ReportFields) -> list[tuple[str, str]]:
    facts = [("alone", LEGEND[_mismatch(found)])]
    if found.cause is not None:
        facts.append(("cause", found.cause.sentence))
    facts += list(zip(layer_columns(report), layer_row(found), strict=False))[2:]
    facts.append(("exact without ties", f"{found.exact_non_ties:.7g}"))
    if found.float_error is not None:
        error = found.float_error
        facts.append(("reference's float error", f"{error.mean:.2g} LSB mean, {error.largest:.2g} LSB largest"))
    return facts


def _layers(report: ReportFields, classes: Mapping[str, Mismatch]) -> LayersTable | None:
    if not report.layers:
        return None
    columns = tuple(Column(name, COLUMNS[name], name in _MAIN) for name in _columns(report))
    rows = tuple(
        LayerRow(
            layer.tensor,
            classes[layer.tensor],
            tuple(_cells(layer, report)[column.name] for column in columns),
            height(layer.exact_non_ties),
            f"{layer.node}: {LEGEND[classes[layer.tensor]]}, {share(layer.exact)} equal",
            layer.rank,
        )
        for layer in report.layers
    )
    hint = "By what a layer does alone: first those beyond their limit, then by the elements that differ without a tie."
    return LayersTable(columns, rows, _TEXTS, _CHOICES, BARS, hint=hint)


def _columns(report: ReportFields) -> tuple[str, ...]:
    """Return the main columns, then those that only tables of all figures have."""
    return (*_MAIN, *(name for name in layer_columns(report) if name not in _MAIN))


def _cells(layer: LayerReport, report: ReportFields) -> dict[str, Cell]:
    """Return the cells of a layer's row by their columns."""
    keys = {"exact": layer.exact, "needed": layer.needed, "max LSB": layer.max_lsb}
    keys |= {"elements": layer.elements, "ties": layer.ties}
    texts = dict(zip(layer_columns(report), layer_row(layer), strict=False))
    cells = {name: Cell(text, keys.get(name)) for name, text in texts.items()}
    differing = 1.0 - layer.exact_non_ties
    return {**cells, "alone": Cell(LEGEND[_mismatch(layer)]), "differ": Cell(percent(differing), differing)}


def _meanings(report: ReportFields) -> dict[str, list[tuple[str, str]]]:
    described = [(column, OUTPUT_COLUMNS.get(column, "")) for column in output_columns(report)]
    described[-1] = (described[-1][0], OUTPUT_COLUMNS["optimised"])
    found = {"Outputs": described}
    if report.layers:
        found["Layers"] = [(column, COLUMNS[column]) for column in _columns(report)]
    return found


def _again(report: ReportFields) -> list[tuple[str, str]]:
    return [
        *settings_lines(report.seed, report.samples, report.limits, report.qconvert),
        (f"reference: {report.reference.engine}", report.reference.version),
        (f"engine: {report.engine.name}", report.engine.version),
        ("model's SHA-256", report.model.sha256),
    ]
