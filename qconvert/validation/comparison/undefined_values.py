"""The values of the first model that follow from casts and divisions without one right result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qconvert.support.arrays import Array
from qconvert.support.errors import ConversionError
from qconvert.validation.comparison.modules import named_values
from qconvert.validation.comparison.oracles import Arrays
from qconvert.validation.comparison.pair import Pair
from qconvert.validation.comparison.sides import Side
from qconvert.validation.limits.bisect import return_values
from qconvert.validation.limits.undefined import Mask, UndefinedResults, compared
from qconvert.validation.sampling.samples import Sample

_MAY_BE_UNDEFINED = frozenset(
    {"CAST", "Cast", "CastLike", "DIV", "Div", "FLOOR_DIV", "stablehlo.convert", "stablehlo.divide", "tosa.cast"}
)
"""Operators that are looked for before a model is read as a whole."""


@dataclass(frozen=True)
class Undefined:
    """Elements that are not compared: ``results`` has the values of ``names``, None for a model without such operators.

    ``note`` tells that they cannot be found.
    """

    results: UndefinedResults | None = None
    names: Sequence[str] = ()
    note: str = ""

    @classmethod
    def of(cls, side: Side) -> Undefined:
        """Look for undefined results in a model, which is read as a whole if it may have some."""
        if not any(node.op in _MAY_BE_UNDEFINED for node in side.outline.nodes):
            return cls()
        try:
            copy = side.as_module.clone()
        except ConversionError as error:
            return cls(note=f"casts and divisions without one right result are compared as well: {error}")
        values = named_values(copy, list(side.outline.inputs), side.outline.outputs)
        return_values(copy, values)
        results = UndefinedResults(copy)
        return cls(results, tuple(values)) if results else cls()

    def masks(self, sample: Sample, inputs: Iterable[str]) -> dict[str, Mask]:
        """Return the elements of each value of a sample that are not compared, nothing for a model without such."""
        if self.results is None:
            return {}
        return dict(zip(self.names, self.results.masks([sample[name] for name in inputs]), strict=True))


def settled(pair: Pair, masks: Mapping[str, Mask], run: tuple[Arrays, Arrays]) -> tuple[Arrays, Arrays]:
    """Return a run in which the second model has the first one's matched elements where nothing is defined."""
    return run[0], {**run[1], **_inner(pair, masks, run)}


def _inner(pair: Pair, masks: Mapping[str, Mask], run: tuple[Arrays, Arrays]) -> dict[str, Array]:
    """Return the values of the second model that change."""
    found = {}
    for match in pair.matches:
        first, second = pair.of(match)
        mask = next((masks[name] for name in (first.value.tensor, first.value.node) if name in masks), None)
        if mask is not None and mask.any() and mask.shape == run[0][first.value.tensor].shape:
            tensor = second.value.tensor
            held = match.alignment.held(mask, second.array.shape)
            first_value, mask = pair.second_value(match, run), held.reshape(second.array.shape)
            found[tensor] = compared(run[1][tensor], first_value, mask)
    return found
