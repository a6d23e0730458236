"""The values that two models have in common: found by name, by shape and quantization, and by their numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qconvert.ir import UniformQuantizedType
from qconvert.support.arrays import Array
from qconvert.validation.comparison.alignment import BLOCK_SIZES, NCHWC, Alignment, Blocks, alignments, has_blocks
from qconvert.validation.comparison.numbers import scaled
from qconvert.validation.comparison.values import Value
from qconvert.validation.figures.report import Matched
from qconvert.validation.representation import real, stored_type

LEAST_CORRELATION = 0.98
"""The least correlation of two values of one shape that are taken for the same layer."""

_LARGEST_RATIO = 16.0
"""The largest ratio of the largest elements of two values that are taken for the same layer by their correlation.

A quotient by the scale is 1 / scale times as large as the value: more than 16 times where 8 bits hold -8 .. 8 or less.
"""

_ELEMENTS = 4096
"""The number of elements by which values are correlated."""


_FUSED_NODE = re.compile(r"(.+)_nchwc(?:_token_\d+)?")
"""The name of a node that onnxruntime's NCHWc transformer makes: after the output of the node that it replaces."""

_FUSED_DEPTH = 2
"""The number of nodes behind a convolution that it may compute as well: an addition and an activation."""


@dataclass(frozen=True)
class Observed:
    """A value with its elements for one sample, and its type if these are storage integers.

    ``is_blocked`` is True if its channels are in blocks.
    """

    value: Value
    array: Array
    element: UniformQuantizedType | None
    is_blocked: bool = False

    @property
    def real(self) -> NDArray[np.float64]:
        """The real numbers."""
        return real(self.array, self.element)


@dataclass(frozen=True)
class Match:
    """A value of both models, by its places among their values, and the way in which the first is the second."""

    first: int
    second: int
    by: Matched
    alignment: Alignment
    correlation: float | None = None


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
        reads_blocks = any(each.is_blocked for place in value.inputs if (each := found[place]) is not None)
        if element is None and source is not None and source.array.dtype == array.dtype and array.dtype.itemsize <= 2:
            element = source.element if array.dtype.kind in "iu" else None
        is_blocked = array.ndim >= 3 and has_blocks(value.op, reads_blocks)
        found.append(Observed(value, array, stored_type(array.dtype, element), is_blocked))
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
    matcher.by_fused_node()
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
        shape = source.alignment.unfolded or image.array.shape
        flattened = replace(match.alignment, layout=source.alignment.layout, unfolded=shape)
        if len(shape) > mine.array.ndim and _distance(flattened, mine, other) < _distance(match.alignment, mine, other):
            matched[match.first] = replace(match, alignment=flattened)
    return list(matched.values())


def _distance(alignment: Alignment, first: Observed, second: Observed) -> float:
    return float(np.abs(np.subtract(*_aligned(alignment, first, second))).sum())


def _aligned(alignment: Alignment, first: Observed, second: Observed) -> tuple[Array, Array]:
    return alignment.of_first(first.real, second.array.shape), alignment.of_second(second.real)


def _correlation(alignment: Alignment, first: Observed, second: Observed) -> float:
    one, other = scaled(iter(_aligned(alignment, first, second)), _ELEMENTS)
    return float(one @ other)


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
        alignment = _alignment(self.first[a], self.second[b])
        if alignment is not None:
            self._take(Match(a, b, by, alignment))

    def _take(self, match: Match) -> None:
        self.found.append(match)
        del self.first[match.first], self.second[match.second]

    def by_fused_node(self) -> None:
        """Match each value of an NCHWc operator with the value that it is named after, or one behind that.

        onnxruntime names such a node after the result of the node that it replaced, and then lets it compute an
        addition and an activation behind it as well. The value that correlates best is taken.
        """
        pairs = [(a, b) for a in _fused(self.first) for b in _named(self.first[a], self.second)]
        pairs += [(a, b) for b in _fused(self.second) for a in _named(self.second[b], self.first)]
        found = []
        for a, b in pairs:
            alignment = _alignment(self.first[a], self.second[b])
            if alignment is not None:
                correlation = _correlation(alignment, self.first[a], self.second[b])
                found.append(Match(a, b, Matched.FUSED, alignment, correlation))
        self._take_best(found)

    def _take_best(self, candidates: Iterable[Match]) -> None:
        """Take the matches of values that no better one has taken: those that are equal first."""
        for match in sorted(candidates, key=lambda each: (each.by is not Matched.EQUAL, -(each.correlation or 1))):
            if match.first in self.first and match.second in self.second:
                self._take(match)

    def by_numbers(self) -> None:
        """Match values of one shape by their numbers, those that fit best first."""
        self._take_best(self._candidates())

    def _candidates(self) -> Iterator[Match]:
        by_sizes = _by_key(self.second, _sizes)
        for sizes, mine in _by_key(self.first, _sizes).items():
            theirs = by_sizes.get(sizes, [])
            kinds = {place: (self.second[place].array.shape, self.second[place].is_blocked) for place in theirs}
            for kind in dict.fromkeys(kinds.values()):
                yield from self._of_one_shape(mine, [place for place in theirs if kinds[place] == kind])

    def _of_one_shape(self, mine: list[int], theirs: list[int]) -> Iterator[Match]:
        """Yield the pairs that correlate, in any layout."""
        rows: dict[Blocks | None, Array] = {}
        for a in mine:
            value = self.first[a]
            for alignment in _alignments(value, self.second[theirs[0]]):
                if alignment.second not in rows:
                    others = (alignment.of_second(self.second[place].real) for place in theirs)
                    rows[alignment.second] = scaled(others, _ELEMENTS)
                moved = alignment.of_first(value.real, self.second[theirs[0]].array.shape)
                [row] = scaled(iter([moved]), _ELEMENTS)
                for b, correlation in zip(theirs, (rows[alignment.second] @ row).tolist(), strict=True):
                    if np.array_equal(moved, alignment.of_second(self.second[b].real)):
                        yield Match(a, b, Matched.EQUAL, alignment)
                    elif correlation >= LEAST_CORRELATION and _are_of_one_size(value, self.second[b]):
                        yield Match(a, b, Matched.CORRELATION, alignment, correlation)


def _are_of_one_size(first: Observed, second: Observed) -> bool:
    """Return False for reals of which one is many times as large: a quotient by the scale is no quantized value."""
    if any(value.array.dtype.kind in "iu" and not _quantization(value) for value in (first, second)):
        return True  # integers without a scale
    sizes = [float(np.abs(value.real).max(initial=0.0)) for value in (first, second)]
    return max(sizes) <= _LARGEST_RATIO * min(sizes)


def _by_key(
    values: Mapping[int, Observed], keys: Callable[[Observed], Sequence[Hashable]]
) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = defaultdict(list)
    for place, value in values.items():
        for key in keys(value):
            found[key].append(place)
    return found


def _sizes(observed: Observed) -> list[Hashable]:
    """Return the sizes of a value in order; of channels in blocks each number that the blocks may hold."""
    images, *rest = observed.array.shape or (1,)
    shapes: list[list[int]] = [[images, *rest]]
    if observed.is_blocked:
        least = max(1, rest[0] - max(BLOCK_SIZES) + 1)
        shapes = [[images, channels, *rest[1:]] for channels in range(least, rest[0] + 1)]
    return [tuple(sorted(size for size in shape if size != 1)) for shape in shapes]


def _alignments(first: Observed, second: Observed) -> Iterator[Alignment]:
    return alignments(first.array.shape, second.array.shape, (first.is_blocked, second.is_blocked))


def _alignment(first: Observed, second: Observed) -> Alignment | None:
    """Return the alignment in which two values are closest, None if their shapes differ in all layouts."""
    found = list(_alignments(first, second))
    if len(found) < 2:
        return found[0] if found else None
    return min(found, key=lambda alignment: _distance(alignment, first, second))


def _fused(values: Mapping[int, Observed]) -> list[int]:
    """Return the places of the values of NCHWc operators."""
    return [place for place, each in values.items() if each.value.op.startswith(NCHWC) and _origin(each)]


def _origin(observed: Observed) -> str:
    """Return the tensor after which an NCHWc operator's node is named, an empty text if it is named otherwise."""
    found = _FUSED_NODE.fullmatch(observed.value.node)
    return "" if found is None else found[1]


def _named(fused: Observed, values: Mapping[int, Observed]) -> list[int]:
    """Return the places of the value that a node is named after, and of those that it may compute behind it."""
    origin = _origin(fused)
    found = {place for place, each in values.items() if origin in each.value.tensors}
    for _ in range(_FUSED_DEPTH if fused.value.op == f"{NCHWC}Conv" else 0):
        found |= {place for place, each in values.items() if not found.isdisjoint(each.value.inputs)}
    return sorted(found)
