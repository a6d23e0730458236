"""The order in which a reduction combines its elements.

Source: StableHLO's specification, "reduce": any full binary tree whose leaves are the elements in order, with initial
values among them anywhere and in any number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import NamedTuple, TypeVar

import numpy as np

from qconvert.support.errors import UsageError
from qconvert.support.numbers import whole_number

Leaf = TypeVar("Leaf")


class Shape(StrEnum):
    """The shape of the tree."""

    LEFT = "left"
    """Elements from first to last, as in a loop."""
    BALANCED = "balanced"
    """Halves of halves."""
    RANDOM = "random"
    """A random full binary tree with initial values at random places."""


class Schedule(NamedTuple):
    """A shape, and the seed of a random one."""

    shape: Shape
    seed: int = 0

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Return the schedule of ``left``, ``balanced`` or ``random:SEED``; raises UsageError for other text."""
        name, colon, seed = text.partition(":")
        is_random, number = name == Shape.RANDOM, whole_number(seed)
        if name not in tuple(Shape) or bool(colon) != is_random or (is_random and number is None):
            raise UsageError(f"--schedule {text}: expected left, balanced or random:SEED with a number")
        return cls(Shape(name), number or 0)

    def run(self, leaves: Sequence[Leaf], initial: Leaf, combine: Callable[[Leaf, Leaf], Leaf]) -> Leaf:
        """Combine an initial value and the leaves in order."""
        if self.shape is Shape.LEFT:
            result = initial
            for leaf in leaves:
                result = combine(result, leaf)
            return result
        if self.shape is Shape.BALANCED:
            return _split([initial, *leaves], combine, lambda count: count // 2)
        draw = np.random.default_rng(self.seed)
        return _split(_interspersed(leaves, initial, draw), combine, lambda count: int(draw.integers(1, count)))


def _interspersed(leaves: Sequence[Leaf], initial: Leaf, draw: np.random.Generator) -> list[Leaf]:
    """Return the leaves with an initial value before about one in three, and at the end."""
    mixed: list[Leaf] = []
    for leaf in leaves:
        mixed += [initial, leaf] if draw.random() < 1 / 3 else [leaf]
    return [*mixed, initial]


def _split(leaves: list[Leaf], combine: Callable[[Leaf, Leaf], Leaf], at: Callable[[int], int]) -> Leaf:
    """Combine the results left and right of a split, each split in the same way."""
    if len(leaves) == 1:
        return leaves[0]
    middle = at(len(leaves))
    return combine(_split(leaves[:middle], combine, at), _split(leaves[middle:], combine, at))


_chosen: ContextVar[Schedule | None] = ContextVar("chosen", default=None)


@contextmanager
def scheduled(schedule: Schedule | None) -> Iterator[None]:
    """Set the schedule of reductions; None is from first to last, or in any order that gives the same."""
    token = _chosen.set(schedule)
    try:
        yield
    finally:
        _chosen.reset(token)


def chosen() -> Schedule | None:
    """Return the schedule to follow."""
    return _chosen.get()
