"""The runs of the reference network whose integers move, and how far they are from the run in which none moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from qconvert.interpreter import Program
from qconvert.support.arrays import Array
from qconvert.validation.layers import Layer
from qconvert.validation.limits.ties import TieCounter
from qconvert.validation.sampling.samples import Sample
from qconvert.validation.whole.chain import Chain
from qconvert.validation.whole.distance import Distance
from qconvert.validation.whole.moves import DIRECTIONS, Direction, Moves, shaken

Values: TypeAlias = dict[str, Array]

RUNS = 16
"""The number of runs with moved integers."""

_SAMPLES = 8
"""The largest number of samples that the runs share."""


@dataclass(frozen=True, eq=False)
class Network:
    """The reference's network, and the moves of those of its layers that may differ, by tensor."""

    chain: Chain
    layers: Mapping[str, Layer]
    moves: Mapping[str, Moves]
    tie_counter: Callable[[Layer], TieCounter]

    @cached_property
    def _programs(self) -> list[Program]:
        return [Program(part.module) for part in self.chain.parts]

    @cached_property
    def _counters(self) -> dict[str, TieCounter]:
        tied = [name for name, moves in self.moves.items() if moves.ties]
        return {name: self.tie_counter(self.layers[name]) for name in tied}

    @property
    def may_differ(self) -> bool:
        """Return True if anything in the network may be rounded otherwise."""
        return any(self.moves.values()) or bool(self.chain.floats)

    def values(self, sample: Sample, move: Callable[[str, Array], Array] = lambda _, array: array) -> Values:
        """Return all values of the chain for a sample; ``move`` gets each before it is used."""
        found = {name: move(name, sample[name]) for name in self.chain.inputs}
        for part, program in zip(self.chain.parts, self._programs, strict=True):
            [result] = program.run([found[name] for name in part.inputs])
            found[part.name] = move(part.name, result)
        return found

    def ties(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Return the places of the ties of each layer."""
        return {
            name: np.flatnonzero(counter.of([values[each] for each in self.layers[name].inputs]).ties)
            for name, counter in self._counters.items()
        }

    def moved(self, sample: Sample, ties: Mapping[str, Array], direction: Direction, seed: int) -> Values:
        """Return the values of a run in which integers move."""
        rng = np.random.default_rng(seed)

        def move(name: str, array: Array) -> Array:
            if name in self.chain.floats:
                return shaken(array, self.chain.floats[name], rng)
            moves = self.moves.get(name)
            return moves.moved(array, ties.get(name, _NONE), direction, rng) if moves else array

        return self.values(sample, move)


_NONE = np.zeros(0, np.int64)


def bounds_of(
    network: Network, samples: Callable[[int], Sample], count: int, apart: Callable[[str, Array], float]
) -> dict[str, Distance]:
    """Return the bound of each value of a network that may differ, by name, from runs on the first samples.

    ``samples`` gives one of ``count`` samples. ``apart`` gives the distance from which on elements of a value differ.
    """
    found: dict[str, list[Distance]] = {}
    for number, runs in _shared(count):
        sample = samples(number)
        plain = network.values(sample)
        ties = network.ties(plain)
        for run in runs:
            for name, array in network.moved(sample, ties, DIRECTIONS[run % len(DIRECTIONS)], run).items():
                found.setdefault(name, []).append(Distance.of(plain[name], array, apart(name, plain[name])))
    return {name: Distance.bound(distances) for name, distances in found.items()}


def _shared(count: int) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield the numbers of samples, each with the numbers of the runs on it."""
    shared = min(count, _SAMPLES)
    for number in range(shared):
        yield number, range(number, RUNS, shared)
