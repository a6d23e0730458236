"""Moves of a layer's integers at random, by the steps that its limit allows and as often as it allows them."""

from __future__ import annotations

import math
from enum import Enum
from typing import NamedTuple

import numpy as np

from qconvert.support.arrays import Array
from qconvert.validation.layers import Layer
from qconvert.validation.limits.limits import FamilyLimit


class Direction(Enum):
    """Where integers move in one run: a rounding may prefer one direction, in which differences add up."""

    UP = 1
    DOWN = -1
    ANY = 0


DIRECTIONS = (Direction.UP, Direction.DOWN, Direction.ANY, Direction.ANY)
"""The directions of the runs, in turn."""


class Moves(NamedTuple):
    """How the integers of a layer may move: the share of those that are not ties, the ties, the largest step."""

    share: float
    ties: bool
    step: int
    low: int
    high: int

    @classmethod
    def of(cls, layer: Layer, limit: FamilyLimit) -> Moves:
        """Return the moves that a limit of a layer allows."""
        low, high = layer.range
        return cls(1.0 - limit.exact_non_ties, limit.exact < 1.0, limit.max_lsb, low, high)

    def __bool__(self) -> bool:
        """Return True if an integer may move."""
        return self.step > 0 and (self.share > 0.0 or self.ties)

    def moved(self, array: Array, ties: Array, direction: Direction, rng: np.random.Generator) -> Array:
        """Return a copy of a layer's result that has moved; ``ties`` are the places of its ties."""
        flat = array.flatten()
        count = math.ceil(self.share * flat.size - 1e-9)
        places = rng.integers(0, flat.size, count) if flat.size else np.zeros(0, np.int64)
        places = np.union1d(places, ties) if self.ties else np.unique(places)
        signs = rng.choice((-1, 1), places.size) if direction is Direction.ANY else direction.value
        steps = signs * rng.integers(1, self.step, places.size, endpoint=True)
        flat[places] = np.clip(flat[places].astype(np.int64) + steps, self.low, self.high).astype(flat.dtype)
        return flat.reshape(array.shape)


def shaken(array: Array, error: float, rng: np.random.Generator) -> Array:
    """Return floats with an error of this part of their largest magnitude, at random."""
    finite = np.abs(array[np.isfinite(array)].astype(np.float64))
    noise = rng.uniform(-error, error, array.shape) * finite.max(initial=0.0)
    return np.asarray(array.astype(np.float64) + noise, array.dtype)
