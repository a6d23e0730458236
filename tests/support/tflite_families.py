"""The families of operators whose files in ``tests/cases`` have a table of TFLite, ``CASES``."""

from __future__ import annotations

from types import ModuleType

from tests.cases import (
    activation,
    comparison,
    contraction,
    elementwise,
    movement,
    normalization,
    recurrent,
    reduction,
    resize,
    window,
)

FAMILIES: tuple[ModuleType, ...] = (
    activation,
    comparison,
    contraction,
    elementwise,
    movement,
    normalization,
    recurrent,
    reduction,
    resize,
    window,
)
WITHOUT_STATE = tuple(family for family in FAMILIES if family is not recurrent)
