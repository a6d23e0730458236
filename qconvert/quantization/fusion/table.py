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
"""What the shipped targets are fused with; the first that fits is taken."""

CHAINS: dict[str, Chain] = {chain.kernel: chain for chain in contraction.CHAINS}
"""Coarser kernels by name; no shipped target has them."""


def chains(names: Iterable[str]) -> tuple[Chain, ...]:
    """Coarser kernels by their names; raises UsageError for a name that none has."""
    found = []
    for name in names:
        if name not in CHAINS:
            raise UsageError(f"there is no coarser kernel '{name}'; there are {', '.join(CHAINS)}")
        found.append(CHAINS[name])
    return tuple(found)
