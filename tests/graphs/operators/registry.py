"""The operators that a network is drawn from, by family.

A maker adds one operator, or a few that belong together, behind a value. It raises MisfitError where the value does not
fit.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

from tests.graphs.network import Drawing, Shape

Maker: TypeAlias = Callable[[Drawing, str, Shape], object]

_MAKERS: dict[str, list[tuple[Maker, int]]] = {}


def operator(family: str, share: int = 1) -> Callable[[Maker], Maker]:
    """Register a maker of a family; ``share`` says how often it is drawn beside others."""

    def registered(maker: Maker) -> Maker:
        _MAKERS.setdefault(family, []).append((maker, share))
        return maker

    return registered


@cache
def families() -> dict[str, list[tuple[Maker, int]]]:
    """Return the makers and their shares by family; the modules of this package register them."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        importlib.import_module(f"tests.graphs.operators.{module.name}")
    return dict(sorted(_MAKERS.items()))
