"""The families of operators without a state whose files in ``tests/cases`` have a table of TFLite, ``CASES``."""

from __future__ import annotations

from types import ModuleType

from tests.cases import (
    activation,
    comparison,
    contraction,
    elementwise,
    movement,
    normalization,
    reduction,
    resize,
    window,
)

WITHOUT_STATE: tuple[ModuleType, ...] = (
    activation,
    comparison,
    contraction,
    elementwise,
    movement,
    normalization,
    reduction,
    resize,
    window,
)
