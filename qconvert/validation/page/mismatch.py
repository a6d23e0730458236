"""How much of a layer differs: the classes that colour its row, its node and its bar."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from qconvert.validation.report import LayerReport, ReportFields


class Mismatch(StrEnum):
    """A class of layers; the value is its name in the style sheet."""

    EQUAL = "equal"
    TIES = "ties"
    LITTLE = "little"
    SOME = "some"
    MUCH = "much"
    FAILED = "failed"
    UNKNOWN = "unknown"


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


def mismatches(report: ReportFields) -> Mapping[str, Mismatch]:
    """Return the class of each layer that was compared, by its tensor."""
    return {layer.tensor: _mismatch(layer, _failed(report, layer)) for layer in report.layers}


def _failed(report: ReportFields, layer: LayerReport) -> bool:
    return any(f"layer '{layer.node}'" in failure for failure in report.failures)


def _mismatch(layer: LayerReport, failed: bool) -> Mismatch:
    if failed:
        return Mismatch.FAILED
    differing = 1.0 - layer.exact
    if differing <= 0.0:
        return Mismatch.EQUAL
    if layer.exact_non_ties >= 1.0:
        return Mismatch.TIES
    if differing <= 1e-3:
        return Mismatch.LITTLE
    return Mismatch.SOME if differing <= 1e-2 else Mismatch.MUCH
