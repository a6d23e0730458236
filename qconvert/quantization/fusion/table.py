"""All patterns, and the coarser kernels that a target may ask for by name."""

from __future__ import annotations

from collections.abc import Iterable

from qconvert.quantization.fusion import (
    activation,
    contraction,
    elementwise,
    movement,
    normalization,
    reduction,
    resize,
    window,
)
from qconvert.quantization.fusion.pattern import Chain, Pattern
from qconvert.support.errors import UsageError

DEFAULT_PATTERNS: tuple[Pattern, ...] = (
    *contraction.PATTERNS,
    *activation.PATTERNS,
    *elementwise.PATTERNS,
    *reduction.PATTERNS,
    *window.PATTERNS,
    *normalization.PATTERNS,
    *resize.PATTERNS,
    *movement.PATTERNS,
)
"""The patterns of the shipped targets; the first that fits is used."""

CHAINS: dict[str, Chain] = {chain.kernel: chain for chain in contraction.CHAINS}
"""Coarser kernels by name; the shipped targets use none of them."""


def chains(names: Iterable[str]) -> tuple[Chain, ...]:
    """Return coarser kernels by their names; raise UsageError for an unknown name."""
    found = []
    for name in names:
        if name not in CHAINS:
            raise UsageError(f"there is no coarser kernel '{name}'; there are {', '.join(CHAINS)}")
        found.append(CHAINS[name])
    return tuple(found)
