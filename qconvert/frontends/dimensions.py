"""The dimensions of inputs that a file leaves open, and the sizes that the caller gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from qconvert.support.errors import ConversionError

ReadT = TypeVar("ReadT")

Places: TypeAlias = Mapping[str, Sequence[tuple[str, int]]]
"""The inputs and axes that have an open dimension, by the dimension's name."""


class UnknownDimensionError(ConversionError):
    """A size is given to a dimension ``name`` that no input has; ``hint`` is the advice."""

    def __init__(self, name: str, hint: str) -> None:
        super().__init__(f"no input has a dimension '{name}'", hint=hint)
        self.name = name


@dataclass
class Dimensions:
    """The sizes of a model's open dimensions.

    ``given`` has sizes by the dimension's name: its symbol in the file, else ``INPUT.AXIS``. ``arguments`` has the
    shapes of arrays by input name. ``places`` are the open dimensions found so far, ``assumed`` those that became 1.
    """

    given: Mapping[str, int] = field(default_factory=dict)
    arguments: Mapping[str, Sequence[int]] = field(default_factory=dict)
    places: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)

    def find(self, place: tuple[str, int], *names: str) -> int | None:
        """Return the size of an open dimension: the size given to one of its names, that of the array, or None."""
        for name in names:
            self.places.setdefault(name, []).append(place)
        found = [self.given[name] for name in names if name in self.given]
        if found:
            return found[0]
        known, axis = self.arguments.get(place[0], ()), place[1]
        return known[axis] if axis < len(known) else None

    def size(self, name: str, axis: int, symbol: str = "") -> int:
        """Return the size of an input's open dimension; a leading one without a size is the batch and becomes 1.

        Raises ConversionError for other dimensions without a size.
        """
        known_as = symbol or f"{name}.{axis}"
        found = self.find((name, axis), known_as)
        if found is not None:
            return found
        if axis == 0:
            self.assumed.add(known_as)
            return 1
        raise ConversionError(f"dimension {axis} is '{known_as}'", hint=f"Give it a size: --dim {known_as}=SIZE")

    def refuse_unknown(self) -> None:
        """Raise UnknownDimensionError for a size that is given to no open dimension."""
        for name in self.given:
            if name not in self.places:
                listed = ", ".join(sorted(self.places))
                fixed = f"The inputs' shapes are fixed: leave --dim {name} out"
                raise UnknownDimensionError(name, f"The model has {listed}" if listed else fixed)


def with_known_sizes(dims: Mapping[str, int], *readers: Callable[[Mapping[str, int]], ReadT]) -> list[ReadT]:
    """Read models, each with the sizes of the dimensions that it has.

    Raises UnknownDimensionError for a size that no model has a dimension for.
    """
    found = [_with_known_sizes(dims, read) for read in readers]
    for name in dims:
        if all(name in unknown for _, unknown in found):
            raise found[0][1][name]
    return [result for result, _ in found]


def _with_known_sizes(
    dims: Mapping[str, int], read: Callable[[Mapping[str, int]], ReadT]
) -> tuple[ReadT, dict[str, UnknownDimensionError]]:
    """Read a model; return it, and the error for each size that it has no dimension for."""
    unknown: dict[str, UnknownDimensionError] = {}
    while True:
        try:
            return read({name: size for name, size in dims.items() if name not in unknown}), unknown
        except UnknownDimensionError as error:
            unknown[error.name] = error
