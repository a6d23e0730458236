"""The details of a comparison for its page: the first model's network, and how far the values of each layer differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from qconvert.numerics import quantize_onnx
from qconvert.validation.comparison.matching import Match, Observed
from qconvert.validation.comparison.oracles import Arrays
from qconvert.validation.comparison.pair import Pair
from qconvert.validation.comparison.values import Value
from qconvert.validation.details import Array, DetailMeasure, Details, LayerDetails, Node, Port, Role, Stated
from qconvert.validation.limits import FLOAT_LIMIT
from qconvert.validation.metrics import difference

_LARGEST = 1 << 32
"""The largest magnitude that is counted; NaN counts as the negative of it."""

_NARROW = 16
"""The width in bits of the widest storage whose whole range is the range of a scatter plot."""


@dataclass(frozen=True)
class Steps:
    """The integers that stand for a layer's values: ``value / size + zero``, rounded; ``low`` to ``high`` are drawn.

    ``is_lsb`` is False for floats, whose steps are the difference at which a layer counts as different.
    """

    size: float
    zero: int
    low: int
    high: int
    is_lsb: bool

    def of(self, first: Array, second: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the integers of both models' values, as vectors, in which less than half a step is no difference."""
        wide = [values.astype(np.float64).reshape(-1) for values in (first, second)]
        with np.errstate(invalid="ignore"):
            apart = np.where(difference(*wide) == 0.0, 0.0, wide[1] - wide[0])
        reference, result = (_whole(values, self.size, self.zero) for values in wide)
        return reference, np.where(np.isfinite(apart), reference + _whole(apart, self.size, 0), result)


def _whole(values: NDArray[np.float64], size: float, zero: int) -> NDArray[np.int64]:
    return np.asarray(quantize_onnx(values, size, zero, -_LARGEST, _LARGEST, np.int64))


def steps_of(pair: Pair, match: Match) -> Steps:
    """Return the integers of a matched layer: of the quantized model, A before B; for floats fractions of the largest.

    The range is the storage type's, or that of the first sample's finite values where the type is wide or none.
    """
    observed = pair.of(match)
    numbers = pair.numbers(match, _first_runs(observed))
    lsb = pair.unit(match)
    element = next((each.element for each in observed if each.element is not None), None)
    if element is not None and lsb == element.scale:
        zero, storage = int(element.zero_point), element.storage
        if storage.width <= _NARROW:
            return Steps(lsb, zero, storage.minimum, storage.maximum, is_lsb=True)
    else:
        zero = 0
    found = Steps(lsb or _float_step(numbers[0]), zero, 0, 0, is_lsb=lsb is not None)
    both = np.concatenate(found.of(*numbers))
    both = both[np.abs(both) < _LARGEST]
    return replace(found, low=int(both.min(initial=0)), high=int(both.max(initial=0)))


def _first_runs(observed: tuple[Observed, Observed]) -> tuple[Arrays, Arrays]:
    first, second = observed
    return {first.value.tensor: first.array}, {second.value.tensor: second.array}


def _float_step(values: Array) -> float:
    magnitudes = np.abs(values.astype(np.float64))
    return FLOAT_LIMIT * float(magnitudes[np.isfinite(magnitudes)].max(initial=0.0)) or FLOAT_LIMIT


def measured_details(pair: Pair, match: Match, steps: Steps, runs: Sequence[tuple[Arrays, Arrays]]) -> DetailMeasure:
    """Return the counts of a matched layer over some runs of both models, in the second model's layout."""
    return reduce(add, (_counts(steps, *pair.numbers(match, run)) for run in runs))


def _counts(steps: Steps, first: Array, second: Array) -> DetailMeasure:
    ties = np.zeros(first.size, bool)  # what a model rounds is not known here
    return DetailMeasure.of(*steps.of(first, second), ties, second.shape, (steps.low, steps.high))


def details_of(pair: Pair, found: Iterable[tuple[Steps, DetailMeasure]]) -> Details:
    """Return all layers of the first model, those without a counterpart too, and what each output comes from.

    ``found`` has the steps and the counts of each match.
    """
    values, measures = pair.first.values, dict(zip(pair.matches, found, strict=True))
    matches = {match.first: match for match in pair.matches}
    layers = tuple(_layer(pair, place, value, matches.get(place), measures) for place, value in enumerate(values))
    makers = {name: value.tensor for value in values for name in value.tensors}
    outputs = {name: (makers[name],) if name in makers else () for name in pair.first.outline.outputs}
    return Details(layers, outputs)


def _layer(
    pair: Pair,
    place: int,
    value: Value,
    match: Match | None,
    measures: Mapping[Match, tuple[Steps, DetailMeasure]],
) -> LayerDetails:
    values = pair.first.values
    distances = None
    if match is not None and match in measures:
        steps, measure = measures[match]
        distances = replace(measure.distances(), unit=None if steps.is_lsb else steps.size)
    return LayerDetails(
        value.tensor,
        value.node,
        value.op or "input",
        tuple(values[source].tensor for source in value.inputs),
        tuple(_nodes(pair, value, match)),
        _port(pair.values[0][place]),
        distances,
        file=None if match is None else Stated(_port(pair.of(match)[1]), ()),
    )


def _nodes(pair: Pair, value: Value, match: Match | None) -> Iterator[Node]:
    """Yield the node of a value in each model that has it."""
    yield Node(value.node, value.op or "input")
    if match is not None:
        other = pair.of(match)[1].value
        yield Node(other.node, other.op or "input")


def _port(observed: Observed | None) -> tuple[Port, ...]:
    """Return the tensor of a value in one of the models; nothing for a value that it does not have."""
    if observed is None:
        return ()
    element, array = observed.element, observed.array
    name, shape = observed.value.tensor, array.shape
    if element is None:
        return (Port(Role.RESULT, name, str(array.dtype), shape),)
    scales, zeros = (element.scale, element.scale), (element.zero_point, element.zero_point)
    return (Port(Role.RESULT, name, str(element.storage), shape, scales, zeros, 1, every_scale=(element.scale,)),)
