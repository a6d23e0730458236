"""The values of the first model that follow from casts and divisions without one right result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError
from qconvert.validation.bisect import return_values
from qconvert.validation.compare import Array
from qconvert.validation.comparison.oracles import Arrays
from qconvert.validation.comparison.pair import OutputPair, Pair
from qconvert.validation.comparison.programs import named_values
from qconvert.validation.comparison.sides import Side
from qconvert.validation.representation import carried, laid_out
from qconvert.validation.samples import Sample
from qconvert.validation.undefined import UNDEFINED, Mask, UndefinedResults

_MAY_BE_UNDEFINED = frozenset(
    {"CAST", "Cast", "CastLike", "DIV", "Div", "FLOOR_DIV", "stablehlo.convert", "stablehlo.divide", "tosa.cast"}
)
"""Operators that are looked for before a model is read as a whole."""


@dataclass
class Undefined:
    """Elements that are not compared: ``results`` has the values of ``names``, None for a model without such operators.

    ``left_out`` counts the elements of each output that are not compared, ``compared`` the others.
    """

    results: UndefinedResults | None = None
    names: Sequence[str] = ()
    note: str = ""
    left_out: dict[str, int] = field(default_factory=dict)
    compared: dict[str, int] = field(default_factory=dict)

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

    def settled(
        self, pair: Pair, outputs: Sequence[OutputPair], samples: Sequence[Sample], runs: list[tuple[Arrays, Arrays]]
    ) -> list[tuple[Arrays, Arrays]]:
        """Return runs in which the second model has the first one's elements where nothing is defined."""
        if self.results is None:
            return runs
        settled = []
        for sample, run in zip(samples, runs, strict=True):
            arrays = [sample[name] for name in pair.first.outline.inputs]
            masks = dict(zip(self.names, self.results.masks(arrays), strict=True))
            settled.append((run[0], {**run[1], **_inner(pair, masks, run), **self._outputs(outputs, masks, run)}))
        return settled

    def _outputs(
        self, outputs: Sequence[OutputPair], masks: Mapping[str, Mask], run: tuple[Arrays, Arrays]
    ) -> dict[str, Array]:
        found = {}
        for output in outputs:
            first, second, mask = run[0][output.first], run[1][output.second], masks[output.first]
            moved = carried(laid_out(first, output.layout, second.shape), *output.elements, second.dtype)
            found[output.second] = _replaced(second, moved, laid_out(mask, output.layout, second.shape))
            self.left_out[output.first] = self.left_out.get(output.first, 0) + int(mask.sum())
            self.compared[output.first] = self.compared.get(output.first, 0) + int((~mask).sum())
        return found

    def notes(self) -> list[str]:
        """Return a note on each output of which elements are not compared."""
        counts = ((name, count) for name, count in self.left_out.items() if count)
        found = [f"{counted(count, 'element')} of output '{name}' not compared: {UNDEFINED}" for name, count in counts]
        return [*filter(None, [self.note]), *found]

    def failures(self) -> list[str]:
        """Return a sentence on each output without an element that can be compared."""
        names = [name for name, count in self.left_out.items() if count and not self.compared[name]]
        return [f"no element of output '{name}' can be compared: {UNDEFINED}. Give other --inputs" for name in names]


def _inner(pair: Pair, masks: Mapping[str, Mask], run: tuple[Arrays, Arrays]) -> dict[str, Array]:
    """Return the values of the second model that change."""
    found = {}
    for match in pair.matches:
        first, second = pair.of(match)
        mask = next((masks[name] for name in (first.value.tensor, first.value.node) if name in masks), None)
        if mask is not None and mask.any() and mask.shape == run[0][first.value.tensor].shape:
            tensor = second.value.tensor
            held = match.alignment.held(mask, second.array.shape)
            found[tensor] = _replaced(run[1][tensor], pair.second_value(match, run), held)
    return found


def _replaced(second: Array, first: Array, mask: Mask) -> Array:
    return np.where(mask.reshape(second.shape), first.reshape(second.shape), second).astype(second.dtype)
