"""The page of a comparison: the first model's network coloured by what differs, or by the cost of quantization."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qconvert.validation.comparison.matching import Matched
from qconvert.validation.comparison.value_report import ComparisonFields, LayerPair, Place
from qconvert.validation.comparison.value_rows import (
    OUTPUT_COLUMNS,
    advice,
    engine_text,
    lasting,
    layer_columns,
    layer_row,
    matched,
)
from qconvert.validation.page import page_of, sections
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
from qconvert.validation.page.words import COMPARED_COLUMNS
from qconvert.validation.page.words import OUTPUT_COLUMNS as OUTPUT_WORDS
from qconvert.validation.rows import output_row, share

_LEGEND = {
    Mismatch.EQUAL: "all elements equal",
    Mismatch.WITHIN: "differs within the limit",
    Mismatch.LITTLE: "up to 0.1 % differ",
    Mismatch.SOME: "up to 1 % differ",
    Mismatch.MUCH: "more than 1 % differ",
    Mismatch.UNKNOWN: "without a counterpart",
}
_COSTS = {
    Mismatch.EQUAL: "nothing differs",
    Mismatch.WITHIN: "40 dB and more",
    Mismatch.LITTLE: "30 to 40 dB",
    Mismatch.SOME: "20 to 30 dB",
    Mismatch.MUCH: "less than 20 dB",
    Mismatch.UNKNOWN: "without a counterpart",
}
"""The meaning of each class, and against a float original: the SQNR that lasts."""

_DECIBELS = ((40.0, Mismatch.WITHIN), (30.0, Mismatch.LITTLE), (20.0, Mismatch.SOME))
_LOUDEST = 60.0
"""The SQNR in dB from which on a bar is as low as that of a layer without noise."""

_CHOICES = (
    ("that differ", (Mismatch.WITHIN, *BEYOND)),
    ("that differ beyond the limit", BEYOND),
)
_COST_CHOICES = (
    ("below 40 dB", BEYOND),
    ("below 30 dB", (Mismatch.SOME, Mismatch.MUCH)),
    ("below 20 dB", (Mismatch.MUCH,)),
)
_TEXTS = 4
"""The number of columns of the layers' table that are texts."""

_NO_NOISE = 1e9
"""The number by which a layer without noise is sorted."""


def html(report: ComparisonFields) -> str:
    """Return one self-contained page. The network and the charts need :attr:`ComparisonFields.details`."""
    verdict = "passed" if report.passed else "failed"
    return page_of(f"{report.second.file} against {report.first.file}: {verdict}", content(report))


def light(report: ComparisonFields) -> str:
    """Return summary, outputs and layers for a notebook."""
    return sections.light(content(report))


def content(report: ComparisonFields) -> Content:
    """Return the content of the page; the drawing needs :attr:`ComparisonFields.details`."""
    classes = {layer.first.tensor: _class(report, layer) for layer in report.layers}
    columns = OUTPUT_COLUMNS
    outputs = [output_row(output)[: len(columns)] for output in report.outputs]
    return Content(
        name=f"{Path(report.second.file).name} against {Path(report.first.file).name}",
        passed=report.passed,
        summary=f"A is {_side(report.first.file, engine_text(report.reference))}, the reference; "
        f"B is {_side(report.second.file, engine_text(report.engine))}. {matched(report)}.",
        cards=_cards(report),
        failures=report.failures,
        notes=(*advice(report), *report.notes),
        outputs=Table("Outputs", "The whole models, from the inputs on.", columns, outputs),
        drawing=_drawing(report, classes),
        layers=_layers(report, classes),
        legend=_COSTS if report.is_cost else _LEGEND,
        meanings=_meanings(report),
        again=_again(report),
        command=None if report.details is None else report.details.command,
        tables=_unmatched(report),
        sides=("A", "B"),
        marked=_marked(report),
    )


def _side(file: str, engine: str) -> str:
    return f"{file} on {engine}"


def _class(report: ComparisonFields, layer: LayerPair) -> Mismatch:
    """Return the class of a layer: by the share that differs, against a float original by the noise that lasts."""
    if report.is_cost:
        found = lasting(layer)
        if found == float("inf"):
            return Mismatch.EQUAL
        return next((each for least, each in _DECIBELS if found >= least), Mismatch.MUCH)
    if not layer.differs:
        return Mismatch.EQUAL if layer.exact >= 1.0 else Mismatch.WITHIN
    return by_share(layer.exact)


def _marked(report: ComparisonFields) -> dict[str, str]:
    """Return the badges of layers: the first that differs, or those whose quantization costs most."""
    if report.first_difference is not None:
        return {report.first_difference.tensor: "first that differs"}
    tensors = {layer.first.node: layer.first.tensor for layer in sorted(report.layers, key=lasting, reverse=True)}
    return {tensors[node]: f"cost no. {number}" for number, node in enumerate(report.higher_precision, 1)}


def _cards(report: ComparisonFields) -> list[tuple[str, str]]:
    exact = min((output.exact for output in report.outputs), default=None)
    total = len(report.layers) + report.unmatched[0]
    cards = [("outputs equal", share(exact)), ("layers of A matched", f"{len(report.layers)} of {total}")]
    if report.is_cost:
        least = min(map(lasting, report.layers), default=float("inf"))
        noise = [output.sqnr_db for output in report.outputs if output.sqnr_db is not None]
        cards += [("SQNR of the outputs", f"{min(noise):.1f} dB" if noise else "inf")]
        cards += [("least SQNR of a layer", f"{least:.1f} dB")]
    else:
        cards += [("layers that differ", str(sum(layer.differs for layer in report.layers)))]
    if report.accuracy is not None:
        labelled = report.accuracy
        rights = [f"{right / labelled.samples:.2%}" for right in (labelled.first, labelled.second)]
        cards += [("accuracy of A and B", " and ".join(rights))]
    return [*cards, ("samples", f"{report.samples:,}")]


def _drawing(report: ComparisonFields, classes: Mapping[str, Mismatch]) -> Drawing | None:
    if report.details is None:
        return None
    measured = {layer.first.tensor: layer for layer in report.layers}

    def told(tensor: str) -> Told:
        found = measured.get(tensor)
        if found is None:
            return Told("without a counterpart", "not in B")
        facts = list(zip(layer_columns(report), _row(report, found), strict=False))[2:]
        return Told(_tip(report, found), _figure(report, found), facts)

    hint = "The network of A. Both models run from their inputs on: a difference reaches all later layers. "
    return drawing(hint, report.details, classes, told)


def _row(report: ComparisonFields, layer: LayerPair) -> tuple[str, ...]:
    return layer_row(layer, is_cost=report.is_cost)


def _tip(report: ComparisonFields, layer: LayerPair) -> str:
    return f"{lasting(layer):.1f} dB" if report.is_cost else f"{share(layer.exact)} equal"


def _figure(report: ComparisonFields, layer: LayerPair) -> str:
    """Return what stands in the corner of a node: the noise, or the largest difference."""
    if report.is_cost:
        return _tip(report, layer)
    if layer.exact >= 1.0:
        return ""
    return f"{layer.max_abs:.2g}" if layer.max_lsb is None else f"{layer.max_lsb:.0f} LSB"


def _layers(report: ComparisonFields, classes: Mapping[str, Mismatch]) -> LayersTable | None:
    if not report.layers:
        return None
    columns = layer_columns(report)
    rows = tuple(
        LayerRow(
            layer.first.tensor,
            classes[layer.first.tensor],
            _cells(report, layer),
            _noise(layer) if report.is_cost else height(layer.exact),
            f"{layer.first.node}: {_tip(report, layer)}",
        )
        for layer in report.layers
    )
    what = "more noise" if report.is_cost else "more elements differ"
    return LayersTable(
        tuple(Column(name, COMPARED_COLUMNS[name]) for name in columns),
        rows,
        _TEXTS,
        _COST_CHOICES if report.is_cost else _CHOICES,
        f"from input to output; the higher a bar, the {what}",
        columns.index("lasting dB") if report.is_cost else None,
    )


def _noise(layer: LayerPair) -> float:
    """Return the height of a bar, 0 to 1: a layer as loud as its signal is 1."""
    return min(1.0, max(0.0, 1.0 - lasting(layer) / _LOUDEST))


def _cells(report: ComparisonFields, layer: LayerPair) -> tuple[Cell, ...]:
    keys = [*_keys(layer.exact, layer.max_lsb), layer.max_abs, _decibels(layer.sqnr_db), layer.elements]
    keys += [_decibels(layer.lasting_db)] if report.is_cost else []
    texts = _row(report, layer)
    return (*map(Cell, texts[:_TEXTS]), *map(Cell, texts[_TEXTS:], keys))


def _keys(exact: float, max_lsb: float | None) -> tuple[float, float]:
    return exact, -1.0 if max_lsb is None else max_lsb


def _decibels(value: float | None) -> float:
    return _NO_NOISE if value is None else value


def _unmatched(report: ComparisonFields) -> tuple[Table, ...]:
    """Return the table of the layers that one of the models has alone."""
    found = [(side, place) for side, places in zip("AB", report.unmatched_layers, strict=True) for place in places]
    if not found:
        return ()
    hint = f"These layers have no counterpart by {', '.join(Matched)}, and are not compared."
    columns, rows = ("node", "op", "tensor", "model"), [_place(*each) for each in found]
    return (Table("Without a counterpart", hint, columns, rows, is_text=True),)


def _place(side: str, place: Place) -> tuple[str, ...]:
    return (place.node, place.op, place.tensor, side)


def _meanings(report: ComparisonFields) -> dict[str, list[tuple[str, str]]]:
    found = {"Outputs": [(column, OUTPUT_WORDS[column]) for column in OUTPUT_COLUMNS]}
    if report.layers:
        found["Layers"] = [(column, COMPARED_COLUMNS[column]) for column in layer_columns(report)]
    return found


def _again(report: ComparisonFields) -> list[tuple[str, str]]:
    return [
        *settings_lines(report.seed, report.samples, report.limits, report.qconvert),
        ("A is computed by", engine_text(report.reference)),
        ("B is computed by", engine_text(report.engine)),
        ("SHA-256 of A", report.first.sha256),
        ("SHA-256 of B", report.second.sha256),
    ]
