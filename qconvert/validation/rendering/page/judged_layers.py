"""The layers of a report on its page: each in isolation, its family, limit and ties."""

from __future__ import annotations

from qconvert.validation.figures.report import LayerReport, ReportFields
from qconvert.validation.rendering.conclusion import percent
from qconvert.validation.rendering.page.content import Cell, Column, LayerRow, LayersTable, Mismatch, Shown
from qconvert.validation.rendering.page.drawing import BARS, height
from qconvert.validation.rendering.page.meanings import COLUMNS
from qconvert.validation.rendering.rows import layer_columns, layer_row, share

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

_DRAWN = "Each layer is fed the reference's own integers, so that its colour shows what the layer itself changes. "
_ORDER = "By what a layer does alone: first those beyond their limit, then by the elements that differ without a tie."


def shown(report: ReportFields) -> Shown:
    """Return the layers of a report; a report without layers has no table."""
    columns = (*_MAIN, *(name for name in layer_columns(report) if name not in _MAIN))
    rows = tuple(_row(layer, report, columns) for layer in report.layers)
    heads = tuple(Column(name, COLUMNS[name], name in _MAIN) for name in columns)
    table = LayersTable(heads, rows, _TEXTS, _CHOICES, f"{BARS}, ties aside", _ORDER) if rows else None
    return Shown(_cards(report), table, _DRAWN, LEGEND, _marked(report))


def _mismatch(layer: LayerReport) -> Mismatch:
    if not layer.passed:
        return Mismatch.FAILED
    if layer.exact >= 1.0:
        return Mismatch.EQUAL
    return Mismatch.TIES if layer.exact_non_ties >= 1.0 else Mismatch.WITHIN


def _marked(report: ReportFields) -> dict[str, str]:
    """Return the badges of the worst layers beyond their limits, by their tensors."""
    ranked = sorted(report.layers, key=lambda layer: layer.rank)
    wrong = [layer.tensor for layer in ranked if not layer.passed][:_MARKED]
    return {tensor: f"worst no. {number}" if len(wrong) > 1 else "worst" for number, tensor in enumerate(wrong, 1)}


def _cards(report: ReportFields) -> list[tuple[str, str]]:
    if not report.layers:
        return []
    equal = sum(layer.exact_non_ties >= 1.0 for layer in report.layers)
    wrong = sum(not layer.passed for layer in report.layers)
    count = len(report.layers)
    return [("layers equal alone, ties aside", f"{equal:,} of {count:,}"), ("layers beyond their limit", f"{wrong:,}")]


def _row(layer: LayerReport, report: ReportFields, columns: tuple[str, ...]) -> LayerRow:
    style, texts = _mismatch(layer), dict(zip(layer_columns(report), layer_row(layer), strict=False))
    keys = {"exact": layer.exact, "needed": layer.needed, "max LSB": layer.max_lsb}
    keys |= {"elements": layer.elements, "ties": layer.ties}
    differing = 1.0 - layer.exact_non_ties
    cells = {name: Cell(text, keys.get(name)) for name, text in texts.items()}
    cells |= {"alone": Cell(LEGEND[style]), "differ": Cell(percent(differing), differing)}
    return LayerRow(
        layer.tensor,
        style,
        tuple(cells[column] for column in columns),
        height(layer.exact_non_ties),
        f"{layer.node}: {LEGEND[style]}, {share(layer.exact)} equal",
        "" if layer.exact >= 1.0 else f"{layer.max_lsb:,} LSB",
        tuple(_facts(layer, report, texts)),
        layer.rank,
    )


def _facts(layer: LayerReport, report: ReportFields, texts: dict[str, str]) -> list[tuple[str, str]]:
    facts = [("alone", LEGEND[_mismatch(layer)])]
    if layer.cause is not None:
        facts.append(("cause", layer.cause.sentence))
    own = [each for each in report.parameters if each.is_of((*layer.nodes, layer.tensor))]
    facts += [(each.parameter, f"{each.text} (source against file)") for each in own]
    facts += list(texts.items())[2:]
    facts.append(("exact without ties", f"{layer.exact_non_ties:.7g}"))
    if layer.float_error is not None:
        error = layer.float_error
        facts.append(("reference's float error", f"{error.mean:.2g} LSB mean, {error.largest:.2g} LSB largest"))
    return facts
