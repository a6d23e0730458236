"""The verdicts on outputs and layers of two models, and the layers whose quantization costs most."""

from __future__ import annotations

import math
from collections.abc import Sequence

from qconvert.validation.comparison.matching import Match, Observed
from qconvert.validation.comparison.numbers import PairMeasure
from qconvert.validation.comparison.pair import Pair
from qconvert.validation.figures.measures import total
from qconvert.validation.figures.metrics import finite
from qconvert.validation.figures.report import OutputReport, Place, ValueReport
from qconvert.validation.limits.limits import Limits, disagreement, unjudged

_MOST_ADVICE = 5
_LEAST_COST = 0.2
"""The least share of the largest cost at which a layer is named."""


def output_failures(report: OutputReport, disagreements: int, limits: Limits) -> list[str]:
    """Return a sentence for each way in which an output fails; without limits it must be equal up to float rounding."""
    beyond = limits.failures(report) if limits.given() else unjudged(report)
    return [*beyond, *disagreement(report, disagreements)]


def value_report(pair: Pair, match: Match, measure: PairMeasure, limits: Limits, lasting: float) -> ValueReport:
    """Return the report on a matched value; ``lasting`` is the noise-to-signal ratio that later layers keep."""
    first, second = map(place_of, pair.of(match))
    lsb, differences = measure.largest_lsb, measure.differences
    return ValueReport(
        node=first.node,
        op=first.op,
        tensor=first.tensor,
        second=second,
        matched=match.by,
        correlation=match.correlation,
        exact=differences.exact,
        max_lsb=None if lsb is None else finite(lsb),
        max_abs=finite(differences.largest),
        max_rel=finite(differences.relative),
        sqnr_db=measure.sqnr_db,
        lasting_db=finite(-10 * math.log10(lasting)) if lasting else None,
        elements=differences.elements,
        differs=measure.differs(limits),
    )


def place_of(observed: Observed) -> Place:
    """Return the place of a value in its model; an input has the operator ``input``."""
    value = observed.value
    return Place(value.node, value.op or "input", value.tensor)


def lasting_noise(pair: Pair, measures: Sequence[PairMeasure]) -> list[float]:
    """Return each layer's noise-to-signal ratio, at most the largest of the layers that read it.

    A quantizer that clamps what an activation behind it clamps anyway makes no noise that lasts.
    """
    ratios = [_ratio(measure) for measure in measures]
    places = {match.first: index for index, match in enumerate(pair.matches)}
    readers: list[list[int]] = [[] for _ in ratios]
    for index in reversed(range(len(ratios))):
        if readers[index]:
            ratios[index] = min(ratios[index], max(ratios[reader] for reader in readers[index]))
        for place in _sources(pair, pair.matches[index].first, set(places)):
            readers[places[place]].append(index)
    return ratios


def higher_precision(pair: Pair, ratios: Sequence[float]) -> tuple[str, ...]:
    """Return the nodes whose quantization adds most noise that lasts to their signal, the worst first.

    The noise that a layer adds is its noise-to-signal ratio without the largest ratio of the layers that it reads.
    """
    places = {match.first: ratio for match, ratio in zip(pair.matches, ratios, strict=True)}
    added: dict[str, float] = {}
    for match, ratio in zip(pair.matches, ratios, strict=True):
        before = [places[place] for place in _sources(pair, match.first, set(places))]
        node = pair.of(match)[0].value.node
        added[node] = max(added.get(node, 0.0), ratio - max(before, default=0.0))
    worst = sorted((node for node in added if added[node] > 0), key=added.__getitem__, reverse=True)
    return tuple(node for node in worst[:_MOST_ADVICE] if added[node] >= _LEAST_COST * added[worst[0]])


def _ratio(measure: PairMeasure) -> float:
    signal = total(measure.signal)
    return total(measure.noise) / signal if signal else 0.0


def _sources(pair: Pair, place: int, known: set[int]) -> set[int]:
    """Return the nearest matched values that a value of the first model depends on."""
    found, stack, seen = set[int](), list(pair.first.values[place].inputs), set[int]()
    while stack:
        source = stack.pop()
        if source in known:
            found.add(source)
        elif source not in seen:
            seen.add(source)
            stack.extend(pair.first.values[source].inputs)
    return found
