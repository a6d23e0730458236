"""The sentence that concludes a report: what its layers do alone, and how far the whole network is from its source."""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.support.counting import counted
from qconvert.validation.figures.report import LayerReport, Matched, OutputReport, ReportFields
from qconvert.validation.limits.limits import is_close


def verdict_line(report: ReportFields) -> str:
    """Return the verdict and its sentence, as the first line of every form of a report."""
    found = conclusion(report)
    verdict = "passed" if report.passed else "failed"
    if report.passed and not all(layer.passed for layer in report.layers):
        verdict = "passed within the given limits"
    return f"{verdict}: {found}" if found else verdict


def conclusion(report: ReportFields) -> str:
    """Return the sentence without the verdict; empty for a report without figures."""
    parts = (_layers(report), _values(report), _whole(report))
    return "; ".join(filter(None, parts))


def percent(share: float) -> str:
    """Format a share in percent with enough digits to distinguish it from 0% and 100%."""
    for digits in range(5):
        text = f"{share:.{digits}%}"
        if share in (0.0, 1.0) or float(text[:-1]) not in (0.0, 100.0):
            return text
    return "less than 0.0001%" if share < 0.5 else "more than 99.9999%"


def _layers(report: ReportFields) -> str:
    layers, cause = report.layers, report.other_cause
    wrong = [layer for layer in layers if not layer.passed]
    if wrong or cause is not None:
        differs = "" if cause is None else f"'{cause.name}' differs, {cause.parameter}: {cause.text}"
        return "; ".join(filter(None, [differs, _wrong(wrong, len(layers)) if wrong else ""]))
    if not layers:
        return ""
    each = "each layer" if report.passed else "each layer that was compared"
    if all(layer.exact >= 1.0 for layer in layers):
        return f"{each} equal"
    if all(layer.exact_non_ties >= 1.0 for layer in layers):
        return f"{each} equal but for ties"
    equal = sum(layer.exact_non_ties >= 1.0 for layer in layers)
    return f"{equal:,} of {counted(len(layers), 'layer')} equal, the others within their limits"


def _wrong(wrong: Sequence[LayerReport], count: int) -> str:
    """Return the number of layers beyond their limits, and the first of them in the model's order."""
    first = wrong[0]
    share = f"{percent(1 - first.exact_non_ties)} of its elements differ, by up to {first.max_lsb:,} LSB"
    far = share if first.cause is None else first.cause.sentence
    verb = "is wrong alone:" if len(wrong) == 1 else "are wrong alone, the first is"
    return f"{len(wrong):,} of {counted(count, 'layer')} {verb} '{first.node}' ({first.op}), {far}"


def _values(report: ReportFields) -> str:
    """Return how many values were matched, by the evidence, and differ; or how far nodes without a match are off.

    Against a float original each value differs.
    """
    values = report.values
    ways = {by: sum(value.matched is by for value in values) for by in Matched}
    if any(ways.values()):
        listed = ", ".join(f"{count:,} by {by}" for by, count in ways.items() if count)
        differing = sum(value.differs for value in values)
        more = "" if report.is_cost else f", {differing:,} {'differs' if differing == 1 else 'differ'}"
        return f"{counted(len(values), 'value')} matched ({listed}){more}"
    if not values:
        return ""
    farthest = max(value.max_rel for value in values)
    return f"nodes differ by at most {farthest:.1e} of their largest value" if farthest else "each node equal"


def _whole(report: ReportFields) -> str:
    """Return how much of the whole network is equal, and what explains the rest."""
    worst = min(report.outputs, key=lambda output: output.exact, default=None)
    if worst is None:
        return ""
    if worst.exact >= 1.0:
        return "the whole equal"
    if report.is_cost:
        return f"the whole at {least_sqnr(report):.1f} dB"
    if worst.max_rel is not None and is_close(worst):
        return f"the whole within {worst.max_rel:.1e} of its largest value"
    return f"the whole {percent(worst.exact)} equal{_explained(report, worst)}"


def least_sqnr(report: ReportFields) -> float:
    """Return the least signal-to-noise ratio of the outputs in dB, infinite without noise."""
    return min((output.sqnr_db for output in report.outputs if output.sqnr_db is not None), default=float("inf"))


def _explained(report: ReportFields, worst: OutputReport) -> str:
    """Return the distance that the reference's own optimisation has as well, else what roundings inside explain."""
    optimised = worst.exact_reference_optimised
    if optimised is not None and worst.exact >= optimised:
        far, to = ("as far as", "from") if optimised > worst.exact / 2 else ("closer than", "to")
        return f", {far} optimised {report.reference.name} is {to} its own reference ({percent(optimised)})"
    most = next((each.most_differing for each in report.whole if each.name == worst.name), 0.0)
    return f", roundings inside explain as little as {percent(1 - most)}" if 0.0 < most < 1.0 else ""
