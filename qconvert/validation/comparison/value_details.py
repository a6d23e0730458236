"""The details of a comparison for its page: the first model's network, and how far the values of each layer differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qconvert.support.arrays import Array
from qconvert.validation.comparison.matching import Match, Observed
from qconvert.validation.comparison.numbers import Grid, PairMeasure
from qconvert.validation.comparison.oracles import Arrays
from qconvert.validation.comparison.pair import Pair
from qconvert.validation.comparison.values import Value
from qconvert.validation.figures.details import Details, LayerDetails, Node, Port, Role, Stated
from qconvert.validation.limits.limits import FLOAT_LIMIT

_NARROW = 16
"""The width in bits of the widest storage whose whole range is the range of a scatter plot."""


def grid_of(pair: Pair, match: Match) -> Grid:
    """Return the integers of a matched layer: of the quantized model, A before B; for floats fractions of the largest.

    The range is the storage type's, or that of the first sample's finite values where the type is wide or none.
    """
    observed = pair.of(match)
    numbers = pair.numbers(match, _first_runs(observed))
    lsb, zero = pair.unit(match), 0
    element = next((each.element for each in observed if each.element is not None), None)
    if element is not None and lsb == element.scale:
        zero, storage = int(element.zero_point), element.storage
        if storage.width <= _NARROW:
            return Grid(lsb, zero, storage.minimum, storage.maximum, is_lsb=True)
    return Grid(lsb or _float_step(numbers[0]), zero, 0, 0, is_lsb=lsb is not None).within(*numbers)


def _first_runs(observed: tuple[Observed, Observed]) -> tuple[Arrays, Arrays]:
    first, second = observed
    return {first.value.tensor: first.array}, {second.value.tensor: second.array}


def _float_step(values: Array) -> float:
    magnitudes = np.abs(values.astype(np.float64))
    return FLOAT_LIMIT * float(magnitudes[np.isfinite(magnitudes)].max(initial=0.0)) or FLOAT_LIMIT


def details_of(pair: Pair, measures: Sequence[PairMeasure]) -> Details:
    """Return all layers of the first model, those without a counterpart too, and what each output comes from."""
    values = pair.first.values
    found = {match.first: (match, measure) for match, measure in zip(pair.matches, measures, strict=True)}
    layers = tuple(_layer(pair, place, value, *found.get(place, (None, None))) for place, value in enumerate(values))
    makers = {name: value.tensor for value in values for name in value.tensors}
    outputs = {name: (makers[name],) if name in makers else () for name in pair.first.outline.outputs}
    return Details(layers, outputs)


def _layer(pair: Pair, place: int, value: Value, match: Match | None, measure: PairMeasure | None) -> LayerDetails:
    return LayerDetails(
        value.tensor,
        value.node,
        value.op or "input",
        tuple(pair.first.values[source].tensor for source in value.inputs),
        tuple(_nodes(pair, value, match)),
        _port(pair.values[0][place]),
        None if measure is None else measure.distances(),
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
