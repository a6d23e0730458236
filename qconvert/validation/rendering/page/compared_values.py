"""The values of a report on its page, coloured by what differs, or by the cost of quantization."""

from __future__ import annotations

from qconvert.validation.figures.report import ReportFields, ValueReport
from qconvert.validation.rendering.conclusion import least_sqnr
from qconvert.validation.rendering.page.content import BEYOND, Cell, Column, LayerRow, LayersTable, Mismatch, Shown
from qconvert.validation.rendering.page.drawing import BARS, by_share, height
from qconvert.validation.rendering.page.meanings import VALUE_COLUMNS
from qconvert.validation.rendering.rows import lasting, share, value_cells, value_columns

_LEGEND = {
    Mismatch.EQUAL: "all elements equal",
    Mismatch.WITHIN: "differs within the limit, or has none",
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
"""The SQNR in dB from which on a bar is as low as that of a value without noise."""

_CHOICES = (
    ("that differ", (Mismatch.WITHIN, *BEYOND)),
    ("that differ beyond the limit", BEYOND),
)
_COST_CHOICES = (
    ("below 40 dB", BEYOND),
    ("below 30 dB", (Mismatch.SOME, Mismatch.MUCH)),
    ("below 20 dB", (Mismatch.MUCH,)),
)
_NO_NOISE = 1e9
"""The number by which a value without noise is sorted: JavaScript's infinity has another name."""

_IN_DETAILS = ("max abs", "elements")
"""The columns that only the details of a value have."""

_FROM_INPUTS = "Both models run from their inputs on: a difference reaches all later values. "


def shown(report: ReportFields) -> Shown:
    """Return the values of a report."""
    columns = value_columns(report)
    heads = tuple(Column(name, VALUE_COLUMNS[name], name not in _IN_DETAILS) for name in columns)
    rows = tuple(_row(value, columns, is_cost=report.is_cost) for value in report.values)
    texts = columns.index("exact")
    if report.is_cost:
        bars = "from input to output; the higher a bar, the more noise"
        table = LayersTable(heads, rows, texts, _COST_CHOICES, bars, "By the SQNR that lasts, the noisiest first.")
    else:
        table = LayersTable(heads, rows, texts, _CHOICES, BARS, "From input to output.")
    hint = _FROM_INPUTS if report.is_matched else ""
    return Shown(_cards(report), table, hint, _COSTS if report.is_cost else _LEGEND, _marked(report))


def _mismatch(value: ValueReport, *, is_cost: bool) -> Mismatch:
    """Return the class of a value: by the share that differs, against a float original by the noise that lasts."""
    if is_cost:
        least = lasting(value)
        loud = next((style for bound, style in _DECIBELS if least >= bound), Mismatch.MUCH)
        return Mismatch.EQUAL if least == float("inf") else loud
    if value.differs:
        return by_share(value.exact)
    return Mismatch.EQUAL if value.exact >= 1.0 else Mismatch.WITHIN


def _marked(report: ReportFields) -> dict[str, str]:
    """Return the badges of values: the first that differs, or those whose quantization costs most."""
    first = report.first_difference
    if first is not None:
        return {first.tensor: "first that differs"}
    tensors = {value.node: value.tensor for value in sorted(report.values, key=lasting, reverse=True)}
    return {tensors[node]: f"cost no. {number}" for number, node in enumerate(report.higher_precision, 1)}


def _cards(report: ReportFields) -> list[tuple[str, str]]:
    count = len(report.values)
    cards = [("values compared", f"{count:,} of {count + len(report.unmatched[0]):,}")]
    if not report.is_cost:
        return [*cards, ("values beyond the limit", f"{sum(value.differs for value in report.values):,}")]
    least = min(map(lasting, report.values))
    return [
        *cards,
        ("SQNR of the outputs", f"{least_sqnr(report):.1f} dB"),
        ("least SQNR of a value", f"{least:.1f} dB"),
    ]


def _row(value: ValueReport, columns: tuple[str, ...], *, is_cost: bool) -> LayerRow:
    texts, noise = value_cells(value), f"{lasting(value):.1f} dB"
    keys = _keys(value)
    off = f"{value.max_abs:.2g}" if value.max_lsb is None else f"{value.max_lsb:.0f} LSB"
    quiet = "" if value.exact >= 1.0 else off
    cause = [] if value.cause is None else [("cause", value.cause.sentence)]
    return LayerRow(
        value.tensor,
        _mismatch(value, is_cost=is_cost),
        tuple(Cell(texts[column], keys.get(column)) for column in columns),
        min(1.0, max(0.0, 1.0 - lasting(value) / _LOUDEST)) if is_cost else height(value.exact),
        f"{value.node}: {noise if is_cost else f'{share(value.exact)} equal'}",
        noise if is_cost else quiet,
        (*cause, *((column, texts[column]) for column in columns[2:])),
        (lasting(value),) if is_cost else (),
    )


def _keys(value: ValueReport) -> dict[str, float]:
    """Return the numbers by which the columns of numbers are sorted."""
    found = {"exact": value.exact, "max abs": value.max_abs, "max rel": value.max_rel, "elements": value.elements}
    found["max LSB"] = -1.0 if value.max_lsb is None else value.max_lsb
    decibels = {"SQNR dB": value.sqnr_db, "lasting dB": value.lasting_db}
    return found | {column: _NO_NOISE if ratio is None else ratio for column, ratio in decibels.items()}
