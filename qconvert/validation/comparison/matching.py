"""The values that two models have in common: found by name, by shape and quantization, and by their numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from qconvert.ir import UniformQuantizedType
from qconvert.validation.compare import Array
from qconvert.validation.comparison.numbers import Layout, laid_out, layouts, real, scaled, stored_type
from qconvert.validation.comparison.values import Value

LEAST_CORRELATION = 0.98
"""The least correlation of two values of one shape that are taken for the same layer."""

_ELEMENTS = 4096
"""The number of elements by which values are correlated."""


class Matched(StrEnum):
    """The evidence that two values are the same layer."""

    NAME = "name"
    NODE = "node name"
    QUANTIZATION = "shape and quantization"
    EQUAL = "equal values"
    CORRELATION = "correlation"


@dataclass(frozen=True)
class Observed:
    """A value with its elements for one sample, and its type if these are storage integers."""

    value: Value
    array: Array
    element: UniformQuantizedType | None

    @property
    def real(self) -> NDArray[np.float64]:
        """The real numbers."""
        return real(self.array, self.element)


@dataclass(frozen=True)
class Match:
    """A value of both models, by its places among their values, and the layout in which the first is the second.

    ``unfolded`` is the first model's shape before the dimensions were flattened whose order the layout has.
    """

    first: int
    second: int
    by: Matched
    layout: Layout
    correlation: float | None = None
    unfolded: tuple[int, ...] | None = None

    def moved(self, array: Array, shape: tuple[int, ...]) -> Array:
        """Return the first model's value in the second model's layout and shape."""
        return laid_out(array if self.unfolded is None else array.reshape(self.unfolded), self.layout, shape)


def observed_values(
    values: Sequence[Value], run: Mapping[str, Array], parameters: Mapping[str, UniformQuantizedType]
) -> list[Observed | None]:
    """Return the values that a run has; integers without parameters have those of the value they are moved from."""
    found: list[Observed | None] = []
    for value in values:
        array = run.get(value.tensor)
        if array is None or array.dtype.kind not in "iufVb":
            found.append(None)
            continue
        element = parameters.get(value.tensor)
        source = found[value.inputs[0]] if value.inputs else None
        if element is None and source is not None and source.array.dtype == array.dtype and array.dtype.itemsize <= 2:
            element = source.element if array.dtype.kind in "iu" else None
        found.append(Observed(value, array, stored_type(array.dtype, element)))
    return found


def matches(first: Sequence[Observed | None], second: Sequence[Observed | None]) -> list[Match]:
    """Return the values that both models have, in the order of the first model.

    Values of one name come first, then quantized values of one shape, scale and zero point that both models have in
    the same number, in order, then values of one shape that are equal or correlate.
    """
    matcher = _Matcher(first, second)
    matcher.by_key(Matched.NAME, lambda value: [value.value.tensor])
    matcher.by_key(Matched.NODE, lambda value: value.value.own_nodes, needs_scale=True)
    matcher.by_key(Matched.NAME, lambda value: sorted(value.value.own_names))
    matcher.by_key(Matched.NAME, lambda value: sorted(value.value.names), needs_scale=True)
    matcher.by_key(Matched.NODE, lambda value: [value.value.node], needs_scale=True)
    matcher.by_key(Matched.QUANTIZATION, _quantization)
    matcher.by_numbers()
    return _unfolded(sorted(matcher.found, key=lambda match: match.first), first, second)


def _unfolded(
    found: Sequence[Match], first: Sequence[Observed | None], second: Sequence[Observed | None]
) -> list[Match]:
    """Return matches in which a vector that flattens an image has the order of the image's elements in both models."""
    matched: dict[int, Match] = {}
    for match in found:
        mine, other = first[match.first], second[match.second]
        assert mine is not None
        assert other is not None
        source = matched.get(mine.value.inputs[0]) if mine.value.inputs else None
        image = None if source is None else first[source.first]
        matched[match.first] = match
        if source is None or image is None or image.array.size != mine.array.size:
            continue
        shape = source.unfolded or image.array.shape
        flattened = replace(match, layout=source.layout, unfolded=shape)
        if len(shape) > mine.array.ndim and _distance(flattened, mine, other) < _distance(match, mine, other):
            matched[match.first] = flattened
    return list(matched.values())


def _distance(match: Match, first: Observed, second: Observed) -> float:
    return float(np.abs(match.moved(first.real, second.array.shape) - second.real).sum())


def _quantization(observed: Observed) -> list[Hashable]:
    """Return what quantized values of one layer have in common: sizes, scale, and the smallest real number."""
    element = observed.element
    if element is None:
        return []
    sizes = tuple(sorted(size for size in observed.array.shape if size != 1))
    return [(sizes, np.float32(element.scale), element.zero_point - element.storage.minimum)]


class _Matcher:
    """The values of both models that are not matched yet, and the matches."""

    def __init__(self, first: Sequence[Observed | None], second: Sequence[Observed | None]) -> None:
        self.first = {place: value for place, value in enumerate(first) if value is not None}
        self.second = {place: value for place, value in enumerate(second) if value is not None}
        self.found: list[Match] = []

    def by_key(self, by: Matched, keys: Callable[[Observed], Sequence[Hashable]], *, needs_scale: bool = False) -> None:
        """Match the values of each key in order, where both models have the same number of them.

        With ``needs_scale`` quantized values must have one scale: a node may have absorbed the activation behind it.
        """
        others = _by_key(self.second, keys)
        for key, places in _by_key(self.first, keys).items():
            mine = [place for place in places if place in self.first]
            theirs = [place for place in others.get(key, ()) if place in self.second]
            if len(mine) == len(theirs):
                for a, b in zip(mine, theirs, strict=True):
                    scales = [_quantization(self.first[a]), _quantization(self.second[b])]
                    if not needs_scale or [] in scales or scales[0] == scales[1]:
                        self._match(a, b, by)

    def _match(self, a: int, b: int, by: Matched) -> None:
        first, second = self.first[a], self.second[b]
        layout = _layout(first, second)
        if layout is not None:
            self._take(Match(a, b, by, layout))

    def _take(self, match: Match) -> None:
        self.found.append(match)
        del self.first[match.first], self.second[match.second]

    def by_numbers(self) -> None:
        """Match values of one shape by their numbers, those that fit best first."""
        candidates = sorted(
            self._candidates(), key=lambda match: (match.by is not Matched.EQUAL, -(match.correlation or 1))
        )
        for match in candidates:
            if match.first in self.first and match.second in self.second:
                self._take(match)

    def _candidates(self) -> Iterator[Match]:
        by_sizes = _by_key(self.second, _sizes)
        for sizes, mine in _by_key(self.first, _sizes).items():
            theirs = by_sizes.get(sizes, [])
            for shape in {self.second[place].array.shape for place in theirs}:
                those = [place for place in theirs if self.second[place].array.shape == shape]
                yield from self._of_one_shape(mine, those, shape)

    def _of_one_shape(self, mine: list[int], theirs: list[int], shape: tuple[int, ...]) -> Iterator[Match]:
        """Yield the pairs that correlate, in any layout."""
        other = scaled((self.second[place].real for place in theirs), _ELEMENTS)
        for a in mine:
            value = self.first[a].real
            for layout in layouts(value.shape, shape):
                moved = laid_out(value, layout, shape)
                [row] = scaled(iter([moved]), _ELEMENTS)
                for b, correlation in zip(theirs, (other @ row).tolist(), strict=True):
                    if np.array_equal(moved, self.second[b].real):
                        yield Match(a, b, Matched.EQUAL, layout)
                    elif correlation >= LEAST_CORRELATION:
                        yield Match(a, b, Matched.CORRELATION, layout, correlation)


def _by_key(
    values: Mapping[int, Observed], keys: Callable[[Observed], Sequence[Hashable]]
) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = defaultdict(list)
    for place, value in values.items():
        for key in keys(value):
            found[key].append(place)
    return found


def _sizes(observed: Observed) -> list[Hashable]:
    return [tuple(sorted(size for size in observed.array.shape if size != 1))]


def _layout(first: Observed, second: Observed) -> Layout | None:
    """Return the layout in which two values are closest, None if their shapes differ in all layouts."""
    found = list(layouts(first.array.shape, second.array.shape))
    if len(found) < 2:
        return found[0] if found else None
    wanted, value = second.real, first.real
    return min(found, key=lambda layout: float(np.abs(laid_out(value, layout, wanted.shape) - wanted).sum()))
