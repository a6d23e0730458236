"""Permutations of dimensions: ``y = transpose(x, p)`` has ``y.shape[i] == x.shape[p[i]]``."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, TypeAlias, TypeVar

from qconvert.dialects.stablehlo.base import permuted_axis
from qconvert.ir import Tensor, with_element, with_shape

Permutation: TypeAlias = tuple[int, ...]
T = TypeVar("T")


def is_identity(permutation: Sequence[int]) -> bool:
    """Return whether a permutation keeps all dimensions in place."""
    return all(i == p for i, p in enumerate(permutation))


def inverse(permutation: Sequence[int]) -> Permutation:
    """Return the permutation that undoes another one."""
    result = [0] * len(permutation)
    for i, p in enumerate(permutation):
        result[p] = i
    return tuple(result)


def compose(first: Sequence[int], second: Sequence[int]) -> Permutation:
    """Return ``transpose(transpose(x, first), second)`` as one permutation."""
    return tuple(first[p] for p in second)


def unpermuted(values: Sequence[T], permutation: Sequence[int]) -> list[T]:
    """Return values of the dimensions of ``y`` in the order of the dimensions of ``x``."""
    return [values[i] for i in inverse(permutation)]


def unpermuted_type(type: Tensor, permutation: Sequence[int]) -> Tensor:
    """Return the type of ``x`` for the type of ``y``."""
    element = permuted_axis(type.element_type, inverse(permutation))
    return with_element(with_shape(type, unpermuted(type.get_shape(), permutation)), element)


class Group(NamedTuple):
    """Neighbouring dimensions on both sides of a reshape that hold the same elements."""

    before: tuple[int, ...]
    after: tuple[int, ...]


def reshape_groups(before: Sequence[int], after: Sequence[int]) -> list[Group]:
    """Return the smallest groups, in order. Dimensions of size 1 at the end belong to the last group.

    Both shapes must have the same number of elements, which is not 0.
    """
    groups: list[Group] = []
    i = j = 0
    while i < len(before) or j < len(after):
        start, other = i, j
        i, j = min(i + 1, len(before)), min(j + 1, len(after))
        while prod(before[start:i]) != prod(after[other:j]):
            if prod(before[start:i]) < prod(after[other:j]):
                i += 1
            else:
                j += 1
        groups.append(Group(tuple(range(start, i)), tuple(range(other, j))))
    return groups
