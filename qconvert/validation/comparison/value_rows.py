"""The cells of a comparison's tables, as text, and its sentences."""

from __future__ import annotations

from qconvert.support.counting import counted
from qconvert.validation.comparison.matching import Matched
from qconvert.validation.comparison.value_report import ComparisonFields, LayerPair
from qconvert.validation.report import Reference
from qconvert.validation.rows import accuracy_line, setting, share

OUTPUT_COLUMNS = ("output", "exact", "max LSB", "max abs", "SQNR dB", "top-1", "distinct")
_LAYER_COLUMNS = ("layer", "op", "in the second model", "matched by")
_NUMBERS = ("exact", "max LSB", "max abs", "SQNR dB", "elements")


def summary(report: ComparisonFields) -> str:
    """Return one line on both models, their engines and the samples."""
    second = f"{report.second.file} on {engine_text(report.engine)}"
    first = f"{report.first.file} on {engine_text(report.reference)}"
    return f"{second}, against {first}; {counted(report.samples, 'sample')}"


def engine_text(engine: Reference) -> str:
    """Return an engine's name, version and setting."""
    return ", ".join(filter(None, (f"{engine.engine} {engine.version}", setting(engine))))


def layer_row(layer: LayerPair, *, is_cost: bool) -> tuple[str, ...]:
    """Return the cells of one layer's row, against a float original with the SQNR that lasts."""
    correlation = "" if layer.correlation is None else f" {layer.correlation:.4f}"
    other = "" if layer.second.node == layer.first.node else f"{layer.second.node} ({layer.second.op})"
    names = (layer.first.node, layer.first.op, other or layer.second.op, f"{layer.matched}{correlation}")
    numbers = _numbers(layer.exact, layer.max_lsb, layer.max_abs, layer.sqnr_db)
    cost = (_decibels(layer.lasting_db),) if is_cost else ()
    return (*names, *numbers, f"{layer.elements:,}", *cost)


def _numbers(exact: float, lsb: float | None, largest: float, decibels: float | None) -> tuple[str, ...]:
    noise = (
        "-" if decibels is None and largest else _decibels(decibels)
    )  # no figure: values that are not finite, or zeros
    return (share(exact), "-" if lsb is None else f"{lsb:.0f}", f"{largest:.3g}", noise)


def _decibels(value: float | None) -> str:
    return "inf" if value is None else f"{value:.1f}"


def layer_columns(report: ComparisonFields) -> tuple[str, ...]:
    """Return the heads of the layers' table; the SQNR that lasts is known against a float original."""
    cost = ("lasting dB",) if report.is_cost else ()
    return (*_LAYER_COLUMNS, *_NUMBERS, *cost)


def lasting(layer: LayerPair) -> float:
    """Return the SQNR in dB that lasts, infinite without noise: layers are sorted by it, the worst first."""
    return float("inf") if layer.lasting_db is None else layer.lasting_db


def matched(report: ComparisonFields) -> str:
    """Return how many layers were compared, by the evidence, and how many differ."""
    ways = {by: sum(layer.matched is by for layer in report.layers) for by in Matched}
    listed = ", ".join(f"{count} by {by}" for by, count in ways.items() if count)
    differing = sum(layer.differs for layer in report.layers)
    verb = "differs" if differing == 1 else "differ"
    return f"{counted(len(report.layers), 'layer')} matched ({listed or 'no way'}); {differing} {verb}"


def advice(report: ComparisonFields) -> list[str]:
    """Return the sentences on the cost of quantization and on accuracy."""
    found = []
    if report.higher_precision:
        names = ", ".join(f"'{name}'" for name in report.higher_precision)
        found.append(f"quantization costs most in {names}: leave these in higher precision first")
    if report.accuracy is not None:
        found.append(accuracy_line(report.accuracy, "first model"))
    return found
